"""Which tasks a run is about: those of a setting, or of named scenarios, templates and tasks."""

from collections import Counter
from collections.abc import Sequence

from tumble.phyq.tasks.catalogue import task, task_ids
from tumble.phyq.tasks.splits import Split, broad, local
from tumble.phyq.tasks.template import TemplateError
from tumble.phyq.tasks.templates import SCENARIOS, template, templates

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
            ids += _range(name)
        elif ":" in name:
            ids.append(task(name).id)
        elif "." in name:
            ids += task_ids(template_id=template(name).id)
        elif name.isdigit():
            ids += task_ids(scenario=int(name))
        else:
            raise TemplateError(f"{name!r} is not a scenario, template or task, as in 3, 6.4 or 6.4:017")
    return list(dict.fromkeys(ids))


def _range(name: str) -> list[str]:
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
