"""Training and test tasks: within a template (local), and across the templates of a scenario (broad)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.template import TemplateError
from tumble.phyq.tasks.templates import SCENARIOS, template, templates

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
