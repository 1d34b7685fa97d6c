"""Sets from tracks: their bodies and an approximate motion where files hold boxes, but no annotation of motion.

Beside the boxes of a video (.npy) a file of the same name (.json) has the looks of the bodies in its list `config`, as
the authors' own detector writes them. Bodies are put on the table where our camera would see the boxes' centres.
"""

from pathlib import Path

import numpy as np

from tumble.comphy.dataset.annotations import StoredTarget, bodies_of, matched_members
from tumble.comphy.dataset.json_files import DataError, Record, read_json
from tumble.comphy.dataset.tracks import ABSENT
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.tasks.body import MATERIALS, Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, HALF_HEIGHTS
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Reference

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
