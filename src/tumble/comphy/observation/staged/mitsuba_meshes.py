"""Objects and floors in the form that Mitsuba reads: painted meshes as PLY files, and a floor as a bitmap."""

from pathlib import Path

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.view import view_of
from tumble.comphy.observation.renderer.warp_module import BLOCK
from tumble.comphy.observation.staged.floor_bake import bake_floor
from tumble.comphy.observation.staged.look import ObjectLook, look_row
from tumble.comphy.observation.staged.mesh import prepared
from tumble.comphy.observation.staged.patterns import paint_points
from tumble.comphy.observation.staged.scene import LookRow, StageRow
from tumble.comphy.observation.staged.stage import stage_rows
from tumble.comphy.tasks.stage import Stage

PLAIN_CUTS, PATTERN_CUTS = 0, 2
"""How often triangles are cut into four, so that corners carry a pattern."""
DEVICE = "cpu"
VERTEX = np.dtype([(name, "<f4") for name in ("x", "y", "z", "nx", "ny", "nz", "r", "g", "b")])
FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])


def write_object(path: Path, look: ObjectLook) -> None:
    """Writes an object with its colours, in its own space, as a PLY file."""
    mesh = prepared((look.shape, look.form), DEVICE)
    first, edge, other = mesh.corners[:, 0], mesh.corners[:, 1], mesh.corners[:, 2]
    corners = np.stack([first, first + edge, first + other], axis=1)
    normals, tints = mesh.normals, mesh.tints
    for _ in range(PLAIN_CUTS if look.pattern == "plain" else PATTERN_CUTS):
        corners, normals, tints = cut(corners), cut(normals), np.repeat(tints, 4, axis=0)
    vertices = np.zeros(3 * len(corners), VERTEX)
    points = corners.reshape(-1, 3)
    for fields, values in (("xyz", points), (("nx", "ny", "nz"), normals.reshape(-1, 3))):
        for name, column in zip(fields, values.T, strict=True):
            vertices[name] = column
    for name, column in zip("rgb", colors_at(look, points, np.repeat(tints, 3, axis=0)).T, strict=True):
        vertices[name] = column
    faces = np.zeros(len(corners), FACE)
    faces["count"], faces["corners"] = 3, np.arange(len(vertices)).reshape(-1, 3)
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}"]
    lines += [f"property float {name}" for name in VERTEX.names or ()]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    path.write_bytes("\n".join(lines).encode() + vertices.tobytes() + faces.tobytes())


def cut(triangles: np.ndarray) -> np.ndarray:
    """[n, 3, 3] triangles, or normals at their corners, to [4 n, 3, 3]: each cut at the middles of its edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.stack([np.stack(part, axis=1) for part in parts], axis=1).reshape(-1, 3, 3)


def colors_at(look: ObjectLook, points: np.ndarray, tints: np.ndarray) -> np.ndarray:
    """float32 [point, 3]: the linear colour of an object at points of its own space."""
    row = wp.array(look_row(look)[None], dtype=LookRow, device=DEVICE).list()[0]
    arrays = wp.array(points, dtype=wp.vec3, device=DEVICE), wp.array(tints, dtype=wp.vec2, device=DEVICE)
    colors = wp.empty(len(points), dtype=wp.vec3, device=DEVICE)
    wp.launch(paint_points, dim=len(points), inputs=[row, *arrays, colors], device=DEVICE, block_dim=BLOCK)
    return np.array(colors.numpy())


def floor_bitmap(stage: Stage, camera: Camera, texels: int) -> tuple[np.ndarray, np.ndarray, float]:
    """A square of the floor around all that the camera sees: float32 [texel, texel, 3] from below, middle and side."""
    seen = camera.places(np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]), 0.0)
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle, side = 0.5 * (low + high), float((high - low).max())
    left, bottom = middle - 0.5 * side
    rows = wp.array(stage_rows(stage).row[None], dtype=StageRow, device=DEVICE)
    floor = wp.empty((texels, texels), dtype=wp.vec3, device=DEVICE)
    inputs = [view_of(camera, (texels, texels)), wp.vec3(left, bottom, side / texels), rows, floor]
    wp.launch(bake_floor, dim=(texels, texels), inputs=inputs, device=DEVICE, block_dim=BLOCK)
    return np.array(floor.numpy()), middle, side
