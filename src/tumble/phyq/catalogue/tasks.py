"""Tasks by id, their splits into training and test tasks, and selections by name.

A task is a level with an id, and the template and scenario that it belongs to. Splits are within a template (local)
or across the templates of a scenario (broad). A run is about the tasks of a setting, or of named scenarios, templates
and tasks.
"""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tumble.checks import is_a
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.template import Template, TemplateError
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates


@dataclass(frozen=True)
class Task:
    """A level to solve; user-defined levels have no template and no scenario."""

    id: str
    level: Level
    template: str = ""
    scenario: int = 0
    checked: bool = False
    """Whether it is known to be at rest, solvable by its template's rule, and not won by shots that ignore the rule."""


TASKS_PER_TEMPLATE = 100
"""Tasks of each template that belong to the benchmark; a template can make any number."""

_warned = False


class UncheckedTaskWarning(UserWarning):
    """A task that is drawn from its template without any check."""


def task(task_id: str) -> Task:
    """The task of an id: of the benchmark, or with a number from 100 on, then unchecked.

    Ids with a draw too, as in 6.4:104.2, are those of checked tasks from `phyq.make_tasks`.

    >>> found = task("6.4:017")
    >>> found.template, found.scenario, found.level.birds, found.checked
    ('6.4', 6, ('red',), True)
    """
    parts = re.fullmatch(r"(\d+\.\d+):(\d{1,9})(?:\.(\d{1,4}))?", task_id) if is_a(str, task_id) else None
    if not parts:
        raise TemplateError(f"no task {task_id!r}: an id is a template and a number, as in 6.4:017")
    design, number = template(parts[1]), int(parts[2])
    if parts[3] is not None:
        draw = int(parts[3])
        return Task(made_id(design, number, draw), design.draw(number, draw), design.id, design.scenario, checked=True)
    checked = number < TASKS_PER_TEMPLATE
    if not checked:
        _warn_once(design.task_id(number))
    return Task(design.task_id(number), design.level(number), design.id, design.scenario, checked)


def made_id(design: Template, number: int, draw: int) -> str:
    """The id of a made task: with the draw that was accepted."""
    return f"{design.task_id(number)}.{draw}"


