"""Clips of objects on a stage, frames of several clips as one batch for the device, and the meshes that they show.

Meshes are made ready to render once: their tints, the sky's light on them and on the floor around them, and a
complete binary tree of boxes around their triangles, which can be traversed without a stack.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.catalogue.world import OBJECT_POINT
from tumble.comphy.objects.shape import ObjectMesh, build_object
from tumble.comphy.observation.renderer.scene import BLOCK, ClipError, rotation_matrices
from tumble.comphy.observation.staged.rays import bake_sky
from tumble.comphy.observation.staged.scene import (
    ABSENT,
    BODY_POSE,
    LOOK_ROW,
    MAP_SIDE,
    MAX_BODIES,
    MESH_ROW,
    PATTERNS,
    PLAIN,
    ROLE_TINTS,
    Geometry,
    MeshRow,
    ObjectLook,
    Surfaces,
    look_row,
)

LEAF = 6
"""The most triangles in a leaf."""
MEAN_LEAF = 3.0
"""Leaves have fewer triangles than this on average."""
SHARES = (0.35, 0.5, 0.65)
"""Shares of a node's triangles that its first child may have."""
GROWTH = 1.0e-5
"""Boxes are this much larger on each side, so that no ray misses a triangle by rounding."""
FAR = 1.0e9
"""The box of a leaf without triangles reaches from FAR to -FAR, so that no ray meets it."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes level by level: node k, counted from 1, has the children 2 k and 2 k + 1; the last level are leaves."""

    boxes: np.ndarray
    """float32 [node, 2, 3]: lower and upper corner of each node's box, of node 1 first."""
    starts: np.ndarray
    """int32 [leaf + 1]: the first triangle of each leaf in the tree's order, and the number of triangles."""
    order: np.ndarray
    """int64 [triangle]: the triangles of the mesh in the tree's order."""

    @property
    def leaves(self) -> int:
        """The number of leaves, a power of 2."""
        return len(self.starts) - 1


def build_tree(triangles: np.ndarray) -> Tree:
    """The tree of triangles [n, 3, 3], level by level: all nodes of a level are split at once."""
    lower, upper = triangles.min(axis=1) - GROWTH, triangles.max(axis=1) + GROWTH
    order = np.arange(len(triangles))
    starts = np.array([0, len(triangles)])
    levels = [starts]
    depth = max(0, int(np.ceil(np.log2(len(triangles) / MEAN_LEAF))))
    for level in range(depth):
        starts, order = _split(starts, order, lower, upper, LEAF << (depth - level - 1))
        levels.append(starts)
    boxes = [np.stack(_boxes(lower[order], upper[order], bounds), axis=1) for bounds in levels]
    return Tree(np.concatenate(boxes).astype(np.float32), starts.astype(np.int32), order)


