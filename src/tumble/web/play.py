"""What pages for playing and editing share: motion as packed numbers, findings, and simulation in limited time.

What the browser plays is what was simulated, to the last bit. Findings say what is wrong with a task that a person
makes. For one request so much is simulated that nobody waits long: batches grow until the time is used up.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np


def packed_motion(poses: np.ndarray, movable: np.ndarray | None = None) -> dict[str, Any]:
    """Poses [frames, bodies, 3] for JSON: only bodies that move, and frames up to the last change.

    `movable` are the indices of bodies that can move at all; None for all.

    `poses` in the answer is base64 of little-endian float32 [kept, moving, 3]; later frames are like the last one, and
    the other bodies stay where the task has them.
    """
    bodies = np.arange(poses.shape[1]) if movable is None else movable
    table = np.ascontiguousarray(poses[:, bodies], "<f4")
    bits = table.view("<u4")
    moving = np.flatnonzero((bits != bits[0]).any(axis=(0, 2)))
    table, bits = table[:, moving], bits[:, moving]
    changes = np.flatnonzero((bits.reshape(len(bits), -1) != bits[-1].reshape(-1)).any(axis=1))
    last = int(changes[-1]) + 2 if len(changes) else 1
    kept = np.ascontiguousarray(table[:last])
    return {
        "frames": len(table),
        "kept": last,
        "bodies": bodies[moving].tolist(),
        "poses": b64encode(kept.tobytes()).decode("ascii"),
    }


def unpacked_motion(packed: dict[str, Any], start: np.ndarray) -> np.ndarray:
    """The poses [frames, bodies, 3] of packed ones, given those of all bodies at the start [bodies, 3]."""
    kept = np.frombuffer(b64decode(packed["poses"]), "<f4").reshape(packed["kept"], len(packed["bodies"]), 3)
    poses = np.repeat(np.asarray(start, np.float32)[None], packed["frames"], axis=0)
    poses[: packed["kept"], packed["bodies"]] = kept
    poses[packed["kept"] :, packed["bodies"]] = kept[-1:]
    return poses


ERROR_LEVEL, WARNING_LEVEL = "error", "warning"


@dataclass(frozen=True)
class Finding:
    """Something that the person should know: an error makes the task useless, a warning may be intended."""

    level: str
    text: str
    bodies: tuple[int, ...] = ()
    """Their numbers in the editor."""


MOST_GROWTH = 16
"""Factor by which a batch may be larger than the one before."""


def timed_batches(seconds: float, most: int) -> Iterator[tuple[int, int]]:
    """The first number and the size of each batch; the next is asked for when one has been simulated.

    Ends when half of the seconds are used up or `most` are done. The first batch has one element, as some tasks take a
    hundred times as long as others; the next ones are what fits into half of the seconds.
    """
    done, size = 0, 1
    begin = last = monotonic()
    while done == 0 or (done < most and 2.0 * (last - begin) < seconds):
        size = min(size, most - done)
        yield done, size
        done += size
        last, before = monotonic(), last
        size = next_batch_size(size, last - before, seconds)


def next_batch_size(size: int, took: float, seconds: float) -> int:
    """The size of the next batch, after one of `size` that took some seconds: what fits into half of `seconds`.

    >>> next_batch_size(1, 0.01, 0.4), next_batch_size(20, 1.0, 0.4), next_batch_size(1, 0.0001, 0.4)
    (16, 4, 16)
    """
    return max(1, min(MOST_GROWTH * size, int(0.5 * seconds * size / max(took, 1e-6))))
