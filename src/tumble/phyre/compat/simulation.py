"""What a simulated action gives: its status, pictures and features of objects."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.observation.view import FEATURES, KINDS
from tumble.phyre.simulation import status

SHAPES = ("BALL", "BAR", "JAR", "STANDINGSTICKS")
"""The names of `view.KINDS`."""
COLORS = ("RED", "GREEN", "BLUE", "PURPLE", "GRAY", "BLACK")
STATE = 3
"""Features that change with time: x, y and angle."""
FIRST_SHAPE = 4
FIRST_COLOR = FIRST_SHAPE + len(KINDS)


class SimulationStatus(IntEnum):
    """The status of an attempt; with `stable`, solved is one of the last two."""

    NOT_SOLVED = status.NOT_SOLVED
    INVALID_INPUT = status.INVALID
    SOLVED = status.SOLVED
    UNSTABLY_SOLVED = status.UNSTABLY_SOLVED
    STABLY_SOLVED = status.STABLY_SOLVED

    def is_solved(self) -> bool:
        """Whether the action solved the task, stably or not."""
        return self >= SimulationStatus.SOLVED

    def is_stably_solved(self) -> bool:
        return self is SimulationStatus.STABLY_SOLVED

    def is_not_solved(self) -> bool:
        """Whether the action was valid and did not solve the task."""
        return self is SimulationStatus.NOT_SOLVED

    def is_invalid(self) -> bool:
        return self is SimulationStatus.INVALID_INPUT


@dataclass(frozen=True, eq=False)
class FeaturizedObjects:
    """The features of a scene's objects over time; the balls that the user placed come last."""

    features: np.ndarray
    """float32 [steps, objects, 14]: x, y, angle, diameter, one-hot shape (4), one-hot colour (6).

    x and y of the centre of mass and the diameter are divided by 256, the angle by a full turn."""
    num_user_inputs: int = 0

    def __post_init__(self) -> None:
        if self.features.ndim != 3 or self.features.shape[2] != FEATURES:
            raise TumbleError(f"features must have the shape [steps, objects, {FEATURES}], not {self.features.shape}")

    @property
    def num_objects(self) -> int:
        return int(self.features.shape[1])

    @property
    def num_scene_objects(self) -> int:
        return self.num_objects - self.num_user_inputs

    @property
    def states(self) -> np.ndarray:
        """[steps, objects, (x, y, angle)]."""
        return self.features[:, :, :STATE]

    @property
    def xs(self) -> np.ndarray:
        """[steps, objects]."""
        return self.features[:, :, 0]

    @property
    def ys(self) -> np.ndarray:
        """[steps, objects]."""
        return self.features[:, :, 1]

    @property
    def angles(self) -> np.ndarray:
        """[steps, objects]: fractions of a full turn."""
        return self.features[:, :, 2]

    @property
    def diameters(self) -> np.ndarray:
        """[objects]."""
        return self.features[0, :, STATE]

    @property
    def shapes_one_hot(self) -> np.ndarray:
        """[objects, 4]."""
        return self.features[0, :, FIRST_SHAPE:FIRST_COLOR]

    @property
    def colors_one_hot(self) -> np.ndarray:
        """[objects, 6]."""
        return self.features[0, :, FIRST_COLOR:]

    @property
    def shapes(self) -> list[str]:
        """The name of each object's shape."""
        return [SHAPES[index] for index in self.shapes_one_hot.argmax(axis=1)]

    @property
    def colors(self) -> list[str]:
        """The name of each object's colour."""
        return [COLORS[index] for index in self.colors_one_hot.argmax(axis=1)]


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of an action; what was not asked for is None, and so is all but the status of an invalid action."""

    status: SimulationStatus
    images: np.ndarray | None = None
    """uint8 [steps, 256, 256]: colour indices, the bottom row first."""
    featurized_objects: FeaturizedObjects | None = None
