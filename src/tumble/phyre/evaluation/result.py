"""Results of runs: at which attempt each task was solved, and what that is worth."""

from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from tumble.phyre.evaluation.metrics import auccess, success_at, success_curve
from tumble.phyre.evaluation.run_spec import agent_label, from_header
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.runs.log import Log, Row
from tumble.runs.run_spec import check_header

FEW_ATTEMPTS = 10
NEEDED = ("settings", "physics", "limit", "tasks", "tasks_sha256", "task_count")
"""What a header has beside what says which experiment it was."""


@dataclass(frozen=True)
class Result:
    """A run without its attempts; scores are in percent, and no number where no task is finished."""

    path: Path
    header: Row
    solved_at: dict[str, int | None]
    """The attempt at which each finished task was solved, None where it was not."""
    finished: bool

    @property
    def agent(self) -> str:
        """A name of ours, or the class of somebody's file."""
        return agent_label(self.header["agent"])

    @property
    def setting(self) -> str:
        return str(self.header["setting"])

    @property
    def fold(self) -> int:
        return int(self.header["fold"])

    @property
    def task_count(self) -> int:
        """Tasks that the run has when it is finished."""
        return int(self.header["task_count"])

    @property
    def auccess(self) -> float:
        return 100.0 * auccess(list(self.solved_at.values())) if self.solved_at else nan

    def success(self, attempts: int) -> float:
        """Tasks solved within so many attempts."""
        return 100.0 * success_at(list(self.solved_at.values()), attempts) if self.solved_at else nan

    @property
    def words(self) -> str:
        """What the agent reached."""
        within = " and ".join(f"{self.success(most):.1f} % within {most}" for most in (FEW_ATTEMPTS, MAX_ATTEMPTS))
        return f"AUCCESS {self.auccess:.1f}; solved {within} attempts"

    @property
    def curve(self) -> np.ndarray:
        """Tasks solved within 1, 2, … attempts."""
        return 100.0 * success_curve(list(self.solved_at.values()), MAX_ATTEMPTS)


def result_of(log: Log) -> Result:
    """What came of a run, as far as it is finished."""
    check(log)
    solved_at = {task_id: _solved_at(rows) for task_id, rows in log.tasks.items()}
    return Result(log.path, log.header, solved_at, log.finished)


def check(log: Log) -> None:
    """Refuses a log whose header does not say what has to be known."""
    check_header(log, from_header, NEEDED)


def _solved_at(rows: list[Row]) -> int | None:
    return next((row["attempt"] for row in rows if row["status"] >= SOLVED), None)
