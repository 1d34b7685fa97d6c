"""Actions place balls as the benchmark says."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre import TIERS
from tumble.phyre.simulation import actions
from tumble.phyre.simulation.actions import ActionError
from tumble.phyre.simulation.overlap import Obstacles
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


def test_bodies_are_rotated() -> None:
    scene = Scene((Body((box(100.0, 4.0),), position=(128.0, 128.0), angle=np.pi / 2),))
    np.testing.assert_array_equal(clear(scene, np.array([[[128.0, 170.0, 3.0]], [[170.0, 128.0, 3.0]]])), [False, True])


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
    with pytest.raises(ActionError, match="unit cube"):
        actions.as_actions([[np.nan, 0.5, 0.5]], TIERS["B"])
    for wrong in ([["left", 0.5, 0.5]], [[0.5], [0.5, 0.5]], None):
        with pytest.raises(ActionError):
            actions.as_actions(wrong, TIERS["B"])


@cache
def all_placements() -> int:
    """The number of placements in whole pixels by actions within the scene, by trying eighths of pixels."""
    found = np.zeros((33, 256, 256), bool)
    for exact in np.arange(2.0, 32.0625, 0.125):
        places = np.zeros(256, bool)
        places[[int(x) for x in np.arange(0.0, 255.0625, 0.125) if exact <= x <= 256.0 - exact]] = True
        found[round(exact)] |= np.outer(places, places)
    return int(found.sum())


@pytest.mark.parametrize("resolution", [8, 14, (12, 6, 5)])
def test_a_grid_is_even_and_its_coverage_is_exact(resolution: int | tuple[int, int, int]) -> None:
    """Counted exactly, in fractions: x and y go from 0 to 255 and radii from 2 to 32, the ends included."""
    counts = (resolution,) * 3 if isinstance(resolution, int) else resolution
    x, y, r = (
        [Fraction(k, count - 1) * scale for k in range(count)]
        for count, scale in zip(counts, (255, 255, 30), strict=True)
    )
    inside = [(a, b, c + 2) for a, b, c in product(x, y, r) if c + 2 <= min(a, b) and max(a, b) <= 256 - c - 2]
    grid = actions.grid(TIERS["B"], resolution)
    assert actions.within_scene(grid.actions).all()
    np.testing.assert_allclose(actions.exact_balls(grid.actions)[:, 0], np.array(inside, float), atol=1e-9)
    assert grid.steps == pytest.approx([255 / (counts[0] - 1), 255 / (counts[1] - 1), 30 / (counts[2] - 1)])
    made = {(int(a), int(b), round(c)) for a, b, c in inside}
    assert grid.coverage == pytest.approx(len(made) / all_placements(), rel=1e-12)


def test_a_grid_of_two_balls_keeps_them_apart() -> None:
    grid = actions.grid(TIERS["2B"], (6, 5, 2))
    assert grid.actions.shape[1] == 6
    assert actions.within_scene(grid.actions).all()
    alone = actions.grid(TIERS["B"], (6, 5, 2))
    balls = actions.exact_balls(alone.actions)[:, 0]
    apart = [(a, b) for a, b in product(balls, balls) if np.hypot(*(a - b)[:2]) >= a[2] + b[2] + 1.0]
    np.testing.assert_allclose(actions.exact_balls(grid.actions), apart, atol=1e-9)
    made = {tuple(np.ravel(pair)) for pair in actions.placed_balls(grid.actions)}
    assert grid.coverage == pytest.approx(len(made) / all_placements() ** 2, rel=1e-12)


def test_a_finer_grid_covers_more_but_never_more_than_it_has_actions() -> None:
    grids = [actions.grid(TIERS["B"], count) for count in (4, 8, 16, 32)]
    coverages = [grid.coverage for grid in grids]
    assert coverages == sorted(coverages)
    assert all(0.0 < grid.coverage <= len(grid.actions) / all_placements() for grid in grids)


def test_grids_too_large_or_too_coarse_are_rejected() -> None:
    with pytest.raises(ValueError, match="a grid of 1,000 actions is too large: at most 999; choose a coarser"):
        actions.grid(TIERS["B"], 10, most=999)
    with pytest.raises(ValueError, match="a grid of 64,000,000 actions is too large: at most 10,000,000"):
        actions.grid(TIERS["2B"], 20)
    assert len(actions.grid(TIERS["B"], 10, most=1000).actions)
    for wrong in (1, 0, -3, 2.5, (5, 5), (5, 5, 1), (5, 5, 5, 5), True):
        with pytest.raises(ValueError, match="resolution must be "):
            actions.grid(TIERS["B"], wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("none", [[], np.zeros((0, 3)), np.zeros((0, 6)), ()])
def test_no_actions_are_no_attempts(tier: str, none: object) -> None:
    ids = phyre.task_ids(tier)[:2]
    simulator = phyre.Simulator([phyre.task(task_id) for task_id in ids], tier)
    swept = simulator.sweep(none)
    assert (swept.shape, swept.dtype) == ((2, 0), np.int8)
    for stable in (False, True):
        paired = simulator.pairs([], none, stable=stable)
        assert (paired.shape, paired.dtype) == ((0,), np.int8)
    assert simulator.shifts_survived([], none).shape == (0,)
    assert simulator.sweep([[0.5] * TIERS[tier].numbers], []).shape == (0, 1)
    assert phyre.Simulator([], tier).sweep([[0.5] * TIERS[tier].numbers]).shape == (0, 1)
    with pytest.raises(ValueError, match="1 tasks do not pair with 0 actions"):
        simulator.pairs(ids[:1], none)
