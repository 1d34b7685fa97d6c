"""What is rendered, and what kernels read of it: clips, rows of bodies, colours, and the camera's view.

All kernels of the renderer are in one Warp module (`KERNELS`): compiled as one, since much of the time goes into
Warp's headers. Bodies are one row for each body in each frame; linear light becomes bytes of sRGB by a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body, Motion
from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.observation.camera import Camera
from tumble.errors import TumbleError
from tumble.scene.warp_setup import silence_warp

RGB = {
    "gray": (87, 87, 87),
    "red": (173, 35, 35),
    "blue": (42, 75, 215),
    "green": (29, 105, 20),
    "brown": (129, 74, 25),
    "purple": (129, 38, 192),
    "cyan": (41, 208, 208),
    "yellow": (255, 238, 51),
}
"""CLEVR's colours, in sRGB."""


def linear(srgb: np.ndarray) -> np.ndarray:
    """sRGB from 0 to 1 to linear light."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def srgb_bytes(light: np.ndarray) -> np.ndarray:
    """Linear light (1 is white) to uint8 sRGB.

    >>> srgb_bytes(np.array([0.0, 0.18, 1.0, 2.0])).tolist()
    [0, 118, 255, 255]
    """
    light = np.clip(light, 0.0, 1.0)
    srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.rint(255.0 * srgb).astype(np.uint8)


silence_warp()

ABSENT, SPHERE, CUBE, CYLINDER = -1, 0, 1, 2
SHAPE_CODES = {"sphere": SPHERE, "cube": CUBE, "cylinder": CYLINDER}
BOUNDING_RADII = {
    "sphere": RADIUS,
    "cube": 3.0**0.5 * CUBE_HALF_SIZE,
    "cylinder": (RADIUS**2 + CYLINDER_HALF_HEIGHT**2) ** 0.5,
}
MAX_BODIES = 16
"""In one frame: sets of bodies are integers with one bit for each, two of which share 32 bits."""


@wp.struct
class BodyRow:
    """One body in one frame."""

    center: wp.vec3
    rotation: wp.mat33
    """Its axes as rows."""
    diffuse: wp.vec3
    """Diffuse colour, linear."""
    specular: wp.vec3
    """Specular colour, linear; 0 for rubber."""
    shape: int
    bounding_radius: float


BODY_ROW: np.dtype[np.void] = BodyRow.numpy_dtype()  # type: ignore[attr-defined]


METAL_DIFFUSE = 0.06
"""Diffuse reflection of metal, relative to rubber of the same colour."""
METAL_EXPONENT = 0.7
"""Specular colour of metal: colour ** METAL_EXPONENT, so that dark metals still mirror something."""

FAR_BELOW = (0.0, 0.0, -1.0e6)
"""Position of absent bodies, out of reach of all rays."""


class ClipError(TumbleError):
    """Bodies and motion that don't fit together."""


@dataclass(frozen=True, eq=False)
class Clip:
    """Some bodies and their positions in each frame."""

    bodies: tuple[Body, ...]
    positions: np.ndarray
    """[frame, body, 3]: their centres."""
    orientations: np.ndarray
    """[frame, body, 4]: unit quaternions, the real part first."""

    def __post_init__(self) -> None:
        frames, count = len(self.positions), len(self.bodies)
        if count > MAX_BODIES:
            raise ClipError(f"there may be up to {MAX_BODIES} bodies, not {count}")
        for name, width in (("positions", 3), ("orientations", 4)):
            shape = np.shape(getattr(self, name))
            if shape != (frames, count, width):
                raise ClipError(f"{name} of {count} bodies must be [frame, {count}, {width}], not {list(shape)}")
            if not np.isfinite(getattr(self, name)).all():
                raise ClipError(f"{name} must be finite")

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.positions)


def clip_of(bodies: tuple[Body, ...], motion: Motion, frames: slice = slice(None)) -> Clip:
    """The clip of a motion, or of some of its frames."""
    return Clip(bodies, motion.positions[frames], motion.orientations[frames])


