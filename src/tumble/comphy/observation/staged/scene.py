"""What the kernels read of a batch of frames: bodies, their looks, meshes and trees, stages and floors.

Looks (shape, colour, material and pattern) and stages (colours, directions and lights that the seed decides) are
plain data, and rows for the device. The Warp module of these kernels (`KERNELS`) is apart from that of spheres,
cubes and cylinders, so that the pictures and the compile time of those stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.catalogue.video_set import FLOORS, Stage
from tumble.comphy.objects.shape import CATEGORIES
from tumble.comphy.observation.renderer.scene import METAL_DIFFUSE, METAL_EXPONENT, RGB, linear
from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.scene.warp_setup import silence_warp

silence_warp()

MAX_BODIES = 16
"""In one frame: sets of bodies are integers with one bit for each, two of which share 32 bits."""
ABSENT = -1
MAP_SIDE = 24
"""Texels along each side of the map of the sky's light on the floor around an object."""
LIGHT_RAYS = 12
"""Points of a light that shadow rays go to."""


@wp.struct
class BodyPose:
    """One body in one frame."""

    origin: wp.vec3
    """Of its mesh: the middle of its base."""
    rotation: wp.mat33
    """Its axes as rows."""
    center: wp.vec3
    """Of its bounding sphere and box."""
    half: wp.vec3
    """Half the size of its bounding box, along the world's axes."""
    radius: float
    """Of its bounding sphere."""
    mesh: int
    look: int
    """ABSENT if there is no such body."""


@wp.struct
class MeshRow:
    """Where the parts of a mesh are in the arrays of all meshes."""

    first_node: int
    leaves: int
    """The number of its leaves; the first of them is node number `leaves`, counted from 1."""
    first_leaf: int
    first_triangle: int
    first_texel: int
    map_half: float
    """Half the width of its floor map."""


@wp.struct
class LookRow:
    """The surface of a body."""

    diffuse: wp.vec3
    specular: wp.vec3
    """0 for all but metal."""
    pattern: int
    gloss: float
    """Of a clear coat: mirrored light of the surroundings, and the highlight."""
    offset: wp.vec3
    """Shifts the pattern, so that no two bodies have the same."""


@wp.struct
class StageRow:
    """A floor and the lights above it."""

    kind: int
    seed: int
    turn: wp.vec2
    """Cosine and sine of the floor pattern's direction."""
    offset: wp.vec2
    color_a: wp.vec3
    color_b: wp.vec3
    color_c: wp.vec3
    light: wp.vec3
    """Middle of the light that casts shadows."""
    light_radius: float
    light_square: float
    """Square of its distance from the middle of the floor, where its colour is measured."""
    light_color: wp.vec3
    sky: wp.vec3
    fill: wp.vec3
    fill_direction: wp.vec3
    bounce: wp.vec3
    """Light that the floor throws back at what faces it."""


@wp.struct
class Geometry:
    """All meshes of a batch, as rays need them. Warp copies structs at each call, so this one is small."""

    meshes: wp.array(dtype=MeshRow)
    boxes: wp.array(dtype=float)
    """Six for each node: lower and upper corner of its box."""
    starts: wp.array(dtype=int)
    """First triangle of each leaf, counted in its mesh, and the end of the last one."""
    corners: wp.array(dtype=wp.vec3)
    """Three for each triangle: the first corner, and the edges to the other two."""


@wp.struct
class Surfaces:
    """What is seen where a ray has met something."""

    looks: wp.array(dtype=LookRow)
    normals: wp.array2d(dtype=wp.vec3)
    """[triangle, 3]: at the corners."""
    open_sky: wp.array(dtype=wp.vec3)
    """[triangle]: share of the sky that the object itself leaves free, at each corner."""
    tints: wp.array(dtype=wp.vec2)
    """[triangle]: a factor of the colour, and the share of white mixed in."""
    maps: wp.array(dtype=float)
    """[texel]: share of the sky that an object leaves to the floor around it."""
    stages: wp.array(dtype=StageRow)
    light_points: wp.array2d(dtype=wp.vec3)
    """[stage, LIGHT_RAYS]: points of the light."""
    floor_direct: wp.array3d(dtype=wp.vec3)
    """[stage, height, width]: what the floor reflects of the light, linear, without shadows."""
    floor_ambient: wp.array3d(dtype=wp.vec3)
    """[stage, height, width]: what the floor reflects of the sky and the fill light."""
    empty: wp.array3d(dtype=wp.vec3ub)
    """[stage, height, width]: the picture of the floor without objects."""
    frame_stages: wp.array(dtype=int)
    """[frame]: its stage."""


def dtype_of(struct: Any) -> "np.dtype[np.void]":
    """The NumPy type of a Warp struct."""
    dtype: np.dtype[np.void] = struct.numpy_dtype()
    return dtype


