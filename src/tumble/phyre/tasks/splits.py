"""Which tasks to train, tune and test on: ten folds in each of four settings, pure functions of the task ids."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import md5

from tumble.phyre.tasks.errors import TaskError

FOLDS = 10


@dataclass(frozen=True)
class Setting:
    """A tier, and what an agent must generalise to: unseen tasks of known templates, or unseen templates."""

    tier: str
    across_templates: bool


SETTINGS = {
    "ball_cross_template": Setting("B", True),
    "ball_within_template": Setting("B", False),
    "two_balls_cross_template": Setting("2B", True),
    "two_balls_within_template": Setting("2B", False),
}


@dataclass(frozen=True)
class Fold:
    """Task ids, sorted. Tune on `train` and `validation`; for a result on `test`, train on both."""

    train: list[str]
    validation: list[str]
    test: list[str]

    @property
    def train_for_test(self) -> list[str]:
        """All tasks that an agent may learn from before it is tested."""
        return sorted(self.train + self.validation)


def fold(setting: str, number: int, tasks: Iterable[str], balanced: bool = False) -> Fold:
    """A fold of the tasks (ids, or a dictionary by id) of one tier.

    In the published folds some templates are never tested across templates and others often; with `balanced`, every
    template (or task, within templates) is tested in exactly two of the ten folds.

    >>> ids = [f"{template:05d}:{number:03d}" for template in range(25) for number in range(100)]
    >>> part = fold("ball_cross_template", 0, ids)
    >>> len(part.train), len(part.validation), len(part.test)
    (1600, 400, 500)
    """
    if setting not in SETTINGS:
        raise TaskError(f"no setting {setting!r}; there are {', '.join(SETTINGS)}")
    if not 0 <= number < FOLDS:
        raise TaskError(f"no fold {number}; there are 0 to {FOLDS - 1}")
    ids = sorted(tasks)
    split = _across_templates if SETTINGS[setting].across_templates else _within_templates
    return split(ids, number, _balanced if balanced else _published)


def template_of(task_id: str) -> str:
    """The template's part of a task id.

    >>> template_of("00013:042")
    '00013'
    """
    return task_id.split(":")[0]


def _shuffled(items: Iterable[str], salt: str) -> list[str]:
    """Items in a pseudo-random order that depends only on their names and the salt."""
    return sorted(items, key=lambda item: md5(f"{item}{salt}".encode(), usedforsecurity=False).hexdigest())


_Split = Callable[[Iterable[str], str, int, float], tuple[list[str], list[str]]]
"""Splits items in two, given a salt, the number of the fold and the share of the first part."""


def _published(items: Iterable[str], salt: str, number: int, share: float) -> tuple[list[str], list[str]]:
    """The first part of this fold's order, and the rest."""
    order = _shuffled(items, f"{salt}{number}")
    count = round(len(order) * share)
    return order[:count], order[count:]


def _balanced(items: Iterable[str], salt: str, number: int, share: float) -> tuple[list[str], list[str]]:
    """All but one part of an order that several folds share, and that part."""
    parts = round(1.0 / (1.0 - share))
    order = _shuffled(items, f"balanced_{salt}{number // parts}")
    held_out = set(order[number % parts :: parts])
    return [item for item in order if item not in held_out], sorted(held_out)


def _across_templates(ids: list[str], number: int, split: _Split) -> Fold:
    templates = sorted({template_of(task_id) for task_id in ids})
    known, unknown = split(templates, "ball_cross_template_half_", number, 0.8)
    train, validation = _published(known, "dev_ball_cross_template_half_", number, 0.8)

    def members(chosen: list[str]) -> list[str]:
        return [task_id for task_id in ids if template_of(task_id) in chosen]

    return Fold(members(train), members(validation), members(unknown))


def _within_templates(ids: list[str], number: int, split: _Split) -> Fold:
    known: list[str] = []
    test: list[str] = []
    for template in sorted({template_of(task_id) for task_id in ids}):
        members = [task_id for task_id in ids if template_of(task_id) == template]
        first, rest = split(members, "ball_online_ind_tasks", number, 0.8)
        known += first
        test += rest
    train, validation = _published(known, "make_dev", number, 0.8)
    return Fold(sorted(train), sorted(validation), sorted(test))
