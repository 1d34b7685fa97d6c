"""Motion as packed numbers: what the browser plays is what was simulated, to the last bit."""

from base64 import b64decode, b64encode
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
