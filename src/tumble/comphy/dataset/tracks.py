"""Tracks: the bounding boxes of bodies in a video, in files and in normalised form, and sets that are made of them.

In files a box is (left, top, right, bottom) in pixels, and the box of an invisible body is the whole picture, as in
the published tracks. A normalised box is (centre x, centre y, width, height), each from 0 to 1, or four times -1
for an invisible body.

Where files hold boxes, but no annotation of motion, a set has bodies and an approximate motion from its tracks.
Beside the boxes of a video (.npy) a file of the same name (.json) has the looks of the bodies in its list `config`,
as the authors' own detector writes them. Bodies are put on the table where our camera would see the boxes' centres.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from tumble.bounded import BoundError, array, read_bytes
from tumble.comphy.catalogue.body import MATERIALS, Body, Motion, rotate_vectors
from tumble.comphy.catalogue.video_set import Reference
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    CYLINDER_HALF_HEIGHT,
    FRAMES_PER_SECOND,
    HALF_HEIGHTS,
    OBJECT_POINT,
    RADIUS,
)
from tumble.comphy.dataset.annotations import StoredTarget, bodies_of, matched_members
from tumble.comphy.dataset.json_files import DataError, Record, read_json
from tumble.comphy.objects.shape import build_object
from tumble.comphy.observation.camera import CAMERA
from tumble.scene.files import whole_file

ABSENT = -1.0
"""Coordinates of an invisible body's normalised box."""
LARGEST_COORDINATE = 1e6
"""Pixels."""
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)


