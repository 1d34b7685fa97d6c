"""Worlds on a device: scenes packed once, changes uploaded chunk by chunk."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.pack import Packer
from tumble.engine.host.worlds import Changes, Worlds
from tumble.engine.rollout.populate import (
    ADD,
    CHANGE_BODY_DEF,
    CHANGE_INTS,
    CHANGE_TARGET,
    START_POSE,
    START_VECS,
    START_VELOCITY,
    Batch,
)
from tumble.engine.state.layout import World
from tumble.scene import Body, Scene

_f = np.float32


@dataclass(frozen=True)
class UploadedScenes:
    """Packed scenes on a device, and what is needed to build worlds from them."""

    scenes: tuple[Scene, ...]
    kinds: tuple[Body, ...]
    arrays: dict[str, Any]
    shape_defs_v: int
    shape_defs_i: int
    units: np.ndarray  # float32 [scenes]: per metre
    kind_defs: np.ndarray  # int [scenes, kinds]: index of the definition
    bodies: np.ndarray  # int [scenes]: number of bodies
    shapes: np.ndarray  # int [scenes]: number of shapes
    kind_shapes: int  # largest number of shapes of a kind

    def fill(self, world: World) -> None:
        """Points a world at the packed definitions."""
        world.pack_vecs = self.arrays["pack_vecs"].ptr
        world.pack_ints = self.arrays["pack_ints"].ptr
        world.shape_defs_v = self.shape_defs_v
        world.shape_defs_i = self.shape_defs_i

    def batch(self, worlds: Worlds, device: Any) -> Batch:
        """The worlds as the kernel reads them."""
        changes, scene_of = worlds.changes, worlds.scene_of
        units = self.units[scene_of][:, None, None]
        count, width = changes.target.shape
        vecs = np.zeros((count, width, START_VECS, 4), _f)
        vecs[:, :, START_POSE, :3] = _in_metres(changes.poses, units)
        vecs[:, :, START_VELOCITY, :3] = _in_metres(changes.velocities, units)
        ints = np.zeros((count, width, CHANGE_INTS), np.int32)
        ints[..., CHANGE_TARGET] = changes.target
        adds = changes.target == ADD
        if adds.any():
            defs = self.kind_defs[scene_of[:, None], np.where(adds, changes.kind, 0)]
            ints[..., CHANGE_BODY_DEF] = np.where(adds, defs, 0)
        batch = Batch()
        for name in ("scene_ints", "scene_gravity", "body_ints", "body_vecs"):
            setattr(batch, name, self.arrays[name])
        batch.scene_of = wp.array(scene_of, dtype=int, device=device)
        batch.changes = width
        batch.change_ints = wp.array(ints.reshape(-1), dtype=int, device=device)
        batch.change_vecs = wp.array(vecs.reshape(-1, 4), dtype=wp.vec4, device=device)
        return batch


def _in_metres(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """x and y divided by the units per metre, in single precision; the angle as it is."""
    result = values.astype(_f)
    result[..., :2] /= units
    return result


CACHED_SCENES = 4096
"""Scenes that stay on their device after a call, in all; the latest upload stays, whatever its size."""
_cached: OrderedDict[tuple[Any, ...], UploadedScenes] = OrderedDict()
_cache_lock = Lock()


def upload(worlds: Worlds, dt: float, device: Any) -> UploadedScenes:
    """The scenes and kinds of the worlds on a device; recent ones are cached."""
    # An entry holds its scenes and kinds, so that their ids are not reused.
    key = (id(worlds.scenes), id(worlds.changes.kinds), dt, str(device))
    with _cache_lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
    uploaded = _pack(worlds.scenes, worlds.changes, dt, device)
    with _cache_lock:
        _cached[key] = uploaded
        total = sum(len(one.scenes) for one in _cached.values())
        while total > CACHED_SCENES and len(_cached) > 1:
            total -= len(_cached.popitem(last=False)[1].scenes)
    return uploaded


def _pack(scenes: tuple[Scene, ...], changes: Changes, dt: float, device: Any) -> UploadedScenes:
    packer = Packer(dt)
    scene_ints: list[tuple[int, int]] = []
    body_ints: list[tuple[int, int]] = []
    body_vecs: list[tuple[float, ...]] = []
    shapes: list[int] = []
    units = np.array([scene.units_per_metre for scene in scenes], _f)
    gravity = np.zeros((len(scenes), 4), _f)
    kind_defs: dict[float, list[int]] = {}
    for k, scene in enumerate(scenes):
        scene_ints.append((len(body_ints), len(scene.bodies)))
        shapes.append(sum(len(body.shapes) for body in scene.bodies))
        gravity[k, :2] = scene.gravity
        for body in scene.bodies:
            body_ints.append((packer.add(body, scene.units_per_metre), int(body.dormant)))
            body_vecs += [
                (*body.position, body.angle, units[k]),
                (*body.velocity, body.angular_velocity, units[k]),
            ]
        if scene.units_per_metre not in kind_defs:
            kind_defs[scene.units_per_metre] = [packer.add(kind, scene.units_per_metre) for kind in changes.kinds]
    pack = packer.finish()
    vecs = np.array(body_vecs, _f).reshape(-1, 4)
    vecs[:, :2] /= vecs[:, 3:]
    vecs[:, 3] = 0.0

    def ints(values: Any) -> Any:
        return wp.array(np.asarray(values, np.int32).reshape(-1), dtype=int, device=device)

    def rows(values: np.ndarray) -> Any:
        return wp.array(values.astype(_f).reshape(-1, 4), dtype=wp.vec4, device=device)

    return UploadedScenes(
        scenes=scenes,
        kinds=changes.kinds,
        arrays={
            "pack_vecs": rows(pack.vecs),
            "pack_ints": ints(pack.ints),
            "scene_ints": ints(scene_ints),
            "scene_gravity": rows(gravity),
            "body_ints": ints(body_ints),
            "body_vecs": rows(vecs),
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
