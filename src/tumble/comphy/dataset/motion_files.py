"""Motion as JSON: the fields of annotations, written and read, and the form that the ComPhy authors' programs read.

Text is written for all frames at once, since a dataset is mostly such text; the authors' older names are read too.
In the authors' form (`config`, `motion`, and `collisions` with a time) a motion of 125 frames and the properties of
bodies in it are what they call a prediction; `known_worlds` collects those that a set has. Orientations in files
are rotations about the world's x, then y, then z axis.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from sys import float_info
from typing import Any

import numpy as np

from tumble.comphy.catalogue.body import CHARGES, DECIMALS, MASSES, Body, Collision, Motion
from tumble.comphy.catalogue.video_set import VideoSet, world_key
from tumble.comphy.catalogue.world import STEPS_PER_FRAME, STEPS_PER_SECOND
from tumble.comphy.dataset.json_files import DataError, Record, abbreviate
from tumble.comphy.simulation.events import debounced_collisions


def euler_angles(quaternions: np.ndarray) -> np.ndarray:
    """[..., 4] unit quaternions, the real part first, to [..., 3] angles in radians."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    about_y = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    about_x = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    about_z = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    is_locked = np.abs(2.0 * (w * y - z * x)) > 1.0 - 1e-9  # gimbal lock: the rotation about z is given to x
    about_x = np.where(is_locked, 2.0 * np.arctan2(x, w), about_x)
    return np.stack([about_x, about_y, np.where(is_locked, 0.0, about_z)], axis=-1)


def quaternions(euler: np.ndarray) -> np.ndarray:
    """[..., 3] angles in radians to [..., 4] unit quaternions, the real part first."""
    half = np.asarray(euler, float) / 2.0
    (cx, cy, cz), (sx, sy, sz) = np.moveaxis(np.cos(half), -1, 0), np.moveaxis(np.sin(half), -1, 0)
    return np.stack(
        [
            cx * cy * cz + sx * sy * sz,
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
        ],
        axis=-1,
    )


IN_VIEW = "inside_scene"
_SCALE = 10**DECIMALS
_GROUP = 1000
"""Digits are looked up in groups of three."""
LIMIT = _GROUP
"""Numbers of a motion are smaller."""
_DIGITS = np.array([list(b"%03d" % number) for number in range(_GROUP)], np.uint8)
"""[number, digit]: the characters of the numbers below 1000."""
_SIGNIFICANT = np.maximum.accumulate(_DIGITS[:, ::-1], axis=1)[:, ::-1] > ord("0")
"""[number, digit]: whether this digit or a later one is not 0."""
_WORDS = np.array([list(b"false"), list(b"true ")], np.uint8)
"""[value, character]: the JSON text of a bool; the space is left out."""

Column = bytes | tuple[np.ndarray, np.ndarray]
"""A column of text: the same in each row, or characters [row, character] and which of them are kept."""


def motion_text(motion: Motion, with_angles: bool = True) -> bytes:
    """`motion_trajectory` and `collision` as members of a JSON object, without its braces.

    The published files have angles but no quaternion, which avoids rounding by angles.
    """
    numbers = {
        "location": motion.positions,
        **({"orientation": euler_angles(motion.orientations)} if with_angles else {}),
        "velocity": motion.velocities,
        "angular_velocity": motion.angular_velocities,
        "quaternion": motion.orientations,
    }
    collisions = [{"object_idxs": list(each.pair), "step": each.step} for each in motion.collisions]
    tail = json.dumps(collisions, separators=(",", ":")).encode()
    return b'"motion_trajectory":[' + _trajectory(numbers, motion.in_view) + b'],"collision":' + tail


def _trajectory(numbers: Mapping[str, np.ndarray], in_view: np.ndarray) -> bytes:
    """The objects of each frame; `numbers` are [frame, body, component]."""
    bodies, rows = in_view.shape[1], in_view.size
    text, keep = decimals(np.concatenate([values.reshape(rows, -1) for values in numbers.values()], axis=1))
    columns: list[Column] = [_where(np.arange(rows) % bodies == 0, b'{"objects":[')]
    opening, number = b"{", 0
    for name, values in numbers.items():
        columns.append(opening + f'"{name}":['.encode())
        for component in range(values.shape[-1]):
            columns += [b","] if component else []
            columns.append((text[:, number], keep[:, number]))
            number += 1
        opening = b"],"
    words = _WORDS[in_view.reshape(rows).astype(int)]
    columns += [f'],"{IN_VIEW}":'.encode(), (words, words != ord(" ")), b"}"]
    columns.append(_where(np.arange(rows) % bodies == bodies - 1, b"]}"))
    columns.append(_where(np.arange(rows) < rows - 1, b","))
    return _joined(rows, columns)


def _where(rows: np.ndarray, text: bytes) -> Column:
    """A column with a text in some rows only."""
    shape = len(rows), len(text)
    return np.broadcast_to(np.frombuffer(text, np.uint8), shape), np.broadcast_to(rows[:, None], shape)


