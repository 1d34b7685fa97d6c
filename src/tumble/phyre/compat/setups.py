"""Evaluation setups: which tasks to train and test on, under the original's names."""

from tumble.phyre.tasks.catalogue import task_ids
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.splits import SETTINGS, Fold, fold
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.phyre.tasks.tier import Tier, tier_named

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
