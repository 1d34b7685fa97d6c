"""Worlds on a device: scenes packed once, changes uploaded block by block."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.pack import Packer
from tumble.engine.host.worlds import Changes, Worlds
from tumble.engine.rollout.populate import ADD, Batch
from tumble.engine.state.layout import World
from tumble.scene import Body, Scene

_f = np.float32


@dataclass(frozen=True)
class Uploaded:
    """Packed scenes on a device, and what is needed to add worlds to them."""

    scenes: tuple[Scene, ...]
    kinds: tuple[Body, ...]
    arrays: dict[str, Any]
    shape_defs_v: int
    shape_defs_i: int
    units: np.ndarray  # of each scene
    kind_defs: np.ndarray  # [scene, kind]: number of the definition
    bodies: np.ndarray  # of each scene
    shapes: np.ndarray
    kind_shapes: int  # of the kind that has most

    def fill(self, world: World) -> None:
        """Points a world at the packed definitions."""
        world.pack_v = self.arrays["pack_v"].ptr
        world.pack_i = self.arrays["pack_i"].ptr
        world.shape_defs_v = self.shape_defs_v
        world.shape_defs_i = self.shape_defs_i

    def batch(self, worlds: Worlds, device: Any) -> Batch:
        """The worlds as the kernel reads them."""
        changes, of = worlds.changes, worlds.scene_of
        units = self.units[of][:, None, None]
        count, width = changes.target.shape
        vecs = np.zeros((count, width, 2, 4), _f)
        vecs[:, :, 0, :3] = _in_metres(changes.poses, units)
        vecs[:, :, 1, :3] = _in_metres(changes.velocities, units)
        ints = np.zeros((count, width, 2), np.int32)
        ints[..., 0] = changes.target
        adds = changes.target == ADD
        if adds.any():
            ints[..., 1] = np.where(adds, self.kind_defs[of[:, None], np.where(adds, changes.kind, 0)], 0)
        batch = Batch()
        for name in ("scenes_i", "scenes_v", "bodies_i", "bodies_v"):
            setattr(batch, name, self.arrays[name])
        batch.scene_of = wp.array(of, dtype=int, device=device)
        batch.changes = width
        batch.changes_i = wp.array(ints.reshape(-1), dtype=int, device=device)
        batch.changes_v = wp.array(vecs.reshape(-1, 4), dtype=wp.vec4, device=device)
        return batch


def _in_metres(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """x and y divided by the units per metre, in single precision; the angle as it is."""
    result = values.astype(_f)
    result[..., :2] /= units
    return result


_recent: list[tuple[tuple[Any, ...], Uploaded]] = []


def upload(worlds: Worlds, dt: float, device: Any) -> Uploaded:
    """The scenes and kinds of the worlds on a device; what was used last is found again without packing."""
    key = (id(worlds.scenes), id(worlds.changes.kinds), dt, str(device))
    for known, uploaded in _recent:
        if known == key:
            return uploaded
    uploaded = _pack(worlds.scenes, worlds.changes, dt, device)
    _recent.append((key, uploaded))  # holds the tuples, so that their ids stay theirs
    del _recent[:-4]
    return uploaded


def _pack(scenes: tuple[Scene, ...], changes: Changes, dt: float, device: Any) -> Uploaded:
    packer = Packer(dt)
    scenes_i: list[tuple[int, int]] = []
    bodies_i: list[tuple[int, int]] = []
    bodies_v: list[tuple[float, ...]] = []
    shapes: list[int] = []
    units = np.array([scene.units_per_metre for scene in scenes], _f)
    gravity = np.zeros((len(scenes), 4), _f)
    kind_defs: dict[float, list[int]] = {}
    for k, scene in enumerate(scenes):
        scenes_i.append((len(bodies_i), len(scene.bodies)))
        shapes.append(sum(len(body.shapes) for body in scene.bodies))
        gravity[k, :2] = scene.gravity
        for body in scene.bodies:
            bodies_i.append((packer.add(body, scene.units_per_metre), int(body.dormant)))
            bodies_v += [
                (*body.position, body.angle, units[k]),
                (*body.velocity, body.angular_velocity, units[k]),
            ]
        if scene.units_per_metre not in kind_defs:
            kind_defs[scene.units_per_metre] = [packer.add(kind, scene.units_per_metre) for kind in changes.kinds]
    pack = packer.finish()
    vecs = np.array(bodies_v, _f).reshape(-1, 4)
    vecs[:, :2] /= vecs[:, 3:]
    vecs[:, 3] = 0.0

    def ints(values: Any) -> Any:
        return wp.array(np.asarray(values, np.int32).reshape(-1), dtype=int, device=device)

    def rows(values: np.ndarray) -> Any:
        return wp.array(values.astype(_f).reshape(-1, 4), dtype=wp.vec4, device=device)

    return Uploaded(
        scenes=scenes,
        kinds=changes.kinds,
        arrays={
            "pack_v": rows(pack.vecs),
            "pack_i": ints(pack.ints),
            "scenes_i": ints(scenes_i),
            "scenes_v": rows(gravity),
            "bodies_i": ints(bodies_i),
            "bodies_v": rows(vecs),
        },
        shape_defs_v=pack.shape_defs_v,
        shape_defs_i=pack.shape_defs_i,
        units=units,
        kind_defs=np.array([kind_defs[scene.units_per_metre] for scene in scenes], np.int32).reshape(
            len(scenes), len(changes.kinds)
        ),
        bodies=np.array([len(scene.bodies) for scene in scenes], np.int32),
        shapes=np.array(shapes, np.int32),
        kind_shapes=max((len(kind.shapes) for kind in changes.kinds), default=0),
    )
