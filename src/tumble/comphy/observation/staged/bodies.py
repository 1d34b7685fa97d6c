"""Bodies of a set as objects on its stage."""

import numpy as np

from tumble.comphy.observation.staged.clip import StagedClip
from tumble.comphy.observation.staged.look import PATTERNS, PLAIN, ObjectLook
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import OBJECT_POINT
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.stage import Stage


def look_of(body: Body) -> ObjectLook:
    """How a body looks: materials other than metal and rubber are patterns.

    >>> look_of(Body("red", "wood", "chair", form=7))
    ObjectLook(shape='chair', form=7, color='red', material='rubber', pattern='wood')
    """
    material = "metal" if body.material == "metal" else "rubber"
    pattern = body.material if body.material in PATTERNS else PLAIN
    return ObjectLook(body.shape, body.form, body.color, material, pattern)


def staged_clip_of(bodies: tuple[Body, ...], motion: Motion, stage: Stage, frames: slice = slice(None)) -> StagedClip:
    """The clip of a motion on a stage, or of some of its frames.

    The place of a body is its centre of mass in plan, at a fixed height; that of a mesh is on the floor below it.
    """
    places = motion.positions[frames] - np.array([0.0, 0.0, OBJECT_POINT])
    return StagedClip(tuple(map(look_of, bodies)), places, motion.orientations[frames], stage)
