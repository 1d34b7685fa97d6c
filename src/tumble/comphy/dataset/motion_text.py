"""The motion fields of an annotation as JSON text, written for all frames at once: a dataset is mostly such text."""

import json
from collections.abc import Mapping

import numpy as np

from tumble.comphy.dataset.euler import euler_angles
from tumble.comphy.tasks.motion import DECIMALS, Motion

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
