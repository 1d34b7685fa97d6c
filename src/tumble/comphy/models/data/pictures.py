"""Pictures for training, rendered from placed bodies on the device: plain ones, or objects on stages.

Objects get one of FORM_POOL forms of their shape and frames one of some stages, which stay on a GPU: to prepare the
mesh of every form of every set would take longer than the training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from tumble.comphy.catalogue.body import Body, yaw_quaternions
from tumble.comphy.catalogue.video_set import Stage, draw_stage
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.data.geometry import FORM_POOL
from tumble.comphy.models.data.packed_sets import ABSENT, PackedSets, positions_of
from tumble.comphy.observation.renderer.ray_tracer import DeviceFrames, render_row_tensors
from tumble.comphy.observation.renderer.scene import Size, look_rows, rotation_matrices
from tumble.comphy.observation.staged.clips import FAR_AWAY, Batch, Form, look_of, prepared
from tumble.comphy.observation.staged.ray_tracer import TensorRenderer
from tumble.comphy.observation.staged.scene import ABSENT as NO_LOOK
from tumble.comphy.observation.staged.scene import BODY_POSE, ObjectLook
from tumble.draws import Draws


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


class Pictures:
    """Renders pictures of one size on a device; not to be used by two threads at a time."""

    def __init__(self, world: ObjectWorld, size: Size, device: torch.device, stages: int, threads: int = 0) -> None:
        """`stages`: how many different ones there are, in a world with stages; `threads` of a CPU, 0 for all cores."""
        self.world, self.size, self.threads = world, size, threads
        self.device = str(device)
        self.pool = None if world is PLAIN else StagedPool(world, size, self.device, stages)

    def render(self, placed: Placed) -> DeviceFrames:
        """The pictures and masks of frames."""
        if self.pool is None:
            return render_row_tensors(placed.rows(), self.size, self.device, self.threads)
        return self.pool.render(placed)


class StagedPool:
    """Renders objects with forms of a pool on stages of a pool. On a GPU all of them are prepared at first."""

    def __init__(self, world: ObjectWorld, size: Size, device: str, stages: int) -> None:
        self.world, self.renderer = world, TensorRenderer(size, device)
        self.stages = tuple(training_stage(number) for number in range(stages))
        self._everything = self._all() if device.startswith("cuda") else None

    def render(self, placed: Placed) -> DeviceFrames:
        """The pictures and masks of frames."""
        return self.renderer.tensors(self._batch(placed))

    def _batch(self, placed: Placed) -> Batch:
        """Frames as the renderer needs them."""
        assert placed.forms is not None
        assert placed.stages is not None
        there = placed.looks[..., 0] != ABSENT
        color, material, shape = (placed.looks[..., k] for k in range(3))
        form = shape * FORM_POOL + placed.forms
        look = (form * len(self.world.materials) + material) * len(self.world.colors) + color
        used = self._everything or self._used(form[there], look[there], placed.stages)
        poses = np.zeros(there.shape, BODY_POSE)
        poses["look"], poses["center"], poses["origin"], poses["rotation"] = NO_LOOK, FAR_AWAY, FAR_AWAY, np.eye(3)
        mesh = np.searchsorted(used.form_numbers, form[there])
        turned = rotation_matrices(yaw_quaternions(placed.poses[there][:, 2]))
        origin = np.concatenate([placed.poses[there][:, :2], np.zeros((len(mesh), 1))], axis=1)
        own = np.zeros(len(mesh), BODY_POSE)
        own["origin"], own["rotation"], own["mesh"] = origin, turned, mesh
        own["look"] = np.searchsorted(used.look_numbers, look[there])
        if len(mesh):
            own["center"] = origin + np.einsum("bi,bij->bj", used.centers[mesh], turned)
            own["half"] = np.einsum("bi,bij->bj", used.halves[mesh], np.abs(turned))
            own["radius"] = used.radii[mesh]
        poses[there] = own
        numbers = np.searchsorted(used.stage_numbers, placed.stages).astype(np.int32)
        return Batch(poses, numbers, used.forms, used.looks, used.stages)

    def _all(self) -> "Used":
        """All forms, looks and stages of the pool."""
        forms = np.arange(len(self.world.shapes) * FORM_POOL)
        looks = np.arange(len(forms) * len(self.world.colors) * len(self.world.materials))
        return self._used(forms, looks, np.arange(len(self.stages)))

    def _used(self, forms: np.ndarray, looks: np.ndarray, stages: np.ndarray) -> "Used":
        """What a batch brings to the device, by numbers that may repeat."""
        forms, looks, stages = np.unique(forms), np.unique(looks), np.unique(stages)
        named = tuple((self.world.shapes[number // FORM_POOL], int(number % FORM_POOL)) for number in forms)
        meshes = [prepared(form, self.renderer.context.device) for form in named]
        return Used(
            forms,
            looks,
            stages,
            named,
            tuple(_look(self.world, int(number)) for number in looks),
            tuple(self.stages[number] for number in stages),
            *(np.array([getattr(mesh, name) for mesh in meshes]) for name in ("center", "half", "radius")),
        )


@dataclass(frozen=True, eq=False)
class Used:
    """Forms, looks and stages of a batch: their numbers in the pool, sorted, and themselves in the same order."""

    form_numbers: np.ndarray
    look_numbers: np.ndarray
    stage_numbers: np.ndarray
    forms: tuple[Form, ...]
    looks: tuple[ObjectLook, ...]
    stages: tuple[Stage, ...]
    centers: np.ndarray
    """[form, 3]: of the bounding boxes of the meshes."""
    halves: np.ndarray
    """[form, 3]: half the size of these boxes."""
    radii: np.ndarray
    """[form]: of their bounding spheres."""


@lru_cache(maxsize=32768)
def _look(world: ObjectWorld, number: int) -> ObjectLook:
    rest, color = divmod(number, len(world.colors))
    rest, material = divmod(rest, len(world.materials))
    shape, form = divmod(rest, FORM_POOL)
    return look_of(Body(world.colors[color], world.materials[material], world.shapes[shape], form=form))


@lru_cache(maxsize=4096)
def training_stage(number: int) -> Stage:
    """A stage of training pictures."""
    return draw_stage(Draws(f"training stage {number}"))
