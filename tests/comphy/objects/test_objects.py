"""ComPhy-DIV's objects: closed meshes, convex parts that fit them, upright at rest, the same bits everywhere."""

from hashlib import sha256

import numpy as np
import pytest

from tumble.comphy.objects.shape import CATEGORIES, ObjectError, ObjectShape, build_object, face_normals
from tumble.comphy.objects.solids import Surface, is_closed

SEEDS = range(3)
DIGEST = "90d60607359e917d"
"""Of the shapes of all categories; it must be the same on every machine."""
DIRECTIONS = np.array([(np.cos(angle), np.sin(angle)) for angle in np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)])


def slice_points(vertices: np.ndarray, edges: np.ndarray, height: float) -> np.ndarray:
    """[k, 2]: where edges [m, 2] cross a height."""
    one, other = vertices[edges[:, 0]], vertices[edges[:, 1]]
    crossing = (one[:, 2] < height) != (other[:, 2] < height)
    one, other = one[crossing], other[crossing]
    share = (height - one[:, 2]) / (other[:, 2] - one[:, 2])
    return np.asarray((one + share[:, None] * (other - one))[:, :2])


def extents(shape: ObjectShape, height: float) -> tuple[np.ndarray, np.ndarray]:
    """How far the mesh and the convex parts reach in each direction at a height."""
    faces = shape.mesh.faces
    edges = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    mesh = slice_points(shape.mesh.vertices.astype(float), edges, height)
    parts = [
        slice_points(part.vertices, np.argwhere(np.ones((len(part.vertices),) * 2)), height) for part in shape.parts
    ]
    return (mesh @ DIRECTIONS.T).max(axis=0), (np.concatenate(parts) @ DIRECTIONS.T).max(axis=0)


def volume(mesh: Surface) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, corner]].astype(float) for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("category", CATEGORIES)
def test_shape(category: str) -> None:
    for seed in SEEDS:
        check_shape(build_object(category, seed))


def check_shape(shape: ObjectShape) -> None:
    mesh = shape.mesh
    assert is_closed(mesh.faces)
    assert not is_closed(mesh.faces[1:])
    for role in range(len(mesh.roles)):
        assert volume(Surface(mesh.vertices, mesh.faces[mesh.part == role])) > 0.0
    assert 300 <= len(mesh.faces) <= 3000
    assert mesh.vertices[:, 2].min() == 0.0
    assert shape.height <= 0.65
    assert 0.11 <= shape.radius <= 0.32
    assert shape.tipping_angle > 22.0
    normals = face_normals(mesh.vertices.astype(float), mesh.faces)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=-1), 1.0, atol=1e-5)
    assert ((mesh.normals * normals[:, None]).sum(axis=-1) > 0.5).all()


@pytest.mark.parametrize("category", CATEGORIES)
def test_convex_parts_fit_the_mesh(category: str) -> None:
    shape = build_object(category, 1)
    for share in (0.03, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93):
        mesh, parts = extents(shape, share * shape.height)
        np.testing.assert_allclose(parts, mesh, atol=0.025, err_msg=f"{share}")


def test_proportions_depend_on_the_seed_alone() -> None:
    digest = sha256()
    for category in CATEGORIES:
        shape = build_object.__wrapped__(category, 0)
        assert shape.height != build_object(category, 1).height
        for array in (shape.mesh.vertices, shape.mesh.faces, shape.mesh.normals, shape.inertia):
            digest.update(array.tobytes())
        for part in shape.parts:
            digest.update(part.vertices.tobytes())
    assert digest.hexdigest()[:16] == DIGEST


def test_unknown_category() -> None:
    with pytest.raises(ObjectError, match="no category 'cube'; there are mug, pot, chair"):
        build_object("cube", 0)
