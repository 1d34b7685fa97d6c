"""Scenes and worlds on a device: scenes packed and uploaded once, changes uploaded chunk by chunk.

What never changes, definitions of bodies and shapes, lies in two flat arrays that all worlds share.
"""

from collections import OrderedDict
from dataclasses import dataclass, fields
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.worlds import Changes, Worlds, WorldsError
from tumble.engine.rollout.lanes import (
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
from tumble.engine.state.constants import POLYGON_SKIN
from tumble.engine.state.geometry import (
    centroid,
    circle_mass,
    from_rightmost,
    inverse_mass,
    outward_normals,
    polygon_mass,
)
from tumble.scene import Body, Circle, Scene
from tumble.scene.checks import body_label

_single = np.float32

MAX_EXTENT = 1e5
"""Metres that a body's shapes may reach from its origin."""


@dataclass(frozen=True)
class Pack:
    """Definitions of bodies and shapes; `vecs` float32 [n, 4] and `ints` [n], laid out as `layout.py` says."""

    vecs: np.ndarray
    ints: np.ndarray
    shape_defs_v: int
    shape_defs_i: int


class _Rows:
    """Rows of numbers that are appended one by one and read as an array; a row is converted once."""

    def __init__(self, width: int, dtype: type) -> None:
        self._done: np.ndarray = np.zeros((0, width), dtype)
        self._added: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._done) + len(self._added)

    def append(self, *rows: tuple[float, ...]) -> None:
        self._added += rows

    def array(self) -> np.ndarray:
        """All rows [n, width]."""
        if self._added:
            self._done = np.concatenate([self._done, np.array(self._added, self._done.dtype)])
            self._added = []
        return self._done


class Packer:
    """Collects body definitions; equal ones are stored once. More can be added after `finish`."""

    def __init__(self, dt: float) -> None:
        self.lock = Lock()
        """Held by threads that use a packer together."""
        self._dt = _single(dt)
        self._index_of: dict[object, int] = {}
        self._body_vecs = _Rows(4, _single)
        self._body_ints = _Rows(3, np.int32)
        self._shape_vecs = _Rows(4, _single)
        self._shape_ints = _Rows(layout.SHAPE_DEF_INTS, np.int32)
        self._vertices = _Rows(4, _single)

    def add(self, body: Body, units_per_metre: float) -> int:
        """The index of a body's definition."""
        key = (
            body.shapes,
            units_per_metre,
            body.dynamic,
            body.density,
            body.friction,
            body.restitution,
            body.gravity_scale,
            body.linear_damping,
            body.angular_damping,
            body.bullet,
            body.layer,
            body.mask,
        )
        if key not in self._index_of:
            self._index_of[key] = len(self._body_ints)
            with np.errstate(all="ignore"):  # what is not finite is refused
                self._define(body, _single(units_per_metre))
        return self._index_of[key]

    def _define(self, body: Body, units: np.float32) -> None:
        flags, masses, outlines, surfaces, centroids = 0, [], [], [], []
        first_shape = len(self._shape_ints)
        for shape in body.shapes:
            if isinstance(shape, Circle):
                radius = _single(shape.radius) / units
                outline = np.array([shape.centre], _single) / units
                middle = outline[0]
                masses.append(circle_mass(radius, middle, _single(body.density)))
                rows, vertices = np.pad(outline, ((0, 0), (0, 2))), 0
                if len(body.shapes) == 1 and shape.centre == (0.0, 0.0):
                    flags |= layout.ROUND
            else:
                radius = _single(POLYGON_SKIN)
                outline = from_rightmost(np.array(shape.vertices, _single) / units)
                middle = centroid(outline)
                masses.append(polygon_mass(outline, _single(body.density)))
                rows, vertices = np.concatenate([outline, outward_normals(outline)], axis=1), len(outline)
            outlines.append(outline)
            surfaces.append((float(radius), body.friction, body.restitution))
            centroids.append((float(middle[0]), float(middle[1]), 0.0, 0.0))
            self._shape_ints.append((vertices, len(self._vertices), body.layer, body.mask))
            self._vertices.append(*map(tuple, rows.tolist()))
        mass: tuple[np.float32, ...] = (_single(0), _single(0), _single(0), _single(0))
        if body.dynamic:
            flags |= layout.DYNAMIC | (layout.BULLET if body.bullet else 0)
            mass = inverse_mass(masses)
        extent = max(
            float(np.abs(outline).max() + surface[0]) for outline, surface in zip(outlines, surfaces, strict=True)
        )
        _check_scale(body, float(units), np.array([mass, *masses, *centroids], float), extent)
        _, _, centre_x, centre_y = mass
        for surface, middle_row, outline in zip(surfaces, centroids, outlines, strict=True):
            reach = float(np.max(np.hypot(outline[:, 0] - centre_x, outline[:, 1] - centre_y))) * 1.000001
            self._shape_vecs.append((*surface, reach), middle_row)
        one = _single(1)
        linear_damping = one / (one + self._dt * _single(body.linear_damping))
        angular_damping = one / (one + self._dt * _single(body.angular_damping))
        self._body_vecs.append(
            tuple(map(float, mass)),
            (body.gravity_scale, float(linear_damping), float(angular_damping), 0.0),
        )
        self._body_ints.append((first_shape, len(body.shapes), flags))

    def finish(self) -> Pack:
        """All definitions so far, in two arrays."""
        shape_defs_v = len(self._body_vecs)
        shape_ints = self._shape_ints.array().copy()
        shape_ints[:, layout.DEF_FIRST_VERTEX] += shape_defs_v + len(self._shape_vecs)
        body_ints = self._body_ints.array().reshape(-1)
        return Pack(
            vecs=np.concatenate([self._body_vecs.array(), self._shape_vecs.array(), self._vertices.array()]),
            ints=np.concatenate([body_ints, shape_ints.reshape(-1)]),
            shape_defs_v=shape_defs_v,
            shape_defs_i=len(body_ints),
        )