def _warn_once(task_id: str) -> None:
    """Warns of the first unchecked task of this process."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"task {task_id} is unchecked, like all from number {TASKS_PER_TEMPLATE} on: it may have no solution, or be"
            " won by a direct shot; `tumble phyq generate` makes checked tasks",
            UncheckedTaskWarning,
            stacklevel=3,
        )


def task_ids(scenario: int | None = None, template_id: str | None = None) -> list[str]:
    """The ids of the benchmark's tasks: of a template, of a scenario, or all 7,500.

    >>> task_ids(scenario=14)[-1], len(task_ids())
    ('14.2:099', 7500)
    """
    if scenario is not None and scenario not in SCENARIOS:
        raise TemplateError(f"no scenario {scenario}; there are 1 to {len(SCENARIOS)}")
    designs = list(templates().values()) if template_id is None else [template(template_id)]
    if template_id is not None and scenario not in (None, designs[0].scenario):
        raise TemplateError(f"template {template_id} is of scenario {designs[0].scenario}, not {scenario}")
    return [
        design.task_id(number)
        for design in designs
        if scenario in (None, design.scenario)
        for number in range(TASKS_PER_TEMPLATE)
    ]


@lru_cache(maxsize=8192)
def cached_task(task_id: str) -> Task:
    """The task of an id; its level is built once."""
    return task(task_id)


TRAINING_TASKS = 80
"""Of each template, tasks 0 to 79 are for training and 80 to 99 for testing (published as 1 to 80 and 81 to 100)."""

TRAINING_TEMPLATES = {1: 3, 2: 3, 3: 3, 4: 3, 5: 3, 6: 3, 7: 3, 8: 2, 9: 2, 10: 2, 11: 3, 12: 3, 13: 3, 14: 1, 15: 4}
"""The number of training templates of each scenario, from its first on; the others are for testing (table 7)."""


@dataclass(frozen=True)
class Split:
    """Ids of training and test tasks."""

    train: list[str]
    test: list[str]


def local(template_id: str) -> Split:
    """Train on tasks of a template, test on its others.

    >>> split = local("6.4")
    >>> split.train[-1], split.test[0]
    ('6.4:079', '6.4:080')
    """
    design = template(template_id)
    return Split(
        [design.task_id(number) for number in range(TRAINING_TASKS)],
        [design.task_id(number) for number in range(TRAINING_TASKS, TASKS_PER_TEMPLATE)],
    )


def broad(scenario: int) -> Split:
    """Train on all tasks of some templates of a scenario, test on the test tasks of its others.

    >>> split = broad(14)
    >>> split.train[0], split.test[0]
    ('14.1:000', '14.2:080')
    """
    training, testing = broad_templates(scenario)
    return Split(
        [template(key).task_id(number) for key in training for number in range(TASKS_PER_TEMPLATE)],
        [task_id for key in testing for task_id in local(key).test],
    )


def broad_templates(scenario: int) -> tuple[list[str], list[str]]:
    """The training templates of a scenario, and its test templates."""
    if scenario not in SCENARIOS:
        raise TemplateError(f"no scenario {scenario!r}; there are 1 to {len(SCENARIOS)}")
    own = [key for key, design in templates().items() if design.scenario == scenario]
    first = TRAINING_TEMPLATES[scenario]
    return own[:first], own[first:]


def first_training_tasks(task_ids: Sequence[str], templates: int | None, tasks: int | None) -> list[str]:
    """The first tasks of each of the first templates, `tasks` and `templates` of them; None for all.

    >>> first_training_tasks(broad(3).train, templates=2, tasks=1)
    ['3.1:000', '3.2:000']
    """
    by_template: dict[str, list[str]] = {}
    for task_id in task_ids:
        by_template.setdefault(task_id.partition(":")[0], []).append(task_id)
    return [task_id for own in list(by_template.values())[:templates] for task_id in own[:tasks]]


SETTINGS = ("broad", "local", "tasks", "levels")
"""Test templates of scenarios after training on the others (the paper's table 7); test tasks of templates after
training on their other tasks; named tasks without training; or the levels of folders and files, likewise."""

MOST_NAMED = 6
"""Names of a selection that are listed in texts."""


def splits_of(setting: str, only: Sequence[str] = (), limit: int | None = None) -> list[Split]:
    """The training and test tasks of a setting, by scenario (broad) or template (local).

    `only` selects test tasks by the names of scenarios, templates and tasks; `limit` the first of each template.
    """
    named = named_tasks(only)
    if setting == "tasks":
        return [Split([], _first_of_each(named, limit))]
    selected = set(named)
    splits = [broad(number) for number in SCENARIOS] if setting == "broad" else [local(key) for key in templates()]
    parts = []
    for split in splits:
        test = [task_id for task_id in split.test if not only or task_id in selected]
        parts += [Split(split.train, _first_of_each(test, limit))] if test else []
    if not parts:
        raise TemplateError(f"none of {', '.join(only)} is a test task of the {setting} setting")
    return parts


def named_tasks(names: Sequence[str]) -> list[str]:
    """The ids of the tasks of scenarios ("3"), templates ("6.4"), tasks ("6.4:017") and ranges ("6.4:080-099").

    >>> named_tasks(["6.4:017", "6.4:003-005"])
    ['6.4:017', '6.4:003', '6.4:004', '6.4:005']
    """
    ids: list[str] = []
    for name in names:
        if ":" in name and "-" in name:
            ids += _tasks_of_range(name)
        elif ":" in name:
            ids.append(task(name).id)
        elif "." in name:
            ids += task_ids(template_id=template(name).id)
        elif name.isdigit():
            ids += task_ids(scenario=int(name))
        else:
            raise TemplateError(f"{name!r} is not a scenario, template or task, as in 3, 6.4 or 6.4:017")
    return list(dict.fromkeys(ids))


def _tasks_of_range(name: str) -> list[str]:
    """The ids of the tasks from a first to a last number."""
    key, _, numbers = name.partition(":")
    ends = numbers.split("-")
    if len(ends) != 2 or not all(end.isdigit() for end in ends) or int(ends[0]) > int(ends[1]):
        raise TemplateError(f"{name!r} is not a range of tasks, as in 6.4:080-099")
    return [template(key).task_id(number) for number in range(int(ends[0]), int(ends[1]) + 1)]


def _first_of_each(ids: Sequence[str], limit: int | None) -> list[str]:
    """The first tasks of each template, `limit` of them."""
    count: Counter[str] = Counter()
    kept = []
    for task_id in ids:
        key = task_id.partition(":")[0]
        count[key] += 1
        if limit is None or count[key] <= limit:
            kept.append(task_id)
    return kept


def selection_text(only: Sequence[str], separator: str = ", ") -> str:
    """The names of a selection, or how many there are if they are too many to list."""
    return separator.join(only) if len(only) <= MOST_NAMED else f"a selection of {len(only)}"
