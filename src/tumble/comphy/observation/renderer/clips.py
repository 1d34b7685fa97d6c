"""Clips to render, and their bodies as rows for the device."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.observation.renderer.colors import RGB, linear
from tumble.comphy.observation.renderer.rays import ABSENT, BODY_ROW, ENCLOSING, SHAPE_CODES
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.motion import Motion

METAL_MATT = 0.22
"""How much metal scatters of what rubber of its colour does."""
METAL_MIRROR, METAL_DEPTH = 0.95, 0.62
"""The mirror's tint is so much of the linear colour to this power: dark metals still show something."""

MOST_BODIES = 16
FAR_BELOW = (0.0, 0.0, -1.0e6)
"""Where absent bodies are: no ray and no shade gets there."""


class ClipError(ValueError):
    """Bodies and motion that don't fit together."""


@dataclass(frozen=True, eq=False)
class Clip:
    """Some bodies, and where they are in each frame."""

    bodies: tuple[Body, ...]
    positions: np.ndarray
    """[frame, body, 3]: their middles."""
    orientations: np.ndarray
    """[frame, body, 4]: unit quaternions, the real part first."""

    def __post_init__(self) -> None:
        frames, count = len(self.positions), len(self.bodies)
        if count > MOST_BODIES:
            raise ClipError(f"there may be up to {MOST_BODIES} bodies, not {count}")
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


def rows_of(clips: Sequence[Clip]) -> np.ndarray:
    """BodyRow [frame, body]: the frames of all clips one after the other, each as wide as the widest."""
    width = max((len(clip.bodies) for clip in clips), default=0)
    rows = np.zeros((sum(clip.frames for clip in clips), max(width, 1)), BODY_ROW)
    rows["shape"] = ABSENT
    rows["center"] = FAR_BELOW
    first = 0
    for clip in clips:
        own = rows[first : first + clip.frames, : len(clip.bodies)]
        first += clip.frames
        own["center"] = clip.positions
        own["turn"] = turns(clip.orientations)
        for k, body in enumerate(clip.bodies):
            srgb = np.array(RGB[body.color]) / 255.0
            is_metal = body.material == "metal"
            own["shape"][:, k] = SHAPE_CODES[body.shape]
            own["reach"][:, k] = ENCLOSING[body.shape]
            own["color"][:, k] = linear(srgb) * (METAL_MATT if is_metal else 1.0)
            own["tint"][:, k] = METAL_MIRROR * linear(srgb) ** METAL_DEPTH if is_metal else 0.0
    return rows


def turns(orientations: np.ndarray) -> np.ndarray:
    """[..., 4] unit quaternions, real part first, to [..., 3, 3] matrices with the body's axes as rows."""
    w, x, y, z = np.moveaxis(np.asarray(orientations, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (1, 0), (-2, -1))
