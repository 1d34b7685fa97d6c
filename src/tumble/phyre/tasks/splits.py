"""Which tasks to train, tune and test on: ten folds in each of four settings, pure functions of the task ids."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import md5

FOLDS = 10


@dataclass(frozen=True)
class Setting:
    """A tier and what has to be generalised: to unseen tasks of known templates, or to unseen templates."""

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
        """All that an agent may learn from before it is tested."""
        return sorted(self.train + self.validation)


def fold(setting: str, number: int, tasks: Iterable[str], balanced: bool = False) -> Fold:
    """A fold of the tasks (ids, or a dictionary by id) that belong to one tier.

    As published, some templates are never tested across templates and others often; with `balanced`, every template
    (or task, within templates) is tested in exactly two of the ten folds.
    """
    if setting not in SETTINGS:
        raise ValueError(f"no setting {setting!r}; there are {', '.join(SETTINGS)}")
    if not 0 <= number < FOLDS:
        raise ValueError(f"no fold {number}; there are 0 to {FOLDS - 1}")
    ids = sorted(tasks)
    choose = _across_templates if SETTINGS[setting].across_templates else _within_templates
    return choose(ids, number, _balanced if balanced else _published)


def template_of(task_id: str) -> str:
    """The template's part of a task id."""
    return task_id.split(":")[0]


def _ordered(items: Iterable[str], salt: str) -> list[str]:
    """Items in an order that looks random and hangs on nothing but their names and the salt."""
    return sorted(items, key=lambda item: md5(f"{item}{salt}".encode(), usedforsecurity=False).hexdigest())


_Chooser = Callable[[Iterable[str], str, int, float], tuple[list[str], list[str]]]


def _published(items: Iterable[str], salt: str, number: int, share: float) -> tuple[list[str], list[str]]:
    """The first part of the order that this fold has, and the rest."""
    order = _ordered(items, f"{salt}{number}")
    kept = round(len(order) * share)
    return order[:kept], order[kept:]


def _balanced(items: Iterable[str], salt: str, number: int, share: float) -> tuple[list[str], list[str]]:
    """All but one part of an order that several folds have in common, and that part."""
    parts = round(1.0 / (1.0 - share))
    order = _ordered(items, f"balanced_{salt}{number // parts}")
    chosen = set(order[number % parts :: parts])
    return [item for item in order if item not in chosen], sorted(chosen)


def _across_templates(ids: list[str], number: int, choose: _Chooser) -> Fold:
    templates = sorted({template_of(task_id) for task_id in ids})
    known, unknown = choose(templates, "ball_cross_template_half_", number, 0.8)
    train, validation = _published(known, "dev_ball_cross_template_half_", number, 0.8)

    def members(chosen: list[str]) -> list[str]:
        return [task_id for task_id in ids if template_of(task_id) in chosen]

    return Fold(members(train), members(validation), members(unknown))


def _within_templates(ids: list[str], number: int, choose: _Chooser) -> Fold:
    known: list[str] = []
    test: list[str] = []
    for template in sorted({template_of(task_id) for task_id in ids}):
        own = [task_id for task_id in ids if template_of(task_id) == template]
        first, rest = choose(own, "ball_online_ind_tasks", number, 0.8)
        known += first
        test += rest
    train, validation = _published(known, "make_dev", number, 0.8)
    return Fold(sorted(train), sorted(validation), sorted(test))
