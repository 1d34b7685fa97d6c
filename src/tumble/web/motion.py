"""Motion as packed numbers: what the browser plays is what was simulated, to the last bit."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np


def packed_motion(poses: np.ndarray) -> dict[str, Any]:
    """Poses [frames, bodies, 3] for JSON: only bodies that move, and frames up to the last change.

    `poses` in the answer is base64 of little-endian float32 [kept, moving, 3]; later frames are like the last one, and
    the other bodies stay where the task has them.
    """
    table = np.ascontiguousarray(poses, "<f4")
    changed = table.view("<u4") != table.view("<u4")[-1]
    moving = np.flatnonzero((table.view("<u4") != table.view("<u4")[0]).any(axis=(0, 2)))
    last = int(np.flatnonzero(changed.any(axis=(1, 2)))[-1]) + 2 if changed.any() else 1
    kept = np.ascontiguousarray(table[:last, moving])
    return {
        "frames": len(table),
        "kept": last,
        "bodies": moving.tolist(),
        "poses": b64encode(kept.tobytes()).decode("ascii"),
    }


def unpacked_motion(packed: dict[str, Any], start: np.ndarray) -> np.ndarray:
    """The poses [frames, bodies, 3] of packed ones, given those of all bodies at the start [bodies, 3]."""
    kept = np.frombuffer(b64decode(packed["poses"]), "<f4").reshape(packed["kept"], len(packed["bodies"]), 3)
    poses = np.repeat(np.asarray(start, np.float32)[None], packed["frames"], axis=0)
    poses[: packed["kept"], packed["bodies"]] = kept
    poses[packed["kept"] :, packed["bodies"]] = kept[-1:]
    return poses
