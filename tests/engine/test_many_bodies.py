"""Scenes of many bodies in contact: a stack, a row of dominoes."""

import numpy as np
from mechanics import play

from tumble.scene import samples


def test_a_stack_of_boxes_stands_and_sleeps() -> None:
    """Twenty seconds; boxes may settle by their skins (two of 0.01 m per contact, less the slop), not more."""
    scene = samples.stack(12)
    result = play([scene], 1200)
    metres = result.poses[0, :, :, :2] / scene.units_per_metre
    assert np.abs(metres - metres[0]).max() < 0.03
    assert np.abs(result.poses[0, :, :, 2]).max() < 0.003
    assert (result.poses[0, 1140:] == result.poses[0, -1]).all()
    assert not result.velocities[0, 1140:].any()


def test_dominoes_fall_one_after_the_other() -> None:
    scene = samples.dominoes(14)
    first = scene.index("domino 0")
    result = play([scene], 900)
    tilt = np.abs(result.poses[0, :, first : first + 14, 2])
    assert (tilt[-1] > 1.0).all()
    begins = (tilt > 0.1).argmax(axis=0)
    # the ball pushes the first against the second, and these two fall as one
    assert begins[0] <= begins[1]
    assert (np.diff(begins[1:]) > 0).all()
