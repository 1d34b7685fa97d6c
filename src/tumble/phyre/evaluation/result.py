"""Results of PHYRE's runs: the attempt at which each task was solved, and scores."""

from dataclasses import dataclass
from math import nan

import numpy as np

from tumble.phyre.catalogue.task import MAX_ATTEMPTS
from tumble.phyre.evaluation.metrics import auccess, success_at, success_curve
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.status import SOLVED
from tumble.runs.evaluate import Result, given_up_text, spec_of
from tumble.runs.log import Log, Row

FEW_ATTEMPTS = 10


def success_limits(attempts: int) -> tuple[int, ...]:
    """Numbers of attempts within which success is given: ten and all that are allowed."""
    return (FEW_ATTEMPTS, attempts) if attempts > FEW_ATTEMPTS else (attempts,)


def auccess_label(attempts: int) -> str:
    """The name of the score, which is over 100 attempts, with the number of attempts allowed where it differs."""
    return "AUCCESS" if attempts == MAX_ATTEMPTS else f"AUCCESS (over {MAX_ATTEMPTS}, {attempts} allowed)"


@dataclass(frozen=True)
class PhyreResult(Result):
    """Scores of a run in percent; NaN if no task is finished."""

    spec: PhyreRunSpec
    solved_at: dict[str, int | None]
    """By finished task: the attempt at which it was solved; None if it was not."""

    @property
    def setting(self) -> str:
        return self.spec.setting

    @property
    def fold(self) -> int:
        return self.spec.fold

    @property
    def auccess(self) -> float:
        return 100.0 * auccess(list(self.solved_at.values())) if self.solved_at else nan

    def success(self, attempts: int) -> float:
        """The tasks solved within a number of attempts."""
        return 100.0 * success_at(list(self.solved_at.values()), attempts) if self.solved_at else nan

    @property
    def summary(self) -> str:
        allowed = self.spec.attempts
        within = " and ".join(f"{self.success(limit):.1f} % within {limit}" for limit in success_limits(allowed))
        reasons = list(self.given_up.values())
        given_up = f"; {given_up_text(reasons, self.tasks_done)}" if reasons else ""
        return f"{auccess_label(allowed)} {self.auccess:.1f}; solved {within} attempt{'s' * (allowed != 1)}{given_up}"

    @property
    def score(self) -> float:
        return self.auccess

    @property
    def curve(self) -> np.ndarray:
        """The tasks solved within 1, 2, … attempts, as many as are allowed."""
        return 100.0 * success_curve(list(self.solved_at.values()), self.spec.attempts)


def result_of(log: Log) -> PhyreResult:
    """The result of a run, from its finished tasks."""
    spec = spec_of(log, PhyreRunSpec)
    solved_at = {task_id: _solved_at(rows) for task_id, rows in log.tasks.items()}
    done = len(log.tasks)
    return PhyreResult(log.path, log.header, log.finished, done, spec, solved_at, given_up=log.given_up)


def _solved_at(rows: list[Row]) -> int | None:
    return next((row["attempt"] for row in rows if row["status"] >= SOLVED), None)
