"""Pictures as tensors: the same pixels as arrays, also from rows of bodies that look different in every frame."""

import numpy as np
from sample_set import BODIES, motion

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.observation.renderer import clip_of, render_many
from tumble.comphy.observation.renderer.ray_tracer import render_tensors
from tumble.comphy.observation.renderer.scene import body_rows, look_rows

SIZE = (60, 40)
CLIPS = [clip_of(BODIES[:count], motion(count, 3, count)) for count in (2, 3)]


def test_tensors_have_the_pixels_of_arrays() -> None:
    tensors, arrays = render_tensors(CLIPS, SIZE), render_many(CLIPS, SIZE)
    np.testing.assert_array_equal(tensors.rgb.numpy(), np.concatenate([one.rgb for one in arrays]))
    np.testing.assert_array_equal(tensors.mask.numpy(), np.concatenate([one.mask for one in arrays]))
    assert tensors.mask.max() > 0


def test_rows_of_looks_are_those_of_bodies() -> None:
    rows = body_rows(CLIPS)
    looks = np.full((*rows.shape, 3), -1)
    positions, turned = np.zeros((*rows.shape, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (*rows.shape, 1))
    for first, clip in zip((0, 3), CLIPS, strict=True):
        part = slice(first, first + 3), slice(len(clip.bodies))
        positions[part], turned[part] = clip.positions, clip.orientations
        for k, body in enumerate(clip.bodies):
            code = COLORS.index(body.color), MATERIALS.index(body.material), SHAPES.index(body.shape)
            looks[first : first + 3, k] = code
    made = look_rows(looks, positions, turned)
    present = looks[..., 0] >= 0
    assert (made[present] == rows[present]).all()
    assert (made["shape"] == rows["shape"]).all()
    assert (made["center"] == rows["center"]).all()
