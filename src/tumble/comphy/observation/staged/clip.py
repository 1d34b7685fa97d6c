"""Clips of objects on a stage, and frames of several clips as one batch for the device."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.comphy.observation.renderer.clips import ClipError, rotation_matrices
from tumble.comphy.observation.staged.look import ObjectLook, look_row
from tumble.comphy.observation.staged.mesh import Form, prepared
from tumble.comphy.observation.staged.scene import ABSENT, BODY_POSE, LOOK_ROW, MAX_BODIES
from tumble.comphy.tasks.stage import Stage

FAR_AWAY = (1.0e6, 1.0e6, -1.0e6)
"""Position of absent bodies, out of reach of all rays."""


@dataclass(frozen=True, eq=False)
class StagedClip:
    """Some objects, their positions in each frame, and the stage that they stand on."""

    looks: tuple[ObjectLook, ...]
    positions: np.ndarray
    """[frame, object, 3]: the middle of their base, the origin of their meshes."""
    orientations: np.ndarray
    """[frame, object, 4]: unit quaternions, the real part first."""
    stage: Stage

    def __post_init__(self) -> None:
        frames, count = len(self.positions), len(self.looks)
        if count > MAX_BODIES:
            raise ClipError(f"there may be up to {MAX_BODIES} objects, not {count}")
        for name, width in (("positions", 3), ("orientations", 4)):
            shape = np.shape(getattr(self, name))
            if shape != (frames, count, width):
                raise ClipError(f"{name} of {count} objects must be [frame, {count}, {width}], not {list(shape)}")
            if not np.isfinite(getattr(self, name)).all():
                raise ClipError(f"{name} must be finite")

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.positions)

    def part(self, frames: slice) -> "StagedClip":
        """Some of the frames."""
        return StagedClip(self.looks, self.positions[frames], self.orientations[frames], self.stage)


@dataclass(frozen=True, eq=False)
class Batch:
    """The frames of some clips, one after the other."""

    poses: np.ndarray
    """BodyPose [frame, object], padded with absent objects to the widest clip."""
    frame_stages: np.ndarray
    """int32 [frame]: indices of `stages`."""
    forms: tuple[Form, ...]
    """The meshes that are needed."""
    looks: tuple[ObjectLook, ...]
    stages: tuple[Stage, ...]

    def __len__(self) -> int:
        return len(self.poses)


def batch_of(clips: Sequence[StagedClip], device: Any) -> Batch:
    """The batch of all frames of clips; meshes are prepared on a device where they are needed first."""
    looks = tuple(dict.fromkeys(look for clip in clips for look in clip.looks))
    forms = tuple(dict.fromkeys((look.shape, look.form) for look in looks))
    stages = tuple(dict.fromkeys(clip.stage for clip in clips))
    look_of, form_of = ({one: k for k, one in enumerate(many)} for many in (looks, forms))
    width = max((len(clip.looks) for clip in clips), default=0) or 1
    poses = np.full((sum(clip.frames for clip in clips), width), _absent(), BODY_POSE)
    first = 0
    for clip in clips:
        rows = poses[first : first + clip.frames, : len(clip.looks)]
        first += clip.frames
        for k, look in enumerate(clip.looks):
            form = look.shape, look.form
            mesh = prepared(form, device)
            turned = rotation_matrices(clip.orientations[:, k])
            row = rows[:, k]
            row["origin"], row["rotation"] = clip.positions[:, k], turned
            row["center"] = clip.positions[:, k] + mesh.center @ turned
            row["half"] = mesh.half @ np.abs(turned)
            row["radius"], row["mesh"], row["look"] = mesh.radius, form_of[form], look_of[look]
    numbers = [stages.index(clip.stage) for clip in clips]
    frame_stages = np.repeat(np.array(numbers, np.int32), [clip.frames for clip in clips])
    return Batch(poses, frame_stages, forms, looks, stages)


def _absent() -> np.ndarray:
    row = np.zeros((), BODY_POSE)
    row["look"], row["center"], row["origin"], row["rotation"] = ABSENT, FAR_AWAY, FAR_AWAY, np.eye(3)
    return row


def look_rows(looks: Sequence[ObjectLook]) -> np.ndarray:
    """LookRow [look]; one that is not used where there are none."""
    return np.array([look_row(look) for look in looks] or [np.zeros((), LOOK_ROW)], LOOK_ROW)