def body_rows(clips: Sequence[Clip]) -> np.ndarray:
    """BodyRow [frame, body]: the frames of all clips in sequence, padded with absent bodies to the widest clip."""
    frames = [clip.frames for clip in clips]
    shape = sum(frames), max((len(clip.bodies) for clip in clips), default=0) or 1
    looks = np.full((len(clips), shape[1], 3), -1)
    positions, orientations = np.zeros((*shape, 3)), np.zeros((*shape, 4))
    first = 0
    for number, clip in enumerate(clips):
        part = slice(first, first + clip.frames), slice(len(clip.bodies))
        first += clip.frames
        looks[number, part[1]] = [_look_code(body) for body in clip.bodies] or np.empty((0, 3))
        positions[part], orientations[part] = clip.positions, clip.orientations
    return look_rows(np.repeat(looks, frames, axis=0), positions, orientations)


def look_rows(looks: np.ndarray, positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """BodyRow [frame, body] of bodies that look different in every frame.

    Looks are int [frame, body, 3], indices in COLORS, MATERIALS and SHAPES, and below 0 for an absent body; positions
    are [frame, body, 3] and orientations [frame, body, 4].
    """
    rows = _look_table()[tuple(np.moveaxis(np.maximum(looks, 0), -1, 0))]
    rows["center"] = positions
    rows["rotation"] = rotation_matrices(orientations)
    rows[looks[..., 0] < 0] = _absent_row()
    return rows


@cache
def _absent_row() -> np.ndarray:
    """BodyRow: a body out of reach of all rays."""
    row = np.zeros((), BODY_ROW)
    row["shape"], row["center"] = ABSENT, FAR_BELOW
    return row


@cache
def _look_code(body: Body) -> tuple[int, int, int]:
    """Indices in COLORS, MATERIALS and SHAPES."""
    if body.shape not in SHAPES:
        raise ClipError(f"a {body.shape} is rendered on a stage: see `observation.clips.clip_on`")
    return COLORS.index(body.color), MATERIALS.index(body.material), SHAPES.index(body.shape)


@cache
def _look_table() -> np.ndarray:
    """BodyRow [colour, material, shape], without places."""
    table = np.zeros((len(COLORS), len(MATERIALS), len(SHAPES)), BODY_ROW)
    for at in np.ndindex(table.shape):
        for name, value in _look(Body(COLORS[at[0]], MATERIALS[at[1]], SHAPES[at[2]])).items():
            table[name][at] = value
    return table


def _look(body: Body) -> dict[str, np.ndarray | float]:
    """The fields of a row that depend on how a body looks."""
    color = linear(np.array(RGB[body.color]) / 255.0)
    is_metal = body.material == "metal"
    return {
        "shape": SHAPE_CODES[body.shape],
        "bounding_radius": BOUNDING_RADII[body.shape],
        "diffuse": color * (METAL_DIFFUSE if is_metal else 1.0),
        "specular": color**METAL_EXPONENT if is_metal else np.zeros(3),
    }


def rotation_matrices(orientations: np.ndarray) -> np.ndarray:
    """[..., 4] unit quaternions, the real part first, to [..., 3, 3] matrices with the body's axes as rows."""
    w, x, y, z = np.moveaxis(np.asarray(orientations, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (1, 0), (-2, -1))


Size = tuple[int, int]
"""Width and height in pixels."""
MAX_SIDE = 8192


class SizeError(TumbleError):
    """A size or a camera that can't be rendered."""


@wp.struct
class View:
    """The rays of a camera, and its projection in double precision."""

    eye: wp.vec3
    forward: wp.vec3
    corner: wp.vec3
    """Towards the picture's upper left corner."""
    across: wp.vec3
    """Change of direction for each pixel to the right."""
    down: wp.vec3
    """Change of direction for each pixel downwards."""
    position: wp.vec3d
    """The eye."""
    axes: wp.mat33d
    """Unit vectors to the right, up and forward, as rows."""
    zoom: wp.float64
    """Focal length divided by the sensor's width."""
    aspect: wp.float64
    width: int
    height: int


def view_of(camera: Camera, size: Size) -> Any:
    """The `View` of a camera."""
    if any(int(side) != side for side in size) or min(size) < 1 or max(size) > MAX_SIDE:
        limits = f"1x1 to {MAX_SIDE}x{MAX_SIDE}"
        raise SizeError(f"a picture must be from {limits} pixels, not {'x'.join(map(str, size))}")
    width, height = size
    right, up, forward = camera.axes
    across = right * camera.sensor_width / camera.focal_length
    down = -up * camera.sensor_width / camera.focal_length / camera.aspect
    corner = forward - 0.5 * across - 0.5 * down
    highest = max(corner[2], (corner + across)[2])
    if camera.position[2] <= 0.0 or highest > -0.01:
        raise SizeError("the camera must look down far enough that the table fills the picture")
    view = View()
    view.eye, view.forward, view.corner = wp.vec3(*camera.position), wp.vec3(*forward), wp.vec3(*corner)
    view.across, view.down = wp.vec3(*(across / width)), wp.vec3(*(down / height))
    view.position, view.axes = wp.vec3d(*camera.position), wp.mat33d(*camera.axes.reshape(-1))
    view.zoom, view.aspect = camera.focal_length / camera.sensor_width, camera.aspect
    view.width, view.height = width, height
    return view


@wp.func
def ray(view: View, x: float, y: float) -> wp.vec3:
    return wp.normalize(view.corner + view.across * x + view.down * y)


@wp.func
def project(view: View, point: wp.vec3d) -> wp.vec3d:
    """The pixel at which a point is seen, as x and y, and its depth along the view, as `Camera.project` gives them."""
    seen = view.axes @ (point - view.position)
    scale = view.zoom / wp.max(seen[2], wp.float64(1.0e-9))
    half = wp.float64(0.5)
    x = (half + seen[0] * scale) * wp.float64(view.width)
    y = (half - seen[1] * scale * view.aspect) * wp.float64(view.height)
    return wp.vec3d(x, y, seen[2])


LAST_INDEX = 4095
"""Of the table, whose index is proportional to the square root of the light."""
SCALE = wp.constant(float(LAST_INDEX))


def srgb_table() -> np.ndarray:
    """uint8 [index]: sRGB of the light (index / LAST_INDEX) ** 2."""
    return srgb_bytes((np.arange(LAST_INDEX + 1) / LAST_INDEX) ** 2)


@wp.func
def srgb_byte(table: wp.array(dtype=wp.uint8), light: float) -> wp.uint8:
    return table[int(wp.sqrt(wp.clamp(light, 0.0, 1.0)) * SCALE + 0.5)]


@wp.func
def srgb_pixel(table: wp.array(dtype=wp.uint8), light: wp.vec3) -> wp.vec3ub:
    return wp.vec3ub(srgb_byte(table, light[0]), srgb_byte(table, light[1]), srgb_byte(table, light[2]))


@dataclass(frozen=True, eq=False)
class Frames:
    """The pictures of one clip, with a mask and the depth of each pixel."""

    rgb: np.ndarray
    """uint8 [frame, height, width, 3], sRGB."""
    mask: np.ndarray
    """uint8 [frame, height, width]: 0 for the table, k + 1 for body k."""
    depth: np.ndarray
    """float32 [frame, height, width]: distance along the view direction."""


KERNELS = wp.get_module(__name__)
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

BLOCK = 128
"""Threads in a GPU block."""
BLOCKS_PER_MULTIPROCESSOR = 4
"""Blocks that must fit; without a limit, kernels that trace rays use too many registers for more than 3."""
RAY_KERNEL = {"launch_bounds": (BLOCK, BLOCKS_PER_MULTIPROCESSOR), "grid_stride": False}
"""Options of a kernel that traces rays on a GPU."""
