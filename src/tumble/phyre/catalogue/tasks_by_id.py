"""Tumble's tasks by id, a stored solution of each published one, and the folds to train, tune and test on.

There are ten folds in each of four settings, pure functions of the task ids. Each setting also has ten balanced
folds, which are ours: the same name with `_balanced` at its end. Solutions were found by
`benchmarks/data/phyre_solutions.py`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import md5
from importlib import resources
from pathlib import Path

import numpy as np

from tumble.checks import is_a, several, whole_number
from tumble.phyre.catalogue import templates
from tumble.phyre.catalogue.task import Task, TaskError, TemplateError, tier_named
from tumble.phyre.catalogue.templates import published_numbers, template
from tumble.scene.files import whole_file


def task(task_id: str) -> Task:
    """The task of an id like "00013:042", published or not.

    >>> task("00013:042").tier
    'B'
    """
    parts = re.fullmatch(r"(\w+):(\d{1,9})", task_id) if is_a(str, task_id) else None
    if not parts:
        raise TemplateError(f"no task {task_id!r}: an id is a template and a number, as in 00013:042")
    return template(parts[1]).task(int(parts[2]))


def task_ids(tier: str | None = None) -> list[str]:
    """The ids of the published tasks of a tier, or of both."""
    if tier is not None:
        tier_named(tier)
    return [
        f"{key}:{number:03d}"
        for key, numbers in published_numbers().items()
        if tier is None or template(key).tier == tier
        for number in numbers
    ]


def tasks(tier: str | None = None) -> dict[str, Task]:
    """The published tasks of a tier, or of both, by id."""
    return {task_id: task(task_id) for task_id in task_ids(tier)}


@lru_cache(maxsize=2)
def published_tasks(tier: str) -> dict[str, Task]:
    """The published tasks of a tier by id, built once per process."""
    return tasks(tier)


SOLUTIONS_FILE = "solutions.txt"
DIGITS = 4
"""Hexadecimal digits for each number of an action."""
MAX_CODE = 16**DIGITS - 1


def rounded_actions(actions: np.ndarray) -> np.ndarray:
    """Actions rounded to the precision of the file."""
    return np.asarray(np.rint(np.asarray(actions) * MAX_CODE) / MAX_CODE)


@cache
def solutions() -> dict[str, np.ndarray]:
    """An action [numbers] that solves the task stably, by task id; a few tasks may have none."""
    lines = resources.files("tumble.phyre").joinpath("data", SOLUTIONS_FILE).read_text(encoding="ascii").splitlines()
    return {task_id: _action_of_line(line) for task_id, line in zip(task_ids(), lines, strict=True) if line != "-"}


def solution(task_id: str) -> np.ndarray | None:
    """The stored solution of a task, or None.

    >>> solution("00000:000").round(3).tolist()
    [0.827, 0.641, 0.854]
    """
    return solutions().get(task_id)


def write_solutions(path: Path, actions: Mapping[str, np.ndarray]) -> None:
    """Writes the file: a line for each published task in order, "-" for tasks without a solution."""
    lines = [_solution_line(actions[task_id]) if task_id in actions else "-" for task_id in task_ids()]
    with whole_file(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="ascii")


def _solution_line(action: np.ndarray) -> str:
    return "".join(f"{round(float(number) * MAX_CODE):0{DIGITS}x}" for number in action)


def _action_of_line(line: str) -> np.ndarray:
    numbers = [int(line[k : k + DIGITS], 16) for k in range(0, len(line), DIGITS)]
    return np.asarray(np.array(numbers) / MAX_CODE)


FOLDS = 10


@dataclass(frozen=True)
class Setting:
    """A tier, and what an agent must generalise to: unseen tasks of known templates, or unseen templates."""

    tier: str
    across_templates: bool
    balanced: bool = False
    """Whether every template (or task, within templates) is tested in exactly two of the ten folds."""


SETTINGS = {
    "ball_cross_template": Setting("B", True),
    "ball_within_template": Setting("B", False),
    "two_balls_cross_template": Setting("2B", True),
    "two_balls_within_template": Setting("2B", False),
}
"""The published settings by name."""
BALANCED_SETTINGS = {f"{name}_balanced": replace(setting, balanced=True) for name, setting in SETTINGS.items()}
"""The same settings with balanced folds."""


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


def setting_named(name: str) -> Setting:
    """The setting of a name, as in ball_cross_template or ball_cross_template_balanced."""
    known = {**SETTINGS, **BALANCED_SETTINGS}
    if not is_a(str, name) or name not in known:
        raise TaskError(f"no setting {name!r}; there are {', '.join(SETTINGS)}, each also with _balanced at its end")
    return known[name]


def fold(setting: str, number: int, tasks: Iterable[str] | None = None, balanced: bool = False) -> Fold:
    """A fold of tasks (ids, or a dictionary by id) of the setting's tier; by default of its published tasks.

    In the published folds some templates are never tested across templates and others often; with `balanced`, or in a
    setting whose name ends in `_balanced`, every template (or task, within templates) is tested in exactly two of the
    ten folds.

    >>> part = fold("ball_cross_template", 0)
    >>> len(part.train), len(part.validation), len(part.test)
    (1600, 400, 500)
    """
    chosen = setting_named(setting)
    number = whole_number("fold", number, 0, FOLDS - 1, TaskError)
    ids = task_ids(chosen.tier) if tasks is None else _checked_ids(tasks, chosen.tier, setting)
    split = _across_templates if chosen.across_templates else _within_templates
    return split(sorted(ids), number, _balanced if balanced or chosen.balanced else _published)


def _checked_ids(tasks: Iterable[str], tier: str, setting: str) -> list[str]:
    """The ids of tasks; refuses those that are known to be of the other tier."""
    ids = list(several("tasks", tasks, '["00000:000"]', TaskError))
    wrong = next((task_id for task_id in ids if not is_a(str, task_id)), None)
    if wrong is not None:
        raise TaskError(f"tasks must be ids, as in 00000:000, or a dictionary by id, not {wrong!r}")
    twice = next((task_id for task_id, times in Counter(ids).items() if times > 1), None)
    if twice is not None:
        raise TaskError(f"task {twice} is given twice")
    known = {template_of(task_id) for task_id in ids} & templates.NAMES.keys()
    tiers = {key: templates.template(key).tier for key in known}
    for task_id in ids:
        task = tasks[task_id] if isinstance(tasks, Mapping) else None
        own = task.tier if isinstance(task, Task) else tiers.get(template_of(task_id), tier)
        if own != tier:
            raise TaskError(f"task {task_id} is of tier {own}, but setting {setting} needs tier {tier}")
    return ids


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
    for template_id in sorted({template_of(task_id) for task_id in ids}):
        members = [task_id for task_id in ids if template_of(task_id) == template_id]
        first, rest = split(members, "ball_online_ind_tasks", number, 0.8)
        known += first
        test += rest
    train, validation = _published(known, "make_dev", number, 0.8)
    return Fold(sorted(train), sorted(validation), sorted(test))
