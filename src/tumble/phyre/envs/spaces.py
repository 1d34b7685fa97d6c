"""Observations of tasks, and the spaces of observations and actions."""

from typing import Any

import numpy as np
from gymnasium import Space, spaces

from tumble.envs import EnvError
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import SIZE
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import Tier
from tumble.scene import Scene

OBSERVATIONS = ("pixels", "objects", "both")
_SIDE = int(SIZE)
_MAX_LENGTH = 4.0
"""Bound of x, y and diameters of objects, in widths of the scene; far beyond those of any published task."""


def action_space(tier: Tier) -> spaces.Box:
    """x, y and radius of each ball, from 0 to 1."""
    # Double precision, as the benchmark's actions; arrays in single precision belong to this space as well.
    return spaces.Box(0.0, 1.0, (tier.numbers,), np.float64)


def observation_space(observation: str) -> Space[Any]:
    """The space of `observation_of`."""
    if observation not in OBSERVATIONS:
        raise EnvError(f"no observation {observation!r}; there are {', '.join(OBSERVATIONS)}")
    pixels = spaces.Box(0, view.COLOURS - 1, (_SIDE, _SIDE), np.uint8)
    low, high = np.zeros((2, view.MAX_OBJECTS, view.FEATURES), np.float32)
    high[:] = 1.0
    low[:, :2] = -_MAX_LENGTH
    high[:, [0, 1, 3]] = _MAX_LENGTH
    objects = {
        "objects": spaces.Box(low, high, dtype=np.float32),
        "mask": spaces.MultiBinary(view.MAX_OBJECTS),
    }
    if observation == "pixels":
        return pixels
    return spaces.Dict(objects if observation == "objects" else {"pixels": pixels, **objects})


def observation_of(task: Task, observation: str) -> Any:
    """A task's scene before any action, as `observation_at` shows it."""
    return observation_at(task.scene, None, observation)


def observation_at(scene: Scene, poses: np.ndarray | None, observation: str) -> Any:
    """A scene at poses [bodies, 3] (None: the start), as colour indices, as features of its objects, or as both.

    Features are padded with zeros to 64 rows; `mask` is 1 for rows that are objects, 0 for those that are absent.
    """
    if observation == "pixels":
        return view.picture(scene, poses)
    table, real = view.padded(view.features(scene, poses))
    objects = {"objects": table, "mask": real.astype(np.int8)}
    return objects if observation == "objects" else {"pixels": view.picture(scene, poses), **objects}
