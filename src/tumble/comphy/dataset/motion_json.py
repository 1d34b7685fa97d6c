"""Reads motion from JSON: `motion_trajectory` and `collision` of the published files, and the authors' older names."""

from sys import float_info
from typing import Any

import numpy as np

from tumble.comphy.dataset.euler import quaternions
from tumble.comphy.dataset.json_files import DataError, Record, abbreviate
from tumble.comphy.dataset.motion_text import IN_VIEW, LIMIT, within_limit
from tumble.comphy.simulation.events import debounced_collisions
from tumble.comphy.tasks.constants import STEPS_PER_SECOND
from tumble.comphy.tasks.motion import Collision, Motion

_FIELDS = ("location", "velocity", "angular_velocity")
_IN_VIEW = (IN_VIEW, "inside_camera_view")


def read_motion(document: Record, bodies: int, frames: int) -> Motion:
    """The motion of a number of bodies, for at least a number of frames."""
    rows = document.items("motion_trajectory", "motion")
    if len(rows) < frames:
        raise DataError(f"{document.where}: motion_trajectory has {len(rows)} frames, there must be {frames}")
    try:
        bodies_by_frame = [row["objects"] for row in rows]
        positions, velocities, angular_velocities = (_numbers(bodies_by_frame, name, bodies, 3) for name in _FIELDS)
        view_name = next((name for name in _IN_VIEW if name in bodies_by_frame[0][0]), _IN_VIEW[0])
        in_view = np.array([[body[view_name] for body in frame] for frame in bodies_by_frame])
        if in_view.dtype != bool or in_view.shape != positions.shape[:2]:
            raise ValueError
        if "quaternion" in bodies_by_frame[0][0]:
            orientations = _numbers(bodies_by_frame, "quaternion", bodies, 4)
        else:
            orientations = quaternions(_numbers(bodies_by_frame, "orientation", bodies, 3))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise DataError(_first_fault(document, bodies)) from None
    return Motion(positions, orientations, velocities, angular_velocities, in_view, _collisions(document, bodies))


def _numbers(frames: list[Any], name: str, bodies: int, width: int) -> np.ndarray:
    """[frame, body, width]: a field of all objects; ValueError where it is not numbers of that shape."""
    array = np.array([[body[name] for body in frame] for frame in frames], dtype=float)
    if array.shape != (len(frames), bodies, width) or not within_limit(array):
        raise ValueError
    return array


def _first_fault(document: Record, bodies: int) -> str:
    """What made reading the trajectory fail, for an error message."""
    for frame in document.records("motion_trajectory", "motion"):
        objects = frame.records("objects")
        if len(objects) != bodies:
            return f"{frame.where}: there are {len(objects)} objects, not {bodies} as in object_property"
        for body in objects:
            rotation = {"quaternion": 4} if "quaternion" in body else {"orientation": 3}
            widths = {**dict.fromkeys(_FIELDS, 3), **rotation}
            for name, width in widths.items():
                numbers = body.items(name)
                are_numbers = len(numbers) == width and all(_is_number(value) for value in numbers)
                if not are_numbers or not within_limit(np.array(numbers, float)):
                    return f"{body.where}: {name} must be {width} numbers below {LIMIT}, not {abbreviate(numbers)}"
            if not isinstance(body.get(*_IN_VIEW), bool):
                return f"{body.where}: {_IN_VIEW[0]} must be true or false, not {abbreviate(body.get(*_IN_VIEW))}"
    return f"{document.where}: motion_trajectory: not every object has the same fields in every frame"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= float_info.max


def _collisions(document: Record, bodies: int) -> tuple[Collision, ...]:
    """Debounced collisions by step: published files list every contact of a pair that stays together."""
    contacts = []
    if "collision" in document or "collisions" in document:
        for contact in document.records("collision", "collisions"):
            pair = contact.items("object_idxs", "object_ids")
            if len(pair) != 2 or not all(isinstance(k, int) and 0 <= k < bodies for k in pair) or pair[0] == pair[1]:
                raise DataError(
                    f"{contact.where}: object_idxs must be two of the {bodies} objects, not {abbreviate(pair)}"
                )
            contacts.append((_step(contact), *sorted(pair)))
    return debounced_collisions(sorted(contacts, key=lambda contact: contact[0]))


def _step(contact: Record) -> int:
    if "step" in contact:
        return contact.integer("step")
    seconds: float = contact.get("step", "time")
    if not _is_number(seconds):
        raise DataError(f"{contact.where}: time must be a number, not {abbreviate(seconds)}")
    return round(seconds * STEPS_PER_SECOND)
