"""A batch of worlds: scenes, and what each world changes of its scene."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.engine.rollout.lanes import ADD, NO_CHANGE
from tumble.errors import TumbleError
from tumble.scene import Body, Scene


class WorldsError(TumbleError):
    """A batch that can't be rolled out, and why."""


@dataclass(frozen=True)
class Changes:
    """What each world changes of its scene, up to K things: a body of `kinds` added, or a body of the scene moved.

    `target` [worlds, K] is ADD, NO_CHANGE or the index of the body to move; `kind` [worlds, K] is the index in `kinds`
    of the body to add; `poses` and `velocities` [worlds, K, 3] are x, y and angle, in scene units and radians.
    """

    kinds: tuple[Body, ...]
    target: np.ndarray
    kind: np.ndarray
    poses: np.ndarray
    velocities: np.ndarray

    def take(self, worlds: np.ndarray | slice) -> "Changes":
        """The changes of some of the worlds."""
        return replace(
            self,
            target=self.target[worlds],
            kind=self.kind[worlds],
            poses=self.poses[worlds],
            velocities=self.velocities[worlds],
        )


@dataclass(frozen=True)
class Worlds:
    """Many worlds: world k is `scenes[scene_of[k]]` with its changes."""

    scenes: tuple[Scene, ...]
    scene_of: np.ndarray
    changes: Changes

    def __len__(self) -> int:
        return len(self.scene_of)

    def body_counts(self) -> np.ndarray:
        """int [worlds]: the number of bodies of each, including those it adds."""
        used, scene_of = np.unique(self.scene_of, return_inverse=True)
        scene_bodies = np.array([len(self.scenes[k].bodies) for k in used.tolist()], np.int32)
        return np.asarray(scene_bodies[scene_of] + (self.changes.target == ADD).sum(axis=1))

    def moving_counts(self) -> np.ndarray:
        """int [worlds]: the number of bodies of each that can move, including those it adds."""
        of_scene = np.array([sum(body.dynamic for body in scene.bodies) for scene in self.scenes], np.int32)
        return np.asarray(of_scene[self.scene_of] + (self.changes.target == ADD).sum(axis=1))

    def take(self, worlds: np.ndarray | slice) -> "Worlds":
        """Some of the worlds."""
        return replace(self, scene_of=self.scene_of[worlds], changes=self.changes.take(worlds))


def unchanged(count: int) -> Changes:
    """No change in any of `count` worlds."""
    none = np.zeros((count, 0), np.int32)
    return Changes((), none, none, np.zeros((count, 0, 3), np.float32), np.zeros((count, 0, 3), np.float32))


def order_of_alike(worlds: Worlds) -> np.ndarray:
    """int [worlds]: the worlds sorted by scene, then by the x of the first body that they change, if any.

    Neighbouring lanes of a GPU run the same code together as far as their worlds do.
    """
    first = worlds.changes.poses[:, 0, 0] if worlds.changes.poses.shape[1] else np.zeros(len(worlds))
    return np.lexsort((first, worlds.scene_of))


def each(scenes: Sequence[Scene]) -> Worlds:
    """One world for each scene, as it is."""
    _check_scenes(scenes)
    return Worlds(tuple(scenes), np.arange(len(scenes), dtype=np.int32), unchanged(len(scenes)))


def variants(
    scenes: Scene | Sequence[Scene],
    *,
    scene_of: np.ndarray | Sequence[int] | None = None,
    kinds: Sequence[Body] = (),
    target: np.ndarray | Sequence[Sequence[int]] | int = ADD,
    kind: np.ndarray | Sequence[Sequence[int]] | int = 0,
    poses: np.ndarray | Sequence[Sequence[Sequence[float]]],
    velocities: np.ndarray | Sequence[Sequence[Sequence[float]]] | float = 0.0,
) -> Worlds:
    """Many variants of one scene, or of several: in each world bodies of `kinds` are added, or bodies are moved.

    The number of worlds and of changes in each comes from `poses` [worlds, K, 3]; `target` and `kind` may be single
    numbers for all.
    """
    all_scenes = (scenes,) if isinstance(scenes, Scene) else tuple(scenes)
    pose_array = np.asarray(poses, np.float32)
    if pose_array.ndim != 3 or pose_array.shape[2] != 3:
        raise WorldsError(f"poses must have the shape [worlds, changes, 3], not {list(pose_array.shape)}")
    _check_scenes(all_scenes)
    count, width, _ = pose_array.shape
    changes = Changes(
        tuple(kinds),
        _broadcast("target", _whole_numbers("target", target), (count, width)),
        _broadcast("kind", _whole_numbers("kind", kind), (count, width)),
        pose_array,
        _broadcast("velocities", np.asarray(velocities, np.float32), pose_array.shape),
    )
    scene_rows = _whole_numbers("scene_of", 0 if scene_of is None else scene_of)
    worlds = Worlds(all_scenes, _broadcast("scene_of", scene_rows, (count,)), changes)
    _check(worlds)
    return worlds


def _check_scenes(scenes: Sequence[Scene]) -> None:
    for k, scene in enumerate(scenes):
        if not isinstance(scene, Scene):
            raise WorldsError(f"scene {k} must be a Scene, not {type(scene).__name__}")


def _whole_numbers(name: str, values: object) -> np.ndarray:
    """The values as an int32 array."""
    array = np.asarray(values)
    rounded = array.astype(np.int32) if array.dtype.kind in "biuf" else None
    if rounded is None or not np.array_equal(rounded, array):
        raise WorldsError(f"{name} must be whole numbers, not {values!r}")
    return rounded


def _broadcast(name: str, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The values for each world, where one was given for all."""
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise WorldsError(
            f"{name} must have the shape {list(shape)} of the poses, or fewer axes, not {list(values.shape)}"
        ) from None


def _check(worlds: Worlds) -> None:
    changes, count = worlds.changes, len(worlds)
    if count and not 0 <= worlds.scene_of.min() <= worlds.scene_of.max() < len(worlds.scenes):
        raise WorldsError(f"scene_of must lie in 0..{len(worlds.scenes) - 1}")
    _refuse(changes.target < NO_CHANGE, "target {} is neither a body, ADD nor NO_CHANGE", changes.target)
    bodies = np.array([len(scene.bodies) for scene in worlds.scenes], np.int32)[worlds.scene_of]
    _refuse(changes.target >= bodies[:, None], "target {} is not a body of its scene", changes.target)
    known = (changes.kind >= 0) & (changes.kind < len(changes.kinds))
    _refuse((changes.target == ADD) & ~known, "kind {} is not in kinds", changes.kind)
    used = changes.target != NO_CHANGE
    for name, values in (("poses", changes.poses), ("velocities", changes.velocities)):
        _refuse(used & ~np.isfinite(values).all(axis=2), name + " {} are not finite numbers", values)


def _refuse(wrong: np.ndarray, message: str, values: np.ndarray) -> None:
    """Raises for the first world and change that is wrong."""
    if wrong.any():
        world, change = np.argwhere(wrong)[0]
        raise WorldsError(f"world {world}, change {change}: " + message.format(values[world, change]))
