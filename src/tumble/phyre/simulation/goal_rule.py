"""The engine's rule for the goals of tasks."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

import numpy as np

from tumble.engine import Relation, Rule, relations, touching
from tumble.phyre.tasks.task import HOLD_STEPS, Task

RELATIONS = {
    "above": Relation.ABOVE,
    "below": Relation.BELOW,
    "left of": Relation.LEFT_OF,
    "right of": Relation.RIGHT_OF,
    "touching briefly": Relation.TOUCHING,
    "touching": Relation.TOUCHING,
    "inside": Relation.INSIDE,
    "not touching": Relation.NOT_TOUCHING,
    "not inside": Relation.NOT_INSIDE,
}
"""The engine's relations by their names in tasks."""


def goal_rule(tasks: Sequence[Task], task_of: np.ndarray) -> Rule:
    """The rule that decides worlds; `task_of` is int [world]: the index of each world's task."""
    used, rows = np.unique(task_of, return_inverse=True)
    goals = [tasks[index] for index in used]
    body, other = np.array([(task.body, task.other) for task in goals], np.int32).reshape(-1, 2)[rows].T
    reach = np.array([task.reach for task in goals], np.float32)[rows]
    if all(task.only_touching for task in goals):
        return touching(body, other, HOLD_STEPS, reach)
    relation = np.array([reduce(or_, (RELATIONS[name] for name in task.relations)) for task in goals], np.int32)
    hold, unbroken = np.array([(task.hold_steps, task.unbroken_steps) for task in goals], np.int32)[rows].T
    areas = [np.array(task.area) / task.scene.units_per_metre for task in goals if task.area]
    has_area = np.array([bool(task.area) for task in goals])
    area_of = np.where(has_area, np.cumsum(has_area) - 1, -1)
    return relations(body, other, relation[rows], hold, unbroken, reach, areas, area_of[rows])