def _joined(rows: int, columns: list[Column]) -> bytes:
    """All columns, row by row."""
    widths = [len(column) if isinstance(column, bytes) else column[0].shape[1] for column in columns]
    text = np.empty((rows, sum(widths)), np.uint8)
    keep = np.ones(text.shape, bool)
    start = 0
    for column, width in zip(columns, widths, strict=True):
        place = slice(start, start + width)
        if isinstance(column, bytes):
            text[:, place] = np.frombuffer(column, np.uint8)
        else:
            text[:, place], keep[:, place] = column
        start += width
    return text[keep].tobytes()


def within_limit(values: np.ndarray) -> bool:
    """Whether all numbers, rounded to DECIMALS places, are finite and below LIMIT."""
    return bool((np.rint(np.abs(values) * _SCALE) < LIMIT * _SCALE).all())  # false for NaN too


def decimals(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers [row, number] as text, rounded to DECIMALS places, without needless zeros.

    Returns characters [row, number, character], and which of them are kept.

    >>> text, keep = decimals(np.array([[-0.25, 12.0]]))
    >>> text[0, 0][keep[0, 0]].tobytes(), text[0, 1][keep[0, 1]].tobytes()
    (b'-0.25', b'12.0')
    """
    if not within_limit(values):
        raise ValueError(f"motion must be finite numbers below {LIMIT}")
    rounded = np.rint(np.abs(values) * _SCALE)
    whole, fraction = np.divmod(rounded.astype(np.int32), _SCALE)
    high, low = np.divmod(fraction, _GROUP)
    text = np.empty((*values.shape, 11), np.uint8)
    keep = np.ones(text.shape, bool)
    text[..., 0], keep[..., 0] = ord("-"), np.signbit(values)
    text[..., 1:4], keep[..., 1], keep[..., 2] = _DIGITS[whole], whole >= 100, whole >= 10
    text[..., 4] = ord(".")
    text[..., 5:8], text[..., 8:11] = _DIGITS[high], _DIGITS[low]
    keep[..., 8:11] = _SIGNIFICANT[low]
    keep[..., 6:8] = _SIGNIFICANT[high][..., 1:] | (low > 0)[..., None]
    return text, keep


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


AUTHOR_SIZE = (480, 320)
"""Width and height of pictures in the authors' programs: all boxes are in these pixels."""
PROPERTY_VALUES = {"mass": tuple(MASSES.values()), "charge": tuple(CHARGES.values())}


def author_config(bodies: tuple[Body, ...], with_properties: bool) -> list[dict[str, Any]]:
    """The attributes of bodies, with or without mass and charge."""
    return [
        {
            "color": body.color,
            "material": body.material,
            "shape": body.shape,
            **({"mass": body.mass, "charge": body.charge} if with_properties else {}),
        }
        for body in bodies
    ]


def author_annotation(bodies: tuple[Body, ...], motion: Motion, with_properties: bool) -> dict[str, Any]:
    """The annotation of a video; `field_config` is a feature that the published data does not use."""
    arrays = {
        "location": motion.positions,
        "orientation": np.round(euler_angles(motion.orientations), DECIMALS),
        "velocity": motion.velocities,
        "angular_velocity": motion.angular_velocities,
        "inside_scene": motion.in_view,
    }
    return {
        "config": author_config(bodies, with_properties),
        "field_config": [],
        "motion": author_motion(arrays),
        "collisions": [{"object_idxs": list(each.pair), "time": collision_time(each)} for each in motion.collisions],
    }


def author_motion(arrays: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Arrays [frame, body, ...] by name, as a list of frames with a list of objects."""
    columns = [array.tolist() for array in arrays.values()]
    return [
        {"objects": [dict(zip(arrays, body, strict=True)) for body in zip(*frame, strict=True)]}
        for frame in zip(*columns, strict=True)
    ]


def collision_time(collision: Collision) -> float:
    """Seconds from which every program reads the collision's frame, step // 10.

    PCR rounds the time to a frame and CPL's executor cuts it off, so the step within the frame is limited to 1 to 4.

    >>> collision_time(Collision(299, 0, 1))
    1.176
    """
    frame, step = divmod(collision.step, STEPS_PER_FRAME)
    return (frame * STEPS_PER_FRAME + min(max(step, 1), 4)) / STEPS_PER_SECOND


def known_worlds(videos: VideoSet) -> dict[tuple[str, int, int], Motion]:
    """The motions that a set has, by property ("mass" or "charge"), body, and the value that the body then has.

    Worlds of the same masses and the same products of charges move alike: all values that lead to the target's world or
    to one of the simulated changes are there.
    """
    motions = {world_key(change.apply(videos.bodies)): motion for change, motion in videos.altered.items()}
    motions[world_key(videos.bodies)] = videos.target
    known = {}
    for name, values in PROPERTY_VALUES.items():
        for k in range(len(videos.bodies)):
            for value in values:
                world = world_key(_with_property(videos.bodies, k, name, value))
                if world in motions:
                    known[name, k, value] = motions[world]
    return known


def _with_property(bodies: tuple[Body, ...], k: int, name: str, value: int) -> tuple[Body, ...]:
    changed = replace(bodies[k], mass=value) if name == "mass" else replace(bodies[k], charge=value)
    return (*bodies[:k], changed, *bodies[k + 1 :])
