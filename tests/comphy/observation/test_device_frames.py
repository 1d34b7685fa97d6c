"""Pictures as tensors are those of the renderer."""

import numpy as np
import pytest
from sample_set import video_set

torch = pytest.importorskip("torch")

from tumble.comphy.observation.renderer import render_many  # noqa: E402
from tumble.comphy.observation.renderer.device_frames import render_tensors  # noqa: E402
from tumble.comphy.observation.set_videos import set_clips  # noqa: E402

SIZE = (60, 40)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_tensors_have_the_pixels_of_the_renderer(device: str) -> None:
    clips = set_clips(video_set())[:3]
    expected = render_many(clips, SIZE)
    tensors = render_tensors(clips, SIZE, device)
    assert np.array_equal(tensors.rgb.cpu().numpy(), np.concatenate([one.rgb for one in expected]))
    assert np.array_equal(tensors.mask.cpu().numpy(), np.concatenate([one.mask for one in expected]))
