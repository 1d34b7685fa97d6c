"""Bodies placed in frames, as arrays: what pictures for training are rendered from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.body import yaw_quaternions
from tumble.comphy.models.data.outline_points import FORM_POOL
from tumble.comphy.models.data.packed_sets import ABSENT, PackedSets, positions_of
from tumble.comphy.observation.renderer.scene import look_rows


@dataclass(frozen=True, eq=False)
class Placed:
    """Bodies in frames."""

    looks: np.ndarray
    """int64 [frame, body, 3]: indices of the world's colours, materials and shapes; ABSENT."""
    poses: np.ndarray
    """float64 [frame, body, 3]: x, y and yaw."""
    forms: np.ndarray | None = None
    """int64 [frame, body], below FORM_POOL; None in the plain world."""
    stages: np.ndarray | None = None
    """int64 [frame]: numbers of stages; None in the plain world."""

    @property
    def positions(self) -> np.ndarray:
        """float64 [frame, body, 3]: the bodies' centres."""
        return positions_of(self.poses)

    def rows(self) -> np.ndarray:
        """BodyRow [frame, body], to be rendered in the plain world."""
        return look_rows(self.looks, self.positions, yaw_quaternions(self.poses[..., 2]))


@dataclass(frozen=True)
class ChosenFrames:
    """Some frames of a video of a set."""

    row: int
    video: int
    """0 is the target."""
    frames: Sequence[int] | np.ndarray


def placed_frames(sets: PackedSets, chosen: Sequence[ChosenFrames], stages: int) -> Placed:
    """Frames of sets, one after the other; body k of a video is in column k. There are `stages` different stages."""
    count, width = sum(len(one.frames) for one in chosen), sets.attributes.shape[1]
    looks, poses = np.full((count, width, 3), ABSENT, np.int64), np.zeros((count, width, 3))
    forms, numbers = np.zeros((count, width), np.int64), np.zeros(count, np.int64)
    first = 0
    for one in chosen:
        part = slice(first, first + len(one.frames))
        first = part.stop
        members = sets.video_members(one.row, one.video)
        looks[part, : len(members)] = sets.attributes[one.row, members]
        poses[part, : len(members)] = sets.poses(one.row, one.video)[one.frames]
        numbers[part] = int(sets.index[one.row]) % stages
        if sets.forms is not None:
            forms[part, : len(members)] = sets.forms[one.row, members] % FORM_POOL
    return Placed(looks, poses) if sets.forms is None else Placed(looks, poses, forms, numbers)
