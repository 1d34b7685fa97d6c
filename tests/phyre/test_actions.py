"""Actions place balls as the benchmark says."""

import numpy as np
import pytest

from tumble.phyre import TIERS, actions
from tumble.phyre.obstacles import Obstacles
from tumble.scene import Body, Circle, Scene, box

EMPTY = Scene((), units_per_metre=6.0)


def clear(scene: Scene, balls: np.ndarray) -> np.ndarray:
    return Obstacles([scene]).clear(np.zeros(len(balls), int), balls)


def test_an_action_is_a_ball_in_pixels() -> None:
    """x = 255 a0, y = 255 a1, r = 2 + 30 a2; placed at whole pixels, the radius rounded with ties to even."""
    balls = actions.placed_balls(np.array([[0.5, 0.25, 0.0], [0.999, 0.4, 0.15], [0.1, 0.1, 0.25]]))
    np.testing.assert_array_equal(balls[:, 0], [[127, 63, 2], [254, 102, 6], [25, 25, 10]])


def test_pixels_and_actions_convert_both_ways() -> None:
    chosen = np.random.default_rng(0).random((50, 6))
    np.testing.assert_allclose(actions.from_balls(actions.exact_balls(chosen)), chosen, atol=1e-12)


def test_balls_must_lie_within_the_scene() -> None:
    edge = actions.from_balls(
        np.array([[[5.0, 100.0, 5.0]], [[4.99, 100.0, 5.0]], [[251.0, 5.0, 5.0]], [[251.1, 9.0, 5.0]]])
    )
    np.testing.assert_array_equal(actions.within_scene(edge), [True, False, True, False])


def test_two_balls_must_be_a_pixel_apart() -> None:
    pairs = np.array([[[50.0, 50.0, 5.0], [50.0 + apart, 50.0, 5.0]] for apart in (10.5, 11.0, 12.0)])
    np.testing.assert_array_equal(actions.within_scene(actions.from_balls(pairs)), [False, True, True])


def test_balls_may_touch_bodies_but_not_overlap_them() -> None:
    scene = Scene((Body((box(20.0, 10.0),), position=(100.0, 100.0)), Body((Circle(8.0),), position=(200.0, 50.0))))
    balls = np.array(
        [
            [[100.0, 110.0, 5.0]],  # on top of the box
            [[100.0, 109.0, 5.0]],  # a pixel too low
            [[100.0, 100.0, 2.0]],  # inside
            [[213.0, 50.0, 5.0]],  # beside the ball
            [[212.0, 50.0, 5.0]],
        ]
    )
    np.testing.assert_array_equal(clear(scene, balls), [True, False, False, True, False])


def test_turned_bodies_are_turned() -> None:
    scene = Scene((Body((box(100.0, 4.0),), position=(128.0, 128.0), angle=np.pi / 2),))
    np.testing.assert_array_equal(
        clear(scene, np.array([[[128.0, 170.0, 3.0]], [[170.0, 128.0, 3.0]]])), [False, True]
    )


def test_a_fixed_set_is_the_same_for_a_seed_and_valid() -> None:
    for tier in TIERS.values():
        chosen = actions.fixed_set(tier, 200, seed=3)
        assert chosen.shape == (200, tier.numbers)
        assert actions.within_scene(chosen).all()
        np.testing.assert_array_equal(chosen, actions.fixed_set(tier, 200, seed=3))
        assert not np.array_equal(chosen, actions.fixed_set(tier, 200, seed=4))


def test_sampled_actions_are_valid_and_a_full_scene_says_so() -> None:
    rng = np.random.default_rng(0)
    assert actions.valid(EMPTY, actions.sample_valid(EMPTY, TIERS["2B"], 50, rng)).all()
    full = Scene((Body((box(256.0, 256.0),), position=(128.0, 128.0)),))
    with pytest.raises(ValueError, match="room for a ball"):
        actions.sample_valid(full, TIERS["B"], 1, rng, tries=3)


def test_bad_actions_are_named() -> None:
    with pytest.raises(ValueError, match=r"\[n, 3\], not \[1, 6\]"):
        actions.as_actions([[0.5] * 6], TIERS["B"])
    with pytest.raises(ValueError, match="action 1 leaves the unit cube"):
        actions.as_actions([[0.5, 0.5, 0.5], [0.5, 1.5, 0.5]], TIERS["B"])
    with pytest.raises(ValueError, match="unit cube"):
        actions.as_actions([[np.nan, 0.5, 0.5]], TIERS["B"])
