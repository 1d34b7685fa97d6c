"""Small scenes of objects on stages, and rays through their meshes by NumPy."""

import numpy as np

from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.objects.shape import ObjectMesh
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.staged import ObjectLook, StagedClip

SIZE = (96, 64)
STAGE = Stage("concrete", "lamp", 1)


def staged(*objects: tuple[ObjectLook, float, float], stage: Stage = STAGE, angle: float = 0.4) -> StagedClip:
    """One frame of objects on a stage: (look, x, y)."""
    positions = np.array([[[x, y, 0.0] for _, x, y in objects]]).reshape(1, len(objects), 3)
    turn = [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]
    return StagedClip(
        tuple(look for look, _, _ in objects), positions, np.tile(turn, (1, len(objects), 1)).reshape(1, -1, 4), stage
    )


def box_mesh(half: tuple[float, float, float], rise: float) -> ObjectMesh:
    """A box whose base is `rise` above the floor."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    vertices = signs * half + (0.0, 0.0, half[2] + rise)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return ObjectMesh(
        vertices.astype(np.float32),
        faces.astype(np.int32),
        np.repeat(normals[:, None], 3, axis=1).astype(np.float32),
        np.zeros(len(faces), np.int32),
        ("body",),
    )


def pixel_rays() -> np.ndarray:
    """[height, width, 3]: directions through the middles of all pixels, 1 long along the view."""
    width, height = SIZE
    right, up, forward = CAMERA.axes
    scale = CAMERA.sensor_width / CAMERA.focal_length
    x = ((np.arange(width) + 0.5) / width - 0.5) * scale
    y = (0.5 - (np.arange(height) + 0.5) / height) * scale / CAMERA.aspect
    return forward + x[None, :, None] * right + y[:, None, None] * up


def turned(points: np.ndarray, angle: float, x: float, y: float) -> np.ndarray:
    """Points of an object in the world."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return points @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]) + (x, y, 0.0)


def first_hits(triangles: np.ndarray, origin: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """[...]: distance, in lengths of the ray, at which each ray meets the first triangle; infinite for none."""
    nearest = np.full(rays.shape[:-1], np.inf)
    for corner, one, other in zip(triangles[:, 0], triangles[:, 1], triangles[:, 2], strict=True):
        edges = np.stack(
            [np.broadcast_to(one - corner, rays.shape), np.broadcast_to(other - corner, rays.shape), -rays]
        )
        solvable = np.abs(np.linalg.det(np.moveaxis(edges, 0, -1))) > 1e-12
        matrices = np.where(solvable[..., None, None], np.moveaxis(edges, 0, -1), np.eye(3))
        u, v, t = np.moveaxis(
            np.linalg.solve(matrices, (origin - corner)[:, None] + np.zeros((*rays.shape, 1)))[..., 0], -1, 0
        )
        hit = solvable & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)
        nearest = np.where(hit, np.minimum(nearest, t), nearest)
    return nearest
