"""Motion as JSON: what the published files call `motion_trajectory` and `collision`, and the authors' older names."""

from typing import Any

import numpy as np

from tumble.comphy.dataset.euler import euler_angles, quaternions
from tumble.comphy.dataset.json_files import DataError, Record, short
from tumble.comphy.simulation.events import collisions_of
from tumble.comphy.tasks.constants import STEPS_PER_SECOND
from tumble.comphy.tasks.motion import DECIMALS, Collision, Motion

_FIELDS = ("location", "velocity", "angular_velocity")
_INSIDE = ("inside_scene", "inside_camera_view")


def motion_fields(motion: Motion) -> dict[str, Any]:
    """The fields of an annotation that tell how bodies move. The quaternion is ours: angles would round it."""
    angles = np.round(euler_angles(motion.orientations), DECIMALS)
    columns = [
        array.tolist()
        for array in (motion.positions, angles, motion.velocities, motion.spins, motion.orientations, motion.inside)
    ]
    names = ("location", "orientation", "velocity", "angular_velocity", "quaternion", "inside_scene")
    return {
        "motion_trajectory": [
            {"objects": [dict(zip(names, body, strict=True)) for body in zip(*frame, strict=True)]}
            for frame in zip(*columns, strict=True)
        ],
        "collision": [{"object_idxs": list(each.pair), "step": each.step} for each in motion.collisions],
    }


def read_motion(document: Record, bodies: int, frames: int) -> Motion:
    """The motion of so many bodies, for that many frames at least."""
    rows = document.items("motion_trajectory", "motion")
    if len(rows) < frames:
        raise DataError(f"{document.place}: motion_trajectory has {len(rows)} frames, there must be {frames}")
    try:
        bodies_by_frame = [row["objects"] for row in rows]
        positions, velocities, spins = (_numbers(bodies_by_frame, name, bodies, 3) for name in _FIELDS)
        inside_name = next((name for name in _INSIDE if name in bodies_by_frame[0][0]), _INSIDE[0])
        inside = np.array([[body[inside_name] for body in frame] for frame in bodies_by_frame])
        if inside.dtype != bool or inside.shape != positions.shape[:2]:
            raise ValueError
        if "quaternion" in bodies_by_frame[0][0]:
            orientations = _numbers(bodies_by_frame, "quaternion", bodies, 4)
        else:
            orientations = quaternions(_numbers(bodies_by_frame, "orientation", bodies, 3))
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError(_first_mistake(document, bodies)) from None
    return Motion(positions, orientations, velocities, spins, inside, _collisions(document, bodies))


def _numbers(frames: list[Any], name: str, bodies: int, width: int) -> np.ndarray:
    """[frame, body, width]."""
    array = np.array([[body[name] for body in frame] for frame in frames], dtype=float)
    if array.shape != (len(frames), bodies, width) or not np.isfinite(array).all():
        raise ValueError
    return array


def _first_mistake(document: Record, bodies: int) -> str:
    """In words, what made reading the trajectory fail."""
    for frame in document.records("motion_trajectory", "motion"):
        objects = frame.records("objects")
        if len(objects) != bodies:
            return f"{frame.place}: there are {len(objects)} objects, not {bodies} as among the properties"
        for body in objects:
            turn = {"quaternion": 4} if "quaternion" in body else {"orientation": 3}
            widths = {**dict.fromkeys(_FIELDS, 3), **turn}
            for name, width in widths.items():
                numbers = body.items(name)
                if len(numbers) != width or not all(_is_number(value) for value in numbers):
                    return f"{body.place}: {name} must be {width} numbers, not {short(numbers)}"
            if not isinstance(body.get(*_INSIDE), bool):
                return f"{body.place}: {_INSIDE[0]} must be true or false, not {short(body.get(*_INSIDE))}"
    return f"{document.place}: motion_trajectory: not every object has the same fields in every frame"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))


def _collisions(document: Record, bodies: int) -> tuple[Collision, ...]:
    """Collisions by their steps, debounced: published files list every contact of a pair that stays together."""
    touches = []
    if "collision" in document or "collisions" in document:
        for touch in document.records("collision", "collisions"):
            pair = touch.items("object_idxs", "object_ids")
            if len(pair) != 2 or not all(isinstance(k, int) and 0 <= k < bodies for k in pair) or pair[0] == pair[1]:
                raise DataError(f"{touch.place}: object_idxs must be two of the {bodies} objects, not {short(pair)}")
            touches.append((_step(touch), *sorted(pair)))
    return collisions_of(sorted(touches, key=lambda touch: touch[0]))


def _step(touch: Record) -> int:
    if "step" in touch:
        return touch.whole("step")
    seconds: float = touch.get("step", "time")
    if not _is_number(seconds):
        raise DataError(f"{touch.place}: time must be a number, not {short(seconds)}")
    return round(seconds * STEPS_PER_SECOND)