def _split(
    starts: np.ndarray, order: np.ndarray, lower: np.ndarray, upper: np.ndarray, capacity: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of the next level, two for each of this one, and the triangles in their order.

    Each node is split along the axis and at the place that give the least sum of surface times number of triangles; no
    child gets more than its leaves can hold.
    """
    sizes = np.diff(starts)
    node = np.repeat(np.arange(len(sizes)), sizes)
    middle = lower + upper
    orders, costs, cuts = [], [], []
    for axis in range(3):
        sorted_order = order[np.lexsort((middle[order, axis], node))]
        low, high = lower[sorted_order], upper[sorted_order]
        orders.append(sorted_order)
        for share in SHARES:
            cut = np.clip(np.rint(share * sizes).astype(int), np.minimum(sizes, 1), np.maximum(sizes - 1, 0))
            cut = np.clip(cut, np.maximum(sizes - capacity, 0), capacity)
            bounds = _halves(starts, cut)
            first, last = _boxes(low, high, bounds)
            size = np.maximum(last - first, 0.0)
            area = size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]
            cost = area * np.diff(bounds)
            costs.append(cost[0::2] + cost[1::2])
            cuts.append(cut)
    best = np.argmin(costs, axis=0)
    chosen = np.array(cuts)[best, np.arange(len(sizes))]
    return _halves(starts, chosen), np.array(orders)[(best // len(SHARES))[node], np.arange(len(order))]


def _halves(starts: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """The ranges of children, whose first ones have `cut` triangles."""
    bounds = np.empty(2 * len(starts) - 1, int)
    bounds[0::2], bounds[1::2] = starts, starts[:-1] + cut
    return bounds


def _boxes(lower: np.ndarray, upper: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corners [range, 3] of the boxes around ranges of triangles."""
    padding = np.zeros((1, 3), lower.dtype)  # a range may start at the end
    first = np.minimum.reduceat(np.concatenate([lower, padding]), bounds[:-1])
    last = np.maximum.reduceat(np.concatenate([upper, padding]), bounds[:-1])
    if bounds[-2] < bounds[-1] == len(lower):
        first[-1], last[-1] = lower[bounds[-2] :].min(axis=0), upper[bounds[-2] :].max(axis=0)
    empty = np.diff(bounds) == 0
    first[empty], last[empty] = FAR, -FAR
    return first, last


SKY_RAYS = 32
MAP_MARGIN = 0.3
"""Width of the strip around an object in which it takes light from the floor."""
MAP_HEIGHT = 0.001
CORNER_LIFT = 0.006
INWARD = 0.08
"""Corners are moved this far towards the middle of their triangle, since they may lie inside of another piece."""
NORMAL_LEVELS = 8
_preparing = Lock()

Form = tuple[str, int | str]
"""A category of objects and the seed of its form."""


@dataclass(frozen=True, eq=False)
class PreparedMesh:
    """A mesh in the order of its tree, all as NumPy arrays; see `scene.Geometry` and `scene.Surfaces`."""

    tree: Tree
    corners: np.ndarray
    """float32 [triangle, 3, 3]."""
    normals: np.ndarray
    """float32 [triangle, 3, 3]."""
    tints: np.ndarray
    """float32 [triangle, 2]."""
    map_half: float
    center: np.ndarray
    """[3]: of its box and its bounding sphere."""
    half: np.ndarray
    """[3]: half the size of its box."""
    radius: float
    """Of its bounding sphere."""
    open_sky: np.ndarray
    """float32 [triangle, 3]."""
    floor_map: np.ndarray
    """float32 [MAP_SIDE * MAP_SIDE]."""


def prepared(form: Form, device: Any) -> PreparedMesh:
    """A mesh of an object, cached."""
    with _preparing:
        return _prepared(form, str(device))


@lru_cache(maxsize=1024)
def _prepared(form: Form, device: str) -> PreparedMesh:
    return prepare(build_object(*form).mesh, device)


def prepare(mesh: ObjectMesh, device: str) -> PreparedMesh:
    """Builds the tree of a mesh and computes its sky light on a device."""
    tree = build_tree(mesh.vertices[mesh.faces])
    faces = mesh.faces[tree.order]
    triangles, normals = mesh.vertices[faces], mesh.normals[tree.order]
    corners = np.stack([triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]], axis=1)
    tints = np.array([ROLE_TINTS.get(role, (1.0, 0.0)) for role in mesh.roles], np.float32)[mesh.part[tree.order]]
    low, high = mesh.vertices.min(axis=0).astype(float), mesh.vertices.max(axis=0).astype(float)
    center = 0.5 * (low + high)
    radius = float(np.linalg.norm(mesh.vertices - center, axis=1).max())
    map_half = float(np.abs(mesh.vertices[:, :2]).max()) + MAP_MARGIN
    none = np.zeros((len(faces), 3), np.float32)
    bare = PreparedMesh(
        tree, corners, normals, tints, map_half, center, 0.5 * (high - low), radius, none, np.zeros(MAP_SIDE**2)
    )
    open_sky, floor_map = _sky(bare, triangles, faces, device)
    return PreparedMesh(
        tree, corners, normals, tints, map_half, center, bare.half, radius, open_sky, floor_map.astype(np.float32)
    )


