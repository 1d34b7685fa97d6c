"""Objects' meshes ready to render: their trees, tints, and the sky's light on them and on the floor around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.objects.registry import build
from tumble.comphy.objects.shape import ObjectMesh
from tumble.comphy.observation.renderer.warp_module import BLOCK
from tumble.comphy.observation.staged.bvh import Tree, build_tree
from tumble.comphy.observation.staged.look import ROLE_TINTS
from tumble.comphy.observation.staged.scene import MAP_SIDE, MESH_ROW, Geometry, MeshRow, Surfaces
from tumble.comphy.observation.staged.sky_bake import bake_sky

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
    return prepare(build(*form).mesh, device)


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
