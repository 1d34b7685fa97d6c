"""Worlds on a device: scenes packed once, changes uploaded chunk by chunk."""

from collections import OrderedDict
from dataclasses import dataclass, fields
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
from tumble.engine.state import layout
from tumble.scene import Body, Scene

_f = np.float32


@dataclass(frozen=True)
class PackedScenes:
    """Scenes as arrays, whose body definitions are in a packer that other packed scenes may share."""

    packer: Packer
    body_ints: np.ndarray  # int32 [all bodies, (definition, dormant)]
    starts: np.ndarray  # float32 [all bodies, START_VECS, 4], in metres
    gravity: np.ndarray  # float32 [scenes, 4]
    units: np.ndarray  # float32 [scenes]: per metre
    kind_defs: np.ndarray  # int [scenes, kinds]: index of the definition
    bodies: np.ndarray  # int [scenes]: number of bodies
    shapes: np.ndarray  # int [scenes]: number of shapes

    def followed_by(self, other: "PackedScenes") -> "PackedScenes":
        """These scenes, then the other ones, which have the same packer."""
        joined = {
            field.name: np.concatenate([getattr(self, field.name), getattr(other, field.name)])
            for field in fields(self)
            if field.name != "packer"
        }
        return PackedScenes(self.packer, **joined)


@dataclass(frozen=True)
class UploadedScenes:
    """Packed scenes on a device, and what is needed to build worlds from them."""

    scenes: tuple[Scene, ...]
    kinds: tuple[Body, ...]
    packed: PackedScenes
    arrays: dict[str, Any]
    shape_defs_v: int
    shape_defs_i: int
    units: np.ndarray  # float32 [scenes]: per metre
    kind_defs: np.ndarray  # int [scenes, kinds]: index of the definition
    bodies: np.ndarray  # int [scenes]: number of bodies
    shapes: np.ndarray  # int [scenes]: number of shapes
    kind_shapes: int  # largest number of shapes of a kind

    def chunk_numbers(self) -> dict[int, int]:
        """Where the packed definitions are, by number in the chunk's table (`state/layout.py`)."""
        return {
            layout.PACK_VECS_AT: self.arrays["pack_vecs"].ptr or 0,
            layout.PACK_INTS_AT: self.arrays["pack_ints"].ptr or 0,
            layout.SHAPE_DEFS_V: self.shape_defs_v,
            layout.SHAPE_DEFS_I: self.shape_defs_i,
        }

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


CACHED_SCENES = 8192
"""Scenes that stay on their devices after a call, in all; the latest upload stays, whatever its size."""
_cached: OrderedDict[tuple[Any, ...], UploadedScenes] = OrderedDict()
_cache_lock = Lock()


def upload(worlds: Worlds, dt: float, device: Any) -> UploadedScenes:
    """The scenes and kinds of the worlds on a device; recent ones are cached.

    Scenes that follow those of a cached upload are added to it, so that a growing tuple is packed once; so are those
    that are also on another device.
    """
    # An entry holds its scenes and kinds, so that their ids are not reused.
    key = (id(worlds.scenes), id(worlds.changes.kinds), dt, str(device))
    with _cache_lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
        known = [one for other, one in _cached.items() if other[1:3] == key[1:3] and _begins(worlds.scenes, one.scenes)]
    before = max(known, key=lambda one: len(one.scenes)).packed if known else None
    uploaded = _uploaded(worlds.scenes, worlds.changes, _pack(worlds.scenes, worlds.changes, dt, before), device)
    with _cache_lock:
        _cached[key] = uploaded
        total = sum(len(one.scenes) for one in _cached.values())
        while total > CACHED_SCENES and len(_cached) > 1:
            total -= len(_cached.popitem(last=False)[1].scenes)
    return uploaded


def _begins(scenes: tuple[Scene, ...], first: tuple[Scene, ...]) -> bool:
    """Whether these are the first of the scenes."""
    count = len(first)
    if not 0 < count <= len(scenes) or scenes[count - 1] is not first[-1]:
        return False
    return all(one is other for one, other in zip(scenes, first, strict=False))


def _pack(scenes: tuple[Scene, ...], changes: Changes, dt: float, before: PackedScenes | None) -> PackedScenes:
    """The scenes as arrays, the first of which may be packed already."""
    packer = before.packer if before else Packer(dt)
    new = scenes[len(before.units) :] if before else scenes
    bodies = [body for scene in new for body in scene.bodies]
    units = np.array([scene.units_per_metre for scene in new], _f)
    body_counts = np.array([len(scene.bodies) for scene in new], np.int32)
    unit_of_body = np.repeat(units, body_counts)
    starts = np.zeros((len(bodies), START_VECS, 4), _f)
    starts[:, START_POSE, :3] = np.array([(*body.position, body.angle) for body in bodies]).reshape(-1, 3)
    starts[:, START_VELOCITY, :3] = np.array([(*body.velocity, body.angular_velocity) for body in bodies]).reshape(
        -1, 3
    )
    starts[:, :, :2] /= unit_of_body[:, None, None]
    gravity = np.zeros((len(new), 4), _f)
    gravity[:, :2] = np.array([scene.gravity for scene in new]).reshape(-1, 2)
    with packer.lock:
        definitions = [
            (packer.add(body, scene.units_per_metre), int(body.dormant)) for scene in new for body in scene.bodies
        ]
        kind_defs = {
            unit: [packer.add(kind, unit) for kind in changes.kinds]
            for unit in dict.fromkeys(scene.units_per_metre for scene in new)
        }
    packed = PackedScenes(
        packer=packer,
        body_ints=np.array(definitions, np.int32).reshape(-1, 2),
        starts=starts,
        gravity=gravity,
        units=units,
        kind_defs=np.array([kind_defs[scene.units_per_metre] for scene in new], np.int32).reshape(
            len(new), len(changes.kinds)
        ),
        bodies=body_counts,
        shapes=np.array([sum(len(body.shapes) for body in scene.bodies) for scene in new], np.int32),
    )
    return before.followed_by(packed) if before else packed


def _uploaded(scenes: tuple[Scene, ...], changes: Changes, packed: PackedScenes, device: Any) -> UploadedScenes:
    with packed.packer.lock:
        pack = packed.packer.finish()
    scene_ints = np.stack([np.cumsum(packed.bodies) - packed.bodies, packed.bodies], axis=1)

    def ints(values: np.ndarray) -> Any:
        return wp.array(np.asarray(values, np.int32).reshape(-1), dtype=int, device=device)

    def rows(values: np.ndarray) -> Any:
        return wp.array(values.astype(_f).reshape(-1, 4), dtype=wp.vec4, device=device)

    return UploadedScenes(
        scenes=scenes,
        kinds=changes.kinds,
        packed=packed,
        arrays={
            "pack_vecs": rows(pack.vecs),
            "pack_ints": ints(pack.ints),
            "scene_ints": ints(scene_ints),
            "scene_gravity": rows(packed.gravity),
            "body_ints": ints(packed.body_ints),
            "body_vecs": rows(packed.starts),
        },
        shape_defs_v=pack.shape_defs_v,
        shape_defs_i=pack.shape_defs_i,
        units=packed.units,
        kind_defs=packed.kind_defs,
        bodies=packed.bodies,
        shapes=packed.shapes,
        kind_shapes=max((len(kind.shapes) for kind in changes.kinds), default=0),
    )
