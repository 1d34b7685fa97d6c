"""Actions: points of the unit cube that place one ball (tier B) or two (tier 2B) in the scene."""

from dataclasses import dataclass

import numpy as np

from tumble.scene import Circle, Scene

SIZE = 256.0
SCALE = np.array([255.0, 255.0, 30.0])
SMALLEST_RADIUS = 2.0
LARGEST_RADIUS = 32.0
GAP = 1.0
"""Pixels that two placed balls must be apart, before they are rounded to whole pixels."""
TOUCH = 1e-5
"""Overlap in pixels that still counts as touching."""


@dataclass(frozen=True)
class Tier:
    """How many balls an action places; it has three numbers for each."""

    name: str
    balls: int

    @property
    def numbers(self) -> int:
        return 3 * self.balls


TIERS = {"B": Tier("B", 1), "2B": Tier("2B", 2)}


def as_actions(values: object, tier: Tier) -> np.ndarray:
    """Actions [n, numbers] as floats; a ValueError says what is wrong with them."""
    actions = np.asarray(values, float)
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
    balls = actions.reshape(len(actions), -1, 3) * SCALE
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
    return np.asarray((shifted / SCALE).reshape(len(shifted), -1))


def within_scene(actions: np.ndarray) -> np.ndarray:
    """Which actions keep their balls inside the scene and apart from each other."""
    balls = exact_balls(actions)
    centre, radius = balls[..., :2], balls[..., 2]
    valid = ((centre >= radius[..., None]) & (centre <= SIZE - radius[..., None])).all(axis=(1, 2))
    if balls.shape[1] == 2:
        valid &= np.hypot(*(centre[:, 0] - centre[:, 1]).T) >= radius.sum(axis=1) + GAP
    return np.asarray(valid)


def clear_of(scene: Scene, balls: np.ndarray) -> np.ndarray:
    """Which placed balls [n, balls, 3] overlap no body of a scene."""
    clear = np.ones(len(balls), bool)
    for body in scene.bodies:
        c, s = np.cos(-body.angle), np.sin(-body.angle)
        for k in range(balls.shape[1]):
            x, y = (balls[:, k, :2] - body.position).T
            local = np.stack([x * c - y * s, x * s + y * c], axis=1)
            for shape in body.shapes:
                if isinstance(shape, Circle):
                    gap = np.hypot(*(local - shape.centre).T) - shape.radius
                else:
                    gap = _distance(local, np.array(shape.vertices))
                clear &= gap + TOUCH >= balls[:, k, 2]
    return clear


def _distance(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How far points lie from a convex polygon; minus infinity for those inside."""
    inside = np.ones(len(points), bool)
    nearest = np.full(len(points), np.inf)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge, to = b - a, points - a
        inside &= edge[0] * to[:, 1] - edge[1] * to[:, 0] > 0.0
        t = np.clip((to @ edge) / (edge @ edge), 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(*(to - t[:, None] * edge).T))
    return np.where(inside, -np.inf, nearest)


def valid(scene: Scene, actions: np.ndarray) -> np.ndarray:
    """Which actions are attempts at a task: balls within its scene, apart, and clear of all its bodies."""
    inside = within_scene(actions)
    inside[inside] = clear_of(scene, placed_balls(actions[inside]))
    return inside


def fixed_set(tier: Tier, count: int, seed: int = 0) -> np.ndarray:
    """The same random actions for the same seed, all within the scene: a set to rank for every task."""
    rng = np.random.default_rng(seed)
    found = np.zeros((0, tier.numbers))
    while len(found) < count:
        drawn = rng.random((count, tier.numbers))
        found = np.concatenate([found, drawn[within_scene(drawn)]])
    return found[:count]


def sample_valid(scene: Scene, tier: Tier, count: int, rng: np.random.Generator, tries: int = 1000) -> np.ndarray:
    """Random valid actions of a task; an error where hardly any exist."""
    found = np.zeros((0, tier.numbers))
    for _ in range(tries):
        if len(found) >= count:
            return found[:count]
        drawn = rng.random((max(64, 2 * count), tier.numbers))
        found = np.concatenate([found, drawn[valid(scene, drawn)]])
    raise ValueError(f"found only {len(found)} of {count} valid actions in {tries} rounds: is there room for a ball?")
