"""Packed motion is the same to the last bit."""

import numpy as np
import pytest

from tumble.web.play import packed_motion, unpacked_motion


@pytest.mark.parametrize("frames", [1, 2, 50])
def test_packing_keeps_every_bit(frames: int) -> None:
    rng = np.random.default_rng(frames)
    poses = np.repeat(rng.normal(size=(1, 5, 3)).astype(np.float32), frames, axis=0)
    poses[:, 1:3] += rng.normal(size=(frames, 2, 3)).astype(np.float32)
    poses[frames // 2 :] = poses[frames // 2]  # at rest
    packed = packed_motion(poses)
    assert unpacked_motion(packed, poses[0]).tobytes() == poses.tobytes()
    assert packed["bodies"] == ([1, 2] if frames > 1 else [])


def test_a_body_that_returns_is_kept() -> None:
    poses = np.zeros((5, 1, 3), np.float32)
    poses[2] = 1.0
    packed = packed_motion(poses)
    assert packed["kept"] == 4
    assert unpacked_motion(packed, poses[0]).tobytes() == poses.tobytes()
