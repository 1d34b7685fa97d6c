"""Evaluation under the original's names: which tasks to train and test on, and the evaluator.

The evaluator counts attempts at tasks, and computes the metrics of an agent.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, TaskError, Tier, tier_named
from tumble.phyre.catalogue.tasks_by_id import SETTINGS, Fold, fold, task_ids
from tumble.phyre.compat.simulation import SimulationStatus
from tumble.phyre.evaluation.metrics import attempt_weights, success_curve

TIER_NAMES = {"ball": "B", "two_balls": "2B"}
"""The original's name of each tier, and ours."""
ACTION_TIERS = tuple(TIER_NAMES)
MAIN_EVAL_SETUPS = tuple(SETTINGS)
MAX_TEST_ATTEMPTS = MAX_ATTEMPTS
"""Attempts at a task that count."""

_SINGLE_INSTANCE = {f"{tier}_single_instance": f"{tier}_within_template" for tier in ACTION_TIERS}
"""Setups without training tasks, and the setups whose test tasks they have."""


def tier_of(action_tier: str) -> Tier:
    """The tier of the original's name ("ball" or "two_balls")."""
    if action_tier not in TIER_NAMES:
        raise TaskError(f"no action tier {action_tier!r}; there are {', '.join(ACTION_TIERS)}")
    return tier_named(TIER_NAMES[action_tier])


def list_eval_setups() -> tuple[str, ...]:
    """The names of all setups: the four main ones, and one without training tasks for each tier."""
    return (*MAIN_EVAL_SETUPS, *_SINGLE_INSTANCE)


def eval_setup_to_action_tier(eval_setup: str) -> str:
    """The action tier of a setup: "ball" or "two_balls"."""
    tier = SETTINGS[_main_setup(eval_setup)].tier
    return next(name for name, ours in TIER_NAMES.items() if ours == tier)


def get_fold(eval_setup: str, seed: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The ids of the tasks to train, tune and test on; `seed` is the number of the fold, 0 to 9.

    A single-instance setup has the test tasks of the within-template setup, and nothing to train or tune on.
    """
    setup = _main_setup(eval_setup)
    part = fold(setup, seed, task_ids(SETTINGS[setup].tier))
    if eval_setup in _SINGLE_INSTANCE:
        part = Fold([], [], part.test)
    return tuple(part.train), tuple(part.validation), tuple(part.test)


def _main_setup(eval_setup: str) -> str:
    if eval_setup not in list_eval_setups():
        raise TaskError(f"no evaluation setup {eval_setup!r}; there are {', '.join(list_eval_setups())}")
    return _SINGLE_INSTANCE.get(eval_setup, eval_setup)


GLOBAL_ATTEMPTS = (100, 1_000, 100_000)
"""Numbers of attempts at all tasks together for `global_solved_by`."""


class Evaluator:
    """The attempts of an agent at some tasks, in the order in which they were made."""

    def __init__(self, task_ids: Sequence[str]) -> None:
        self.task_ids = tuple(task_ids)
        if not self.task_ids:
            raise TumbleError("an evaluator needs at least one task")
        self.attempts_per_task_index = np.zeros(len(self.task_ids), int)
        """int [tasks]: attempts logged for each task."""
        self._solved_at: list[int | None] = [None] * len(self.task_ids)
        """The attempt at each task that solved it first, counted from 1."""
        self._solved_at_total: list[int] = []
        """The same for the solved tasks, counted over all tasks together."""

    def __len__(self) -> int:
        """The number of attempts logged."""
        return int(self.attempts_per_task_index.sum())

    def maybe_log_attempt(self, task_index: int, status: SimulationStatus | int | str) -> bool:
        """Logs an attempt and returns True, unless it was invalid. A task has at most 100 attempts."""
        code = _status_of(status)
        self._check_index(task_index)
        if code.is_invalid():
            return False
        if self.attempts_per_task_index[task_index] >= MAX_TEST_ATTEMPTS:
            raise AssertionError(f"task {self.task_ids[task_index]} already has {MAX_TEST_ATTEMPTS} attempts")
        self.attempts_per_task_index[task_index] += 1
        if code.is_solved() and self._solved_at[task_index] is None:
            self._solved_at[task_index] = int(self.attempts_per_task_index[task_index])
            self._solved_at_total.append(len(self))
        return True

    def get_attempts_for_task(self, task_index: int) -> int:
        """The number of attempts logged for a task."""
        self._check_index(task_index)
        return int(self.attempts_per_task_index[task_index])

    def compute_all_metrics(self) -> dict[str, Any]:
        """All metrics, each divided by the number of tasks.

        `independent_solved_by` and `independent_solved_by_aucs` [101]: success and AUCCESS within 0 to 100 attempts at
        each task; `global_solved_by`: success within 100, 1,000 and 100,000 attempts at all tasks together;
        `total_attempts`, `total_solved`. Warns if attempts were left unused.
        """
        self._warn_of_unused_attempts(MAX_TEST_ATTEMPTS)
        tasks = len(self.task_ids)
        curve = success_curve(self._solved_at)
        aucs = [0.0, *(float(attempt_weights(k) @ curve[:k]) for k in range(1, MAX_TEST_ATTEMPTS + 1))]
        return {
            "independent_solved_by": [0.0, *curve.tolist()],
            "independent_solved_by_aucs": aucs,
            "global_solved_by": {
                limit: sum(at <= limit for at in self._solved_at_total) / tasks for limit in GLOBAL_ATTEMPTS
            },
            "total_attempts": len(self) / tasks,
            "total_solved": len(self._solved_at_total) / tasks,
        }

    def get_auccess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """AUCCESS, 0 to 1, of the first attempts at each task. Warns if attempts were left unused."""
        if not 1 <= attempts <= MAX_TEST_ATTEMPTS:
            raise TumbleError(f"attempts must be from 1 to {MAX_TEST_ATTEMPTS}, not {attempts}")
        self._warn_of_unused_attempts(attempts)
        return float(attempt_weights(attempts) @ success_curve(self._solved_at, attempts))

    def get_aucess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """`get_auccess` under its old name."""
        return self.get_auccess(attempts)

    def _check_index(self, task_index: int) -> None:
        if not 0 <= task_index < len(self.task_ids):
            raise TumbleError(f"no task {task_index} in this evaluator: it has {len(self.task_ids)}, from 0 on")

    def _warn_of_unused_attempts(self, attempts: int) -> None:
        made = zip(self._solved_at, self.attempts_per_task_index, strict=True)
        unused = sum(at is None and count < attempts for at, count in made)
        if unused:
            text = f"{unused} of {len(self.task_ids)} tasks are unsolved with fewer than {attempts} attempts"
            warnings.warn(f"{text}; they count as unsolved", stacklevel=3)


def _status_of(status: SimulationStatus | int | str) -> SimulationStatus:
    """The status of a number or a name."""
    try:
        return SimulationStatus[status] if isinstance(status, str) else SimulationStatus(status)
    except (KeyError, ValueError):
        known = ", ".join(f"{one.name} {one.value}" for one in SimulationStatus)
        raise TumbleError(f"no status {status!r}; there are {known}") from None
