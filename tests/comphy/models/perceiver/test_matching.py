"""Bodies that a model found are matched to the true ones by place, else by looks."""

import numpy as np
from sample_set import BODIES, video_set

from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception, match_by_looks, match_by_place
from tumble.comphy.observation.camera import CAMERA


def perception_of(order: tuple[int, ...], shift: float = 0.0) -> Perception:
    """The bodies of the sample set, found in another order and all of the same looks, each a little to the right."""
    motion = video_set().target
    centres = CAMERA.project(motion.positions[:SHOWN_FRAMES])[:, order, :2] + (shift, 0.0)
    seen = motion.in_view[:SHOWN_FRAMES, order]
    nothing = np.full(seen.shape, np.nan)
    boxes = np.full((*seen.shape, 4), -1.0, np.float32)
    video = PerceivedVideo(tuple(range(len(order))), seen, centres, nothing, nothing, boxes)
    return Perception(tuple(Appearance("red", "metal", "cube") for _ in order), video, ())


def test_bodies_are_matched_by_place_whatever_they_look_like() -> None:
    motion = video_set().target
    assert motion.in_view[:SHOWN_FRAMES].any(axis=0).all()
    assert match_by_place(perception_of((2, 0, 1)), motion) == (1, 2, 0)
    assert match_by_place(perception_of((2, 0, 1), shift=0.01), motion) == (1, 2, 0)


def test_a_body_that_is_elsewhere_or_missing_is_not_matched() -> None:
    assert match_by_place(perception_of((1, 0, 2), shift=0.5), video_set().target) == (None, None, None)
    assert match_by_place(perception_of((2, 0)), video_set().target) == (1, None, 0)


def test_more_bodies_than_there_are() -> None:
    found = (Body("purple", "rubber", "cube"), *reversed(BODIES))
    assert match_by_looks(found, BODIES) == (3, 2, 1)
    assert match_by_looks((), BODIES) == (None, None, None)


def test_one_wrong_attribute_does_not_matter() -> None:
    found = (Body("blue", "rubber", "sphere"), Body("gray", "metal", "cube"), Body("red", "rubber", "cube"))
    assert match_by_looks(found, BODIES) == (2, 0, 1)
