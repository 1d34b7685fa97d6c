"""The kinds of worlds that sets are made in: which objects there are and what they are called; times and sizes.

Times and sizes are those of the published data. Lengths are in units of the simulation.
"""

from dataclasses import dataclass

from tumble.comphy.objects.shape import CATEGORIES
from tumble.errors import TumbleError

COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")


class WorldError(TumbleError):
    """There is no such world."""


@dataclass(frozen=True)
class ObjectWorld:
    """A kind of world. No shape belongs to two of them, so the bodies of a set tell its world."""

    name: str
    shapes: tuple[str, ...]
    materials: tuple[str, ...]
    physics: str
    """To be changed with anything that changes the motion of its objects."""
    colors: tuple[str, ...] = COLORS
    options: int | None = None
    """Of every question that can have that many; None for the published numbers, which differ by split."""
    one_correct: bool = False
    """Whether of two options exactly one is correct."""
    forms: int = 1
    """Variations of a shape, numbered from 0 (`Body.form`)."""
    has_stages: bool = False
    """Whether each set has a stage of its own, instead of the gray table."""


PLAIN = ObjectWorld("plain", ("cube", "sphere", "cylinder"), ("rubber", "metal"), "comphy-2")
DIV = ObjectWorld(
    "div",
    CATEGORIES,
    ("rubber", "metal", "wood", "ceramic", "painted"),
    "comphy-div-1",
    options=2,
    one_correct=True,
    forms=1000,
    has_stages=True,
)
WORLDS = {world.name: world for world in (PLAIN, DIV)}
_WORLD_OF_SHAPE = {shape: world for world in WORLDS.values() for shape in world.shapes}
ALL_SHAPES = tuple(_WORLD_OF_SHAPE)
ALL_MATERIALS = tuple(dict.fromkeys(material for world in WORLDS.values() for material in world.materials))


def named_world(name: str) -> ObjectWorld:
    """The world of this name.

    >>> named_world("div").materials
    ('rubber', 'metal', 'wood', 'ceramic', 'painted')
    """
    if name not in WORLDS:
        raise WorldError(f"no world {name!r}; there are {', '.join(WORLDS)}")
    return WORLDS[name]


def world_of_physics(physics: str) -> ObjectWorld:
    """The world of a physics id, whatever its version; the plain one if no world has such ids.

    >>> world_of_physics("comphy-div-0").name, world_of_physics("comphy-1").name
    ('div', 'plain')
    """
    stem = physics.rpartition("-")[0]
    return next((world for world in WORLDS.values() if world.physics.rpartition("-")[0] == stem), PLAIN)


def world_of(shape: str) -> ObjectWorld:
    """The world that a shape belongs to.

    >>> world_of("teapot").name, world_of("cube").name
    ('div', 'plain')
    """
    if shape not in _WORLD_OF_SHAPE:
        raise WorldError(f"no shape {shape!r}; there are {', '.join(ALL_SHAPES)}")
    return _WORLD_OF_SHAPE[shape]


STEPS_PER_SECOND = 250
FRAMES_PER_SECOND = 25
STEPS_PER_FRAME = STEPS_PER_SECOND // FRAMES_PER_SECOND
SHOWN_FRAMES = 125
"""Frames of a target that are shown: five seconds."""
TARGET_FRAMES = 175
"""Frames of a target that are simulated: two more seconds, for questions about what will happen."""
REFERENCE_FRAMES = 50
REFERENCE_COUNT = 4
RADIUS = 0.2
"""Of spheres and cylinders."""
CUBE_HALF_SIZE = 0.2
CYLINDER_HALF_HEIGHT = 0.2
OBJECT_POINT = 0.2
"""Height of the point that stands for an object of the div world: it is above or below its centre of mass."""
HALF_HEIGHTS = {
    "sphere": RADIUS,
    "cube": CUBE_HALF_SIZE,
    "cylinder": CYLINDER_HALF_HEIGHT,
    **dict.fromkeys(DIV.shapes, OBJECT_POINT),
}
"""Height of each shape's centre above the table."""
