"""Actions: points of the unit cube that place one ball (tier B) or two (tier 2B) in the scene."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.tasks.tier import Tier
from tumble.scene import Scene

SIZE = 256.0
SCALE = np.array([255.0, 255.0, 30.0])
SMALLEST_RADIUS = 2.0
LARGEST_RADIUS = 32.0
GAP = 1.0
"""Pixels that two placed balls must be apart, before they are rounded to whole pixels."""


def as_actions(values: object, tier: Tier) -> np.ndarray:
    """Actions [n, numbers] as floats; a ValueError says what is wrong with them."""
    actions = np.asarray(values, float)
    if actions.size == 0:
        return np.zeros((0, tier.numbers))
    if actions.ndim != 2 or actions.shape[1] != tier.numbers:
        raise ValueError(
            f"actions of tier {tier.name} must have the shape [n, {tier.numbers}], not {list(actions.shape)}"
        )
    wrong = np.flatnonzero(~((actions >= 0.0) & (actions <= 1.0)).all(axis=1))
    if len(wrong):
        raise ValueError(f"action {wrong[0]} leaves the unit cube: {actions[wrong[0]].tolist()}")
    return actions


def exact_balls(actions: np.ndarray) -> np.ndarray:
    """x, y and radius in pixels [n, balls, 3] that actions stand for, before rounding."""
    balls = actions.reshape(len(actions), actions.shape[1] // 3, 3) * SCALE
    balls[..., 2] += SMALLEST_RADIUS
    return np.asarray(balls)


def placed_balls(actions: np.ndarray) -> np.ndarray:
    """x, y and radius [n, balls, 3] as they are placed: positions cut to whole pixels, radii rounded."""
    balls = exact_balls(actions)
    return np.concatenate([np.trunc(balls[..., :2]), np.rint(balls[..., 2:])], axis=2)


def from_balls(balls: np.ndarray) -> np.ndarray:
    """The actions [n, numbers] that stand for balls [n, balls, 3] given in pixels."""
    shifted = np.array(balls, float)
    shifted[..., 2] -= SMALLEST_RADIUS
    return np.asarray((shifted / SCALE).reshape(len(shifted), 3 * shifted.shape[1]))


def within_scene(actions: np.ndarray) -> np.ndarray:
    """Which actions keep their balls inside the scene and apart from each other."""
    balls = exact_balls(actions)
    centre, radius = balls[..., :2], balls[..., 2]
    valid = ((centre >= radius[..., None]) & (centre <= SIZE - radius[..., None])).all(axis=(1, 2))
    if balls.shape[1] == 2:
        valid &= np.hypot(*(centre[:, 0] - centre[:, 1]).T) >= radius.sum(axis=1) + GAP
    return np.asarray(valid)


def valid(scene: Scene, actions: np.ndarray) -> np.ndarray:
    """Which actions are attempts at a task: balls within its scene, apart, and clear of all its bodies."""
    return _valid(Obstacles([scene]), actions)


def _valid(obstacles: Obstacles, actions: np.ndarray) -> np.ndarray:
    inside = within_scene(actions)
    balls = placed_balls(actions[inside])
    inside[inside] = obstacles.clear(np.zeros(len(balls), int), balls)
    return inside


def fixed_set(tier: Tier, count: int, seed: int = 0) -> np.ndarray:
    """The same random actions for the same seed, all within the scene: a set to rank for every task."""
    rng = np.random.default_rng(seed)
    found = np.zeros((0, tier.numbers))
    while len(found) < count:
        drawn = rng.random((count, tier.numbers))
        found = np.concatenate([found, drawn[within_scene(drawn)]])
    return found[:count]


@lru_cache(maxsize=8)
def action_set(tier: Tier, count: int, number: int = 0) -> np.ndarray:
    """One of many sets of random actions to rank: the first so many of one long list are set 0, the next set 1, …"""
    chosen = fixed_set(tier, count * (number + 1))[count * number :]
    chosen.setflags(write=False)
    return chosen


def sample_valid(scene: Scene, tier: Tier, count: int, rng: np.random.Generator, tries: int = 1000) -> np.ndarray:
    """Random valid actions of a task; an error where hardly any exist."""
    obstacles = Obstacles([scene])
    found = np.zeros((0, tier.numbers))
    for _ in range(tries):
        if len(found) >= count:
            return found[:count]
        drawn = rng.random((max(64, 2 * count), tier.numbers))
        found = np.concatenate([found, drawn[_valid(obstacles, drawn)]])
    raise ValueError(f"found only {len(found)} of {count} valid actions in {tries} rounds: is there room for a ball?")


@dataclass(frozen=True)
class Grid:
    """Evenly spread actions, and how finely they cover the ways to place balls."""

    actions: np.ndarray
    """float [n, numbers]: those within the scene."""
    steps: tuple[float, float, float]
    """Pixels from one grid point to the next, in x, y and radius."""
    coverage: float
    """The share of all placements in whole pixels that some action of the grid makes.

    For two balls: of all pairs of such placements, those too close together included."""


def grid(tier: Tier, resolution: int | tuple[int, int, int], most: int = 10_000_000) -> Grid:
    """All combinations of so many values of x, y and radius (one number for all three), the borders included."""
    counts = (resolution,) * 3 if isinstance(resolution, int) else tuple(resolution)
    if len(counts) != 3 or min(counts) < 2:
        raise ValueError(f"resolution must be 2 or more values for x, y and radius, not {resolution!r}")
    total = math.prod(counts) ** tier.balls
    if total > most:
        raise ValueError(f"a grid of {total:,} actions is too large: at most {most:,}; choose a coarser resolution")
    axes = [np.linspace(0.0, 1.0, count) for count in counts] * tier.balls
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, tier.numbers)
    kept = points[within_scene(points)]
    distinct = len(np.unique(placed_balls(kept), axis=0))
    across, up, radial = (scale / (count - 1) for scale, count in zip(SCALE, counts, strict=True))
    return Grid(kept, (across, up, radial), distinct / _placements() ** tier.balls)


def _placements() -> int:
    """In how many ways one ball can be placed: radii that round to whole ones, centres cut to whole pixels."""
    count = 0
    for radius in range(int(SMALLEST_RADIUS), int(LARGEST_RADIUS) + 1):
        smallest = max(SMALLEST_RADIUS, radius - 0.5)
        count += (math.floor(min(SCALE[0], SIZE - smallest)) - math.floor(smallest) + 1) ** 2
    return count
