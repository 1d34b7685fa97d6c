"""Mitsuba's pictures of objects on stages show the same objects and the same floor at the same places."""

import numpy as np
import pytest
from staged_scenes import SIZE, staged

from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.observation.staged import STAGED_RENDERERS, ObjectLook, render_many_staged

pytest.importorskip("mitsuba", reason="needs Mitsuba: pip install tumble[hq]")

CLIP = staged(
    (ObjectLook("bowl", 1, "cyan"), -0.7, 0.2),
    (ObjectLook("sofa", 2, "cyan", "rubber", "wood"), 0.3, -0.3),
    (ObjectLook("mug", 3, "cyan", "metal"), 0.8, 0.8),
    stage=Stage("tiles", "window", 2),
)


def test_objects_and_floor_are_where_our_own_rays_see_them() -> None:
    from tumble.comphy.observation.staged.renderers import render_many_staged_mitsuba

    assert STAGED_RENDERERS["mitsuba"] is render_many_staged_mitsuba
    fine, plain = (
        render_many_staged_mitsuba([CLIP], SIZE, samples=16)[0],
        render_many_staged([CLIP], SIZE, threads=1)[0],
    )
    assert np.array_equal(fine.mask, plain.mask)
    assert np.array_equal(fine.depth, plain.depth)
    for frames in (fine, plain):
        cyan = frames.rgb[0, ..., 1].astype(int) - frames.rgb[0, ..., 0] > 50
        body = (frames.mask[0] == 1) | (frames.mask[0] == 2)
        assert (cyan & body).sum() / (cyan & (frames.mask[0] != 3) | body).sum() > 0.7
    floor = plain.mask[0] == 0
    one, other = (frames.rgb[0][floor].astype(float).mean(axis=-1) for frames in (fine, plain))
    assert np.corrcoef(one, other)[0, 1] > 0.8
    assert abs(one.mean() - other.mean()) < 30.0
