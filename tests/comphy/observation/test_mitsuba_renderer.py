"""Mitsuba's pictures show the same bodies at the same places."""

import numpy as np
import pytest

from tumble.comphy.catalogue.body import SHAPES, Body
from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer import RENDERERS, Clip, render_many

pytest.importorskip("mitsuba", reason="needs Mitsuba: pip install tumble[hq]")


def test_bodies_are_where_our_own_rays_see_them() -> None:
    from tumble.comphy.observation.renderer.renderers import render_many_mitsuba

    assert RENDERERS["mitsuba"] is render_many_mitsuba
    bodies = tuple(Body("yellow", "rubber", shape) for shape in SHAPES)
    positions = np.array([[[-0.8, 0.3, 0.2], [0.0, 0.0, 0.2], [0.8, 0.5, 0.2]]])
    turned = np.tile([np.cos(0.4), 0.0, 0.0, np.sin(0.4)], (1, 3, 1))
    clip = Clip(bodies, positions, turned)
    fine, plain = render_many_mitsuba([clip], (96, 64), samples=8)[0], render_many([clip], (96, 64), threads=1)[0]
    assert np.array_equal(fine.mask, plain.mask)
    assert np.array_equal(fine.depth, plain.depth)
    for frames in (fine, plain):
        yellow = frames.rgb[0, ..., 0].astype(int) - frames.rgb[0, ..., 2] > 60
        body = frames.mask[0] > 0
        assert (yellow & body).sum() / (yellow | body).sum() > 0.85


def test_the_flat_top_of_metal_mirrors_softboxes() -> None:
    from tumble.comphy.observation.renderer.renderers import render_many_mitsuba

    turned = np.array([[[1.0, 0.0, 0.0, 0.0]]])
    clips = [
        Clip((Body("gray", material, "cube"),), np.array([[[0.0, y, 0.2]]]), turned)
        for material in ("metal", "rubber")
        for y in (-0.3, 0.3)
    ]
    close = Camera(target=(0.0, 0.0, 0.4), focal_length=150.0)
    variation = []
    for frames in render_many_mitsuba(clips, (48, 32), camera=close, samples=64):
        center = clips[len(variation)].positions[0, 0]
        line = [(center[0], center[1] + along, 0.4) for along in np.linspace(-0.12, 0.12, 7)]
        columns, rows, _ = (close.project(np.array(line)) * (48, 32, 1)).astype(int).T
        gray = np.mean([frames.rgb[0, rows, columns + shift, 0] for shift in (-2, -1, 0, 1, 2)], axis=0)
        variation.append(np.ptp(gray) / gray.mean())
    assert min(variation[:2]) > 0.12
    assert max(variation[2:]) < 0.06
