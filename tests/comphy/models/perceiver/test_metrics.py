"""The perceiver's figures, on perceptions with known errors."""

from dataclasses import replace

import numpy as np
import pytest

from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.models.perceiver.metrics import Scores, TrueVideo
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception

LOOKS = np.array([6, 14])
"""Of a red rubber cube and a blue rubber cylinder."""
FRAMES = 6


def truth() -> TrueVideo:
    """Two bodies at rest; the second one shows too little in the last frame."""
    boxes = np.tile([[40.0, 40.0, 60.0, 60.0], [100.0, 80.0, 120.0, 100.0]], (FRAMES, 1, 1))
    pixels = np.full((FRAMES, 2), 400)
    pixels[-1, 1] = 10
    centres = boxes.reshape(FRAMES, 2, 2, 2).mean(axis=2)
    return TrueVideo(LOOKS, pixels, boxes, centres, np.full((FRAMES, 2), 0.3), np.zeros((FRAMES, 160, 240), np.uint8))


def perceived(true: TrueVideo) -> PerceivedVideo:
    normal = np.concatenate([true.centres / (240, 160), np.full((FRAMES, 2, 2), 20.0) / (240, 160)], axis=-1)
    seen = np.ones((FRAMES, 2), bool)
    yaws = np.stack([np.full(FRAMES, 0.3 + np.pi / 2), np.full(FRAMES, np.nan)], axis=1)
    return PerceivedVideo(
        (0, 1), seen, true.centres / (240, 160), np.full((FRAMES, 2), 1.0), yaws, normal.astype(np.float32)
    )


def scores(video: PerceivedVideo, true: TrueVideo) -> Scores:
    result = Scores()
    appearances = (Appearance("red", "rubber", "cube"), Appearance("blue", "rubber", "cylinder"))
    result.add_set(Perception(appearances, video, ()), [true])
    return result


def test_a_perfect_perception() -> None:
    true = truth()
    found = scores(perceived(true), true)
    assert found.share("right at 0.75", "wanted") == found.share("right at 0.75", "found") == 100.0
    assert found.counts["wanted"] == 2 * FRAMES - 1
    assert found.counts["identity switches"] == 0
    np.testing.assert_allclose(found.all("error"), 0.0, atol=1e-4)
    np.testing.assert_allclose(found.all("yaw error"), 0.0, atol=1e-6)
    assert found.counts["bodies with the right look"] == 2


def test_missed_wrong_and_swapped_bodies() -> None:
    true = truth()
    video = perceived(true)
    seen, boxes = video.seen.copy(), video.boxes.copy()
    seen[0, 0] = False
    boxes[1, 1, 0] = 0.9  # where nothing is
    boxes[3:5] = boxes[3:5, ::-1]
    found = scores(replace(video, seen=seen, boxes=boxes), true)
    assert found.counts["right at 0.5"] == 2 * FRAMES - 3
    assert found.counts["found"] == 2 * FRAMES - 2
    assert found.counts["identity switches"] == 3
    assert found.share("matched with the right look", "matched") == pytest.approx(100.0 * 5 / 9)
