"""The authors' form of annotations: times that every reader takes for the same frame, and worlds that move alike."""

import numpy as np
import pytest

from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.catalogue.video_set import Alteration, VideoSet
from tumble.comphy.dataset.motion_files import collision_time, known_worlds


@pytest.mark.parametrize("read", [int, round])
def test_a_time_is_read_as_the_frame_of_its_step(read: type[int]) -> None:
    for step in range(1750):
        assert read(collision_time(Collision(step, 0, 1)) * 25) == step // 10


def motion_at(x: float) -> Motion:
    empty = np.zeros((1, 3, 3))
    return Motion(empty + x, np.zeros((1, 3, 4)), empty, empty, np.ones((1, 3), bool))


def test_worlds_of_the_same_masses_and_products_of_charges_are_one() -> None:
    bodies = (
        Body("red", "metal", "cube", charge=1),
        Body("blue", "metal", "cube", charge=-1),
        Body("gray", "metal", "cube"),
    )
    changes = {Alteration(0, "uncharged"): motion_at(1), Alteration(1, "opposite"): motion_at(2)}
    known = known_worlds(VideoSet(0, 1, "charge", bodies, motion_at(0), (), changes))
    worlds = {key: int(motion.positions[0, 0, 0]) for key, motion in known.items()}
    assert worlds == {
        **{("mass", k, 1): 0 for k in range(3)},
        ("charge", 0, -1): 2,
        ("charge", 0, 0): 1,
        ("charge", 0, 1): 0,
        ("charge", 1, -1): 0,
        ("charge", 1, 0): 1,
        ("charge", 1, 1): 2,
        ("charge", 2, 0): 0,
    }