def _sky(mesh: PreparedMesh, triangles: np.ndarray, faces: np.ndarray, device: str) -> tuple[np.ndarray, np.ndarray]:
    """The share of the sky at all corners and at the texels of the floor map."""
    key = np.rint(mesh.normals * NORMAL_LEVELS).astype(np.int64) + NORMAL_LEVELS
    key = (faces * 64 + key[..., 0]) * 4096 + key[..., 1] * 64 + key[..., 2]
    _, first, inverse = np.unique(key.reshape(-1), return_index=True, return_inverse=True)
    inner = triangles + INWARD * (triangles.mean(axis=1, keepdims=True) - triangles)
    points = (inner + CORNER_LIFT * mesh.normals).reshape(-1, 3)[first]
    across = np.linspace(-mesh.map_half, mesh.map_half, MAP_SIDE)
    texels = np.stack([*np.meshgrid(across, across), np.full((MAP_SIDE, MAP_SIDE), MAP_HEIGHT)], axis=-1).reshape(-1, 3)
    up = np.tile(np.array([0.0, 0.0, 1.0]), (len(texels), 1))
    share = open_shares(
        mesh, np.concatenate([points, texels]), np.concatenate([mesh.normals.reshape(-1, 3)[first], up]), device
    )
    corners = share[: len(points)][inverse.reshape(-1)].reshape(-1, 3)
    edge = (mesh.map_half - np.abs(texels[:, :2]).max(axis=1)) / (0.6 * MAP_MARGIN)
    return corners, 1.0 - (1.0 - share[len(points) :]) * np.clip(edge, 0.0, 1.0)


def open_shares(mesh: PreparedMesh, points: np.ndarray, normals: np.ndarray, device: str) -> np.ndarray:
    """float32 [point]: the share of the sky about each normal that a mesh leaves free."""
    geometry, _ = mesh_arrays([mesh], device)
    result = wp.empty(len(points), dtype=float, device=device)
    vectors = [wp.array(one.astype(np.float32), dtype=wp.vec3, device=device) for one in (points, normals, _about_up())]
    wp.launch(bake_sky, dim=len(points), inputs=[geometry, *vectors, result], device=device, block_dim=BLOCK)
    return np.array(result.numpy())


def _about_up() -> np.ndarray:
    """[ray, 3]: directions about (0, 0, 1), as dense as a surface takes light from them."""
    index = np.arange(SKY_RAYS)
    reach, angle = np.sqrt((index + 0.5) / SKY_RAYS), index * np.pi * (3.0 - 5.0**0.5)
    return np.stack([reach * np.cos(angle), reach * np.sin(angle), np.sqrt(1.0 - reach * reach)], axis=-1)


def mesh_arrays(meshes: Sequence[PreparedMesh], device: Any) -> tuple[Any, Any]:
    """The `Geometry` and the `Surfaces` of some meshes on a device, one after the other."""
    geometry, surfaces = Geometry(), Surfaces()
    if not meshes:
        return geometry, surfaces
    rows = np.zeros(len(meshes), MESH_ROW)
    nodes = leaves = triangles = 0
    for number, mesh in enumerate(meshes):
        rows[number] = (nodes, mesh.tree.leaves, leaves, triangles, number * MAP_SIDE**2, mesh.map_half)
        nodes, leaves = nodes + len(mesh.tree.boxes), leaves + len(mesh.tree.starts)
        triangles += len(mesh.corners)

    def joined(dtype: Any, parts: Sequence[np.ndarray]) -> Any:
        return wp.array(np.concatenate(parts), dtype=dtype, device=device)

    geometry.meshes = wp.array(rows, dtype=MeshRow, device=device)
    geometry.boxes = joined(wp.float32, [mesh.tree.boxes.reshape(-1) for mesh in meshes])
    geometry.starts = joined(wp.int32, [mesh.tree.starts for mesh in meshes])
    geometry.corners = joined(wp.vec3, [mesh.corners.reshape(-1, 3) for mesh in meshes])
    surfaces.normals = joined(wp.vec3, [mesh.normals for mesh in meshes])
    surfaces.open_sky = joined(wp.vec3, [mesh.open_sky for mesh in meshes])
    surfaces.tints = joined(wp.vec2, [mesh.tints for mesh in meshes])
    surfaces.maps = joined(wp.float32, [mesh.floor_map for mesh in meshes])
    return geometry, surfaces


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