def write_boxes(path: Path, boxes: np.ndarray, size: tuple[int, int]) -> None:
    """Writes boxes [frame, body, 4] in pixels of a picture of this width and height; NaN for invisible bodies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        np.save(partial, np.where(np.isnan(boxes), np.array([0, 0, *size]), boxes).astype(np.float32))


def read_boxes(path: Path) -> np.ndarray:
    """The boxes in a file, [frame, body, 4] in pixels."""
    try:
        boxes = array(read_bytes(path))
    except (BoundError, OSError) as error:
        raise DataError(f"{path}: it can't be read: {error}") from None
    if boxes.ndim != 3 or boxes.shape[2] != 4 or boxes.dtype.kind not in "iuf":
        raise DataError(f"{path}: must be an array of numbers [frame, body, 4]")
    if not (np.abs(boxes) <= LARGEST_COORDINATE).all():
        raise DataError(f"{path}: boxes must be finite numbers of pixels")
    return boxes


def normalise_boxes(boxes: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """float32 [frame, body, 4]: normalised boxes, from boxes in pixels of a picture of this width and height."""
    scaled = np.asarray(boxes, np.float32) / np.array([*size, *size], np.float32)
    left, top, right, bottom = np.moveaxis(scaled, -1, 0)
    normalised = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], axis=-1)
    normalised[(boxes == (0, 0, *size)).all(axis=-1)] = ABSENT
    return normalised


def pixel_boxes(boxes: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """float32 [frame, body, 4]: boxes in pixels of a picture of this width and height, from normalised ones.

    They are rounded to thousandths of a pixel, so that whole pixels stay whole; NaN for invisible bodies.
    """
    centres, halves = np.asarray(boxes[..., :2], float), np.asarray(boxes[..., 2:], float) / 2
    pixels = np.concatenate([centres - halves, centres + halves], axis=-1) * np.array([*size, *size])
    pixels[(boxes == ABSENT).all(axis=-1)] = np.nan
    return np.asarray(pixels.round(3), np.float32)


def project_boxes(bodies: tuple[Body, ...], motion: Motion) -> np.ndarray:
    """float32 [frame, body, 4]: normalised boxes from the positions of bodies, without occlusion."""
    boxes = np.full((motion.frames, len(bodies), 4), ABSENT, np.float32)
    for k, body in enumerate(bodies):
        surface = rotate_vectors(motion.orientations[:, k, None], _surface(body)[None])
        points = CAMERA.project(motion.positions[:, k, None] + surface)[..., :2]
        low, high = np.clip(points.min(axis=1), 0.0, 1.0), np.clip(points.max(axis=1), 0.0, 1.0)
        visible = (high > low).all(axis=-1)
        boxes[visible, k] = np.concatenate([(low + high) / 2, high - low], axis=-1)[visible]
    return boxes


def _sphere() -> np.ndarray:
    heights = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 13))
    rings = np.sqrt(1.0 - heights**2)
    x, y = np.multiply.outer(rings, np.cos(_ANGLES)), np.multiply.outer(rings, np.sin(_ANGLES))
    z = np.broadcast_to(heights[:, None], x.shape)
    return RADIUS * np.stack([x, y, z], axis=-1).reshape(-1, 3)


def _cylinder() -> np.ndarray:
    ring = np.stack([RADIUS * np.cos(_ANGLES), RADIUS * np.sin(_ANGLES)], axis=-1)
    ends = (-CYLINDER_HALF_HEIGHT, CYLINDER_HALF_HEIGHT)
    return np.concatenate([np.column_stack([ring, np.full(len(ring), end)]) for end in ends])


def _surface(body: Body) -> np.ndarray:
    """[point, 3]: points on the surface of a body, from the point that stands for it."""
    return _SURFACES[body.shape] if body.shape in _SURFACES else _object_surface(body.shape, body.form)


@lru_cache(maxsize=64)
def _object_surface(shape: str, form: int) -> np.ndarray:
    """The vertices of an object of the div world."""
    vertices = build_object(shape, form).mesh.vertices.astype(float)
    return np.unique(vertices, axis=0) - (0.0, 0.0, OBJECT_POINT)


_SURFACES = {
    "cube": CUBE_HALF_SIZE * np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3),
    "sphere": _sphere(),
    "cylinder": _cylinder(),
}
"""Points on the surface of each shape, [point, 3]."""


OUT_OF_VIEW = (0.0, -14.0)
"""Where a body is put while it has no box: behind the camera."""


def target_of_tracks(looks: Path, boxes: np.ndarray) -> StoredTarget:
    """The bodies and the motion of a target, from the file of its looks and its normalised boxes [frame, body, 4]."""
    document, bodies, has_properties = _looks(looks, boxes)
    return StoredTarget(document, bodies, has_properties, motion_of_boxes(boxes, bodies))


def reference_of_tracks(looks: Path, boxes: np.ndarray, bodies: tuple[Body, ...]) -> Reference:
    """A reference of a set with these bodies, in the same way."""
    _, members, _ = _looks(looks, boxes)
    return Reference(matched_members(members, bodies, looks), motion_of_boxes(boxes, members))


def motion_of_boxes(boxes: np.ndarray, bodies: tuple[Body, ...]) -> Motion:
    """The motion of bodies with normalised boxes [frame, body, 4]: on the table, unturned, without collisions."""
    heights = np.broadcast_to([HALF_HEIGHTS[body.shape] for body in bodies], boxes.shape[:2])
    in_view = (boxes != ABSENT).any(axis=-1)
    places = CAMERA.places(np.where(in_view[..., None], boxes[..., :2], 0.5), heights)
    in_view = in_view & np.isfinite(places).all(axis=-1)
    places = np.where(in_view[..., None], places, OUT_OF_VIEW)
    positions = np.concatenate([places, heights[..., None]], axis=-1)
    velocities = np.zeros_like(positions)
    if len(positions) > 1:
        velocities[1:] = np.diff(positions, axis=0) * FRAMES_PER_SECOND
        velocities[0] = velocities[1]
        velocities[1:][~(in_view[1:] & in_view[:-1])] = 0.0
    orientations = np.broadcast_to((1.0, 0.0, 0.0, 0.0), (*in_view.shape, 4)).copy()
    return Motion(positions, orientations, velocities, np.zeros_like(positions), in_view)


def _looks(path: Path, boxes: np.ndarray) -> tuple[Record, tuple[Body, ...], bool]:
    """The document, the bodies, and whether it has their masses and charges; without a material they are of rubber."""
    if not path.exists():
        raise DataError(
            f'{path}: there is no such file; it must give the looks of the bodies: {{"config": [{{"color": "red", '
            '"shape": "cube"}, …]}, in the order of the boxes'
        )
    document = Record(read_json(path), str(path))
    records = [{"material": MATERIALS[0], **record.value} for record in document.records("config", "object_property")]
    bodies, has_properties = bodies_of(Record({"config": records}, str(path)))
    if len(bodies) != boxes.shape[1]:
        raise DataError(f"{path}: there are {len(bodies)} bodies, and boxes of {boxes.shape[1]}")
    return document, bodies, has_properties
