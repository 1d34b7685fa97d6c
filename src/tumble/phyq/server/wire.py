"""The wire format: requests of clients as they are read, the shots in them, and the bytes of replies.

All numbers are big-endian. A request is a byte with its code, and arguments whose length follows from the code. There
is no framing, so an unknown code can't be skipped. Shots are release points in pixels, with taps and delays in
milliseconds.
"""

import math
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.observation.camera import PIXELS_PER_UNIT, to_world
from tumble.phyq.simulation.shots import LONGEST_WAIT, Shot, shot_from
from tumble.scene import Vec


class Code(IntEnum):
    """The codes of requests."""

    CONFIGURE = 1
    SPEED = 2
    SCREENSHOT = 11
    STATE = 12
    BEST_SCORES = 13
    CURRENT_LEVEL = 14
    LEVEL_COUNT = 15
    MY_SCORES = 23
    SHOOT = 31
    SHOOT_POLAR = 32
    SHOOT_SEQUENCE = 33
    ZOOM_OUT = 34
    ZOOM_IN = 35
    CLICK = 36
    SHOOT_AND_RECORD = 38
    FAST_SHOOT = 41
    FAST_SHOOT_POLAR = 42
    FAST_SEQUENCE = 43
    LOAD_LEVEL = 51
    RESTART_LEVEL = 52
    LOAD_NEXT_LEVEL = 53
    TRUTH_AND_SCREENSHOT = 61
    TRUTH = 62
    NOISY_TRUTH_AND_SCREENSHOT = 63
    NOISY_TRUTH = 64
    SCORE = 65
    NOVELTY_LIKELIHOOD = 66
    NOVELTY_DESCRIPTION = 67
    READY_FOR_NEW_SET = 68
    NOVELTY_INFO = 69


ARGUMENTS = {
    Code.CONFIGURE: ">IB",
    Code.SPEED: ">I",
    Code.SHOOT: ">4i",
    Code.SHOOT_POLAR: ">4i",
    Code.SHOOT_AND_RECORD: ">5i",
    Code.FAST_SHOOT: ">4i",
    Code.FAST_SHOOT_POLAR: ">4i",
    Code.LOAD_LEVEL: ">I",
}
"""The arguments of codes that have some, as struct knows them; those of a sequence and of novelty messages vary."""
SEQUENCE_SHOT = ">B6i"
"""A shot of a sequence: 31 or 32, the focus point, the pull from it, and two times."""
_CODES = {int(code): code for code in Code}
_LONGER = {*ARGUMENTS, Code.SHOOT_SEQUENCE, Code.FAST_SEQUENCE, Code.NOVELTY_LIKELIHOOD, Code.NOVELTY_DESCRIPTION}
_PLAIN = frozenset(Code) - _LONGER
"""Codes without arguments."""
MOST_BYTES = 1 << 16
"""The longest list or text of a novelty message."""

Read = Callable[[int], Awaitable[bytes]]
"""Reads exactly a number of bytes."""


class WireError(TumbleError):
    """Bytes that are not a request."""


@dataclass(frozen=True)
class Request:
    """A request: its code, and its numbers."""

    code: Code
    numbers: tuple[int, ...] = ()
    shots: tuple[tuple[int, ...], ...] = ()
    """Of a sequence: the code and the six numbers of each shot."""


async def read_request(read: Read) -> Request:
    """Reads the next request."""
    (number,) = await read(1)
    code = _CODES.get(number)
    if code is None:
        raise WireError(f"unknown message {number}")
    if code in _PLAIN:
        return Request(code)
    if code in (Code.SHOOT_SEQUENCE, Code.FAST_SEQUENCE):
        (count,) = await read(1)
        shots = [await _read_numbers(read, SEQUENCE_SHOT) for _ in range(count)]
        wrong = next((shot[0] for shot in shots if shot[0] not in (Code.SHOOT, Code.SHOOT_POLAR)), None)
        if wrong is not None:
            raise WireError(f"message {number} with a shot of code {wrong}; there are 31 and 32")
        return Request(code, shots=tuple(shots))
    if code is Code.NOVELTY_LIKELIHOOD:
        await read(8)
        await _skip(read, 4)
        await read(4)
        await _skip(read, 1)
    elif code is Code.NOVELTY_DESCRIPTION:
        await _skip(read, 1)
    return Request(code, await _read_numbers(read, ARGUMENTS.get(code, ">")))


async def _read_numbers(read: Read, form: str) -> tuple[int, ...]:
    return struct.unpack(form, await read(struct.calcsize(form)))


async def _skip(read: Read, size: int) -> None:
    """Reads a count, and that many items of a size."""
    (count,) = await _read_numbers(read, ">I")
    if count * size > MOST_BYTES:
        raise WireError(f"a list of {count * size} bytes; the longest has {MOST_BYTES}")
    await read(count * size)


def bytes_of(*values: int) -> bytes:
    """One byte for each value."""
    return bytes(values)


def words(*values: int) -> bytes:
    """Four bytes for each value, without sign."""
    return struct.pack(f">{len(values)}I", *values)


def sized(text: bytes) -> bytes:
    """A text after its length."""
    return words(len(text)) + text


def screenshot(picture: np.ndarray) -> bytes:
    """A picture uint8 [height, width, 3]: width, height, then red, green and blue of each pixel, row by row."""
    height, width, _ = picture.shape
    return words(width, height) + np.ascontiguousarray(picture).tobytes()


HUNDREDTHS = 100.0
"""Angles of polar shots are hundredths of a degree."""


@dataclass(frozen=True)
class RequestedShot:
    """A shot of a request."""

    point: Vec
    """The release point in world units."""
    release_ms: int
    """From the previous release, if the world still moves."""
    tap_ms: int
    """From the release; 0 or less for no tap."""

    def shot(self, rest: Vec, moving: bool) -> Shot:
        """The shot from a rest point; raises TumbleError if there is no pull."""
        longest = int(1000 * LONGEST_WAIT)
        tap = float(min(self.tap_ms, longest)) if self.tap_ms > 0 else None
        delay = min(max(self.release_ms, 0), longest) / 1000.0 if moving else None
        return shot_from(self.point, rest, tap_ms=tap, delay=delay)


def cartesian_shot(x: int, y: int, release_ms: int, tap_ms: int) -> RequestedShot:
    """A release at a pixel."""
    return RequestedShot(to_world(float(x), float(y)), release_ms, tap_ms)


def polar_shot(radius: int, angle: int, release_ms: int, tap_ms: int, focus: Vec) -> RequestedShot:
    """A pull of `radius` pixels from a focus point in world units, for a flight at `angle` hundredths of a degree."""
    turn, length = math.radians(angle / HUNDREDTHS), radius / PIXELS_PER_UNIT
    point = focus[0] - length * math.cos(turn), focus[1] - length * math.sin(turn)
    return RequestedShot(point, release_ms, tap_ms)


def shot_of_sequence(code: int, x: int, y: int, first: int, second: int, release_ms: int, tap_ms: int) -> RequestedShot:
    """A shot of a sequence: a focus pixel, then a pull from it (dx, dy; or its length and angle)."""
    if code == Code.SHOOT_POLAR:
        return polar_shot(first, second, release_ms, tap_ms, to_world(float(x), float(y)))
    return cartesian_shot(x + first, y + second, release_ms, tap_ms)
