"""What a simulated action gives: status, pictures and features of objects; and pictures drawn from features.

Features are as the original defines them: positions are those of centres of mass.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tumble.engine.state.geometry import inverse_mass, polygon_mass
from tumble.errors import TumbleError
from tumble.phyre.catalogue.template import SIZE, THICKNESS, bar, jar, sticks
from tumble.phyre.observation import view
from tumble.phyre.observation.view import FEATURES, KINDS
from tumble.phyre.simulation import status
from tumble.scene import Body, Circle, Polygon, Scene, Shape

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


def featurize(scene: Scene, features: np.ndarray, placed: int) -> FeaturizedObjects:
    """Features [steps, objects, 14] of `view.features`, with positions moved from bodies' origins to their centres.

    `placed` is the number of balls that the user placed, the scene's last bodies.
    """
    moved = features.copy()
    for k, index in enumerate(view.objects(scene)):
        x, y = centre_of_mass(scene.bodies[index])
        if x or y:
            angle = 2.0 * math.pi * features[:, k, 2]
            c, s = np.cos(angle), np.sin(angle)
            moved[:, k, 0] += (x * c - y * s) / scene.width
            moved[:, k, 1] += (x * s + y * c) / scene.width
    return FeaturizedObjects(moved, placed)


def initial_objects(scene: Scene) -> FeaturizedObjects:
    """The objects of a scene at its start."""
    return featurize(scene, view.features(scene)[None], 0)


def centre_of_mass(body: Body) -> tuple[float, float]:
    """x and y of the centre of mass in pixels from the body's origin; only a jar's is elsewhere than its origin."""
    if view.kind(body) != "jar":
        return 0.0, 0.0
    outlines = [np.array(shape.vertices, np.float32) for shape in body.shapes if isinstance(shape, Polygon)]
    _, _, x, y = inverse_mass([polygon_mass(outline, np.float32(1.0)) for outline in outlines])
    return float(x), float(y)


JAR_DIAMETER = 1.25
"""The diameter of a jar over its height: from a corner of its rim to the opposite corner of its base."""

_RASTER_LOOKS = (("placed", True), ("object", True), ("subject", True), ("subject", False), ("", True), ("", False))
"""Role and dynamic of a body of each colour."""
_RASTER_SHAPES: tuple[Callable[[float], tuple[Shape, ...]], ...] = (
    lambda diameter: (Circle(diameter / 2.0),),
    lambda diameter: bar(_bar_length(diameter)).shapes,
    lambda diameter: jar(diameter / JAR_DIAMETER / SIZE).shapes,
    lambda diameter: sticks(_bar_length(diameter)).shapes,
)
"""The shapes of a body of each kind, given its diameter in pixels."""


def featurized_objects_vector_to_raster(features: np.ndarray) -> np.ndarray:
    """uint8 [256, 256]: the colour indices of objects with features [objects, 14], the bottom row first.

    Features of one step, [1, objects, 14], work as well.
    """
    table = np.asarray(features, float)
    table = table[0] if table.ndim == 3 and len(table) == 1 else table
    if table.ndim != 2 or table.shape[1] != view.FEATURES:
        raise TumbleError(f"features must have the shape [objects, {view.FEATURES}], not {list(np.shape(features))}")
    return np.ascontiguousarray(view.picture(Scene(tuple(_body_with_features(row) for row in table)))[::-1])


def _body_with_features(row: np.ndarray) -> Body:
    """A body with these features [14]."""
    x, y, angle, diameter = (float(value) for value in row[:FIRST_SHAPE] * (SIZE, SIZE, 2.0 * math.pi, SIZE))
    shapes = _RASTER_SHAPES[int(row[FIRST_SHAPE:FIRST_COLOR].argmax())](diameter)
    role, dynamic = _RASTER_LOOKS[int(row[FIRST_COLOR:].argmax())]
    u, v = centre_of_mass(Body(shapes))
    c, s = math.cos(angle), math.sin(angle)
    return Body(shapes, (x - u * c + v * s, y - u * s - v * c), angle, role=role, dynamic=dynamic)


def _bar_length(diameter: float) -> float:
    """The length of a bar in scene units, given its diagonal in pixels."""
    return math.sqrt(max(diameter**2 - THICKNESS**2, 1.0)) / SIZE