def _check_scale(body: Body, units_per_metre: float, values: np.ndarray, extent: float) -> None:
    """Refuses a body that is too large, or whose mass, inertia or centre is not a number in single precision.

    `values` [n, 4] must be finite. The first row has the inverse mass and inertia, which must be positive if it is
    dynamic: the inertia of a tiny shape far from the body's origin is lost in rounding. `extent` is the largest
    coordinate of its shapes in metres: of larger bodies the velocities at contacts overflow.
    """
    if extent > MAX_EXTENT:
        raise WorldsError(
            f"{body_label(body.name)}: its shapes reach {extent:.3g} m from its origin, at {units_per_metre:g} units a "
            f"metre; the most is {MAX_EXTENT:,.0f} m; change its shapes or the units"
        )
    if not np.isfinite(values).all() or (body.dynamic and not (values[0, :2] > 0.0).all()):
        raise WorldsError(
            f"{body_label(body.name)}: too small or too large for single precision at {units_per_metre:g} units per "
            "metre, its mass, centre or moment of inertia is lost; change its shapes, its density or the units"
        )


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


def upload_scenes(worlds: Worlds, dt: float, device: Any) -> UploadedScenes:
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
        known = [
            one for other, one in _cached.items() if other[1:3] == key[1:3] and _is_beginning(worlds.scenes, one.scenes)
        ]
    before = max(known, key=lambda one: len(one.scenes)).packed if known else None
    uploaded = _uploaded(worlds.scenes, worlds.changes, _pack(worlds.scenes, worlds.changes, dt, before), device)
    with _cache_lock:
        _cached[key] = uploaded
        total = sum(len(one.scenes) for one in _cached.values())
        while total > CACHED_SCENES and len(_cached) > 1:
            total -= len(_cached.popitem(last=False)[1].scenes)
    return uploaded


def _is_beginning(scenes: tuple[Scene, ...], first: tuple[Scene, ...]) -> bool:
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