BODY_POSE, MESH_ROW, LOOK_ROW, STAGE_ROW = (dtype_of(one) for one in (BodyPose, MeshRow, LookRow, StageRow))


MATERIALS = ("metal", "rubber")
PLAIN = "plain"
PATTERNS = ("wood", "ceramic", "painted")
GLOSS = {PLAIN: 0.0, "wood": 0.12, "ceramic": 1.0, "painted": 0.3}
CERAMIC_WHITE = 0.03
"""Share of white in the glaze of ceramics."""
ROLE_TINTS = {
    "handle": (0.8, 0.0),
    "legs": (0.75, 0.0),
    "lid": (0.92, 0.03),
    "cushions": (1.1, 0.05),
    "back": (0.9, 0.0),
    "shade": (1.0, 0.04),
    "bulb": (1.0, 0.85),
    "label": (1.0, 0.5),
    "cork": (0.55, 0.15),
    "grip": (0.6, 0.0),
    "base": (0.75, 0.0),
    "frame": (0.65, 0.0),
    "glass": (1.0, 0.25),
    "band": (1.0, 0.75),
}
"""Of the roles in a mesh: a factor of the colour, and the share of white mixed in; (1, 0) for all others."""


class LookError(TumbleError):
    """An unknown shape, colour, material or pattern."""


@dataclass(frozen=True)
class ObjectLook:
    """An object as it is seen: a category of objects, the seed of its form, and its surface.

    >>> ObjectLook("mug", 7, "red", "rubber", "ceramic").pattern
    'ceramic'
    """

    shape: str
    form: int | str
    """The seed of `objects.registry.build`."""
    color: str
    material: str = "rubber"
    pattern: str = PLAIN

    def __post_init__(self) -> None:
        known = (
            ("shape", CATEGORIES),
            ("color", tuple(RGB)),
            ("material", MATERIALS),
            ("pattern", (PLAIN, *PATTERNS)),
        )
        for name, values in known:
            if getattr(self, name) not in values:
                raise LookError(f"no {name} {getattr(self, name)!r}; there are {', '.join(values)}")


def look_row(look: ObjectLook) -> np.ndarray:
    """LookRow []: the surface of an object."""
    color = linear(np.array(RGB[look.color]) / 255.0)
    is_metal = look.material == "metal"
    row = np.zeros((), LOOK_ROW)
    row["diffuse"] = color * (METAL_DIFFUSE if is_metal else 1.0)
    if look.pattern == "ceramic":
        row["diffuse"] += CERAMIC_WHITE * (1.0 - row["diffuse"])
    row["specular"] = color**METAL_EXPONENT if is_metal else 0.0
    row["pattern"] = PATTERNS.index(look.pattern) + 1 if look.pattern in PATTERNS else 0
    row["gloss"] = GLOSS[look.pattern]
    draws = Draws(f"pattern of {look.shape} {look.form} {look.color}")
    row["offset"] = [draws.between(3.0, 9.0) for _ in range(3)]
    return row


GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)
RIM_POINTS, RIM, INNER = 5, 0.93, 0.82
"""The points of a light whose shadow rays are traced first are at its rim; radii of the rim and of the others."""
MAX_BOUNCE = 0.42

Rgb = tuple[int, int, int]
PALETTES: Mapping[str, tuple[tuple[Rgb, Rgb, Rgb], ...]] = {
    "planks": (
        ((122, 82, 50), (188, 140, 94), (0, 0, 0)),
        ((94, 62, 40), (148, 106, 72), (0, 0, 0)),
        ((160, 128, 92), (214, 186, 146), (0, 0, 0)),
    ),
    "marble": (
        ((226, 222, 214), (198, 194, 188), (122, 120, 122)),
        ((206, 196, 178), (180, 162, 138), (118, 92, 70)),
        ((82, 92, 88), (54, 66, 62), (176, 186, 178)),
    ),
    "concrete": (
        ((132, 131, 127), (172, 170, 164), (0, 0, 0)),
        ((148, 142, 132), (184, 178, 166), (0, 0, 0)),
        ((112, 116, 120), (150, 154, 158), (0, 0, 0)),
    ),
    "tiles": (
        ((206, 204, 196), (110, 134, 152), (128, 124, 116)),
        ((214, 204, 186), (168, 112, 82), (136, 128, 116)),
        ((200, 206, 204), (92, 112, 104), (120, 122, 118)),
    ),
    "carpet": (
        ((120, 50, 48), (52, 58, 84), (206, 182, 140)),
        ((54, 72, 100), (126, 60, 56), (204, 192, 160)),
        ((88, 92, 76), (124, 76, 58), (204, 188, 148)),
    ),
    "sand": (
        ((222, 196, 150), (186, 154, 108), (0, 0, 0)),
        ((214, 186, 154), (172, 138, 108), (0, 0, 0)),
        ((226, 212, 178), (194, 174, 134), (0, 0, 0)),
    ),
    "cloth": (
        ((228, 224, 214), (168, 62, 62), (96, 40, 44)),
        ((226, 226, 220), (72, 104, 156), (40, 56, 96)),
        ((228, 224, 208), (94, 128, 88), (52, 78, 54)),
    ),
    "metal": (
        ((112, 116, 122), (142, 146, 150), (204, 208, 212)),
        ((98, 100, 104), (128, 128, 130), (190, 192, 194)),
        ((120, 116, 110), (152, 146, 138), (206, 202, 194)),
    ),
    "grass": (
        ((70, 118, 38), (142, 172, 72), (34, 44, 20)),
        ((88, 122, 46), (166, 174, 86), (48, 46, 26)),
        ((54, 104, 44), (120, 160, 76), (28, 42, 22)),
    ),
}
"""Colours of each floor, in sRGB; the seed chooses."""


