"""Solutions carried over to another task (`solution_memory.py`): the actions there, and where they come from."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Carried:
    """Actions on a task."""

    actions: np.ndarray
    """float [n, numbers]."""
    landings: np.ndarray
    """str [n, ball]: the kinds of bodies that the balls fell onto in the tasks that they come from."""
    goals: np.ndarray
    """str [n]: what the goals of these tasks are about."""
    scene_kinds: np.ndarray
    """str [n]: the kinds of their bodies."""
    task_ids: np.ndarray
    """str [n]: these tasks."""
    was_moved: np.ndarray
    """bool [n]: whether a ball had to be moved into the scene."""
    by_kind: np.ndarray
    """bool [n]: whether the bodies correspond by kind and not by role."""

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: np.ndarray | slice) -> "Carried":
        """Some of them."""
        return Carried(*(getattr(self, part.name)[rows] for part in fields(Carried)))


def joined(some: Iterable[Carried]) -> Carried:
    """All of some."""
    every = list(some)
    return Carried(*(np.concatenate([getattr(one, part.name) for one in every]) for part in fields(Carried)))
