"""Clips to render, and their bodies as rows for the device."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tumble.comphy.observation.renderer.body_row import ABSENT, BODY_ROW, BOUNDING_RADII, MAX_BODIES, SHAPE_CODES
from tumble.comphy.observation.renderer.colors import RGB, linear
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.tasks.motion import Motion
from tumble.errors import TumbleError

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