@dataclass(frozen=True, eq=False)
class StageRows:
    """A stage as the device gets it."""

    row: np.ndarray
    """StageRow []."""
    light_points: np.ndarray
    """float32 [LIGHT_RAYS, 3]: points of the light's disc, those at its rim first."""


@lru_cache(maxsize=256)
def stage_rows(stage: Stage) -> StageRows:
    """The rows of a stage."""
    draws = Draws(f"{stage.floor} {stage.light} {stage.seed}")
    palette = linear(np.array(draws.one_of(PALETTES[stage.floor])) / 255.0)
    palette = palette * draws.between(0.9, 1.1)
    row = np.zeros((), STAGE_ROW)
    row["kind"], row["seed"] = FLOORS.index(stage.floor), int(draws.between(0.0, 1.0e6))
    angle = draws.between(-0.6, 0.6)
    row["turn"] = np.cos(angle), np.sin(angle)
    row["offset"] = draws.between(20.0, 60.0), draws.between(20.0, 60.0)
    row["color_a"], row["color_b"], row["color_c"] = palette
    points = _light(row, stage.light, draws)
    total = row["light_color"] * (row["light"][2] / np.linalg.norm(row["light"])) + row["sky"] + 0.5 * row["fill"]
    row["bounce"] = np.minimum(0.9 * total * palette[:2].mean(axis=0), MAX_BOUNCE)
    return StageRows(row, points)


def _light(row: np.ndarray, kind: str, draws: Draws) -> np.ndarray:
    """Fills in the lights of a stage; returns points of the light that casts shadows."""
    side = draws.one_of((-1.0, 1.0))
    azimuth = draws.between(-0.5, 0.9)
    around = np.array([side * np.cos(azimuth), np.sin(azimuth)])
    if kind == "window":
        distance, elevation, radius = draws.between(6.0, 7.5), draws.between(0.72, 0.9), draws.between(0.85, 1.1)
        row["light_color"] = np.array([1.0, 0.98, 0.95]) * draws.between(0.95, 1.1)
        row["sky"], row["fill"] = (0.27, 0.29, 0.33), (0.16, 0.16, 0.17)
    elif kind == "lamp":
        distance, elevation, radius = draws.between(4.2, 5.0), draws.between(0.95, 1.1), draws.between(0.3, 0.4)
        row["light_color"] = np.array([1.12, 0.92, 0.66]) * draws.between(1.0, 1.15)
        row["sky"], row["fill"] = (0.22, 0.20, 0.19), (0.12, 0.12, 0.15)
    else:
        distance, elevation, radius = 40.0, draws.between(0.85, 1.1), draws.between(3.0, 4.0)
        row["light_color"] = np.array([1.0, 0.95, 0.86]) * draws.between(0.85, 1.0)
        row["sky"], row["fill"] = (0.36, 0.41, 0.49), (0.08, 0.09, 0.1)
    flat = distance * np.cos(elevation)
    light = np.array([*(flat * around), distance * np.sin(elevation)])
    row["light"], row["light_radius"], row["light_square"] = light, radius, distance * distance
    fill = np.array([-around[0], -0.7, 0.55])
    row["fill_direction"] = fill / np.linalg.norm(fill)
    return _disc(light, radius)


def _disc(middle: np.ndarray, radius: float) -> np.ndarray:
    """float32 [LIGHT_RAYS, 3]: points of a disc that faces the origin: its rim, and a Fibonacci spiral."""
    towards = middle / np.linalg.norm(middle)
    side = np.cross(towards, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side)
    inner = np.arange(LIGHT_RAYS - RIM_POINTS)
    reach = radius * np.concatenate([np.full(RIM_POINTS, RIM), INNER * np.sqrt((inner + 0.5) / len(inner))])
    angle = np.concatenate([2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS, 0.3 + inner * GOLDEN_ANGLE])
    flat = np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=-1)
    return np.asarray(middle + flat @ np.stack([side, np.cross(towards, side)]), np.float32)


KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})
