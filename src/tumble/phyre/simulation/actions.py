"""Actions: points of the unit cube that place one ball (tier B) or two (tier 2B) in the scene.

Which of them are valid, and in words what an action places, or why its balls can't be placed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tumble.checks import whole_number
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import TIERS, Task, Tier, as_tier
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.words import body_name
from tumble.phyre.observation.words import describe_goal as describe_goal
from tumble.phyre.observation.words import task_idea as task_idea
from tumble.phyre.observation.words import task_title as task_title
from tumble.phyre.observation.words import template_idea as template_idea
from tumble.phyre.simulation.overlap import Obstacles, upload_balls
from tumble.scene import Scene

SIZE = 256.0
"""Pixels along each side of the scene."""
SCALE = np.array([255.0, 255.0, 30.0])
"""Pixels per unit of x, y and radius."""
MIN_RADIUS = 2.0
MAX_RADIUS = 32.0
MIN_GAP = 1.0
"""Pixels by which two placed balls must be apart, before they are rounded to whole pixels."""


class ActionError(TumbleError):
    """Actions that are not valid input, or that cannot be found."""


def as_actions(values: object, tier: Tier | str) -> np.ndarray:
    """Actions as float [n, numbers]; an ActionError if their shape or a number is wrong."""
    tier = as_tier(tier)
    try:
        actions = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise ActionError(f"actions must be numbers in an array of the shape [n, {tier.numbers}]") from None
    if actions.size == 0:
        return np.zeros((0, tier.numbers))
    if actions.ndim != 2 or actions.shape[1] != tier.numbers:
        raise ActionError(
            f"actions of tier {tier.name} must have the shape [n, {tier.numbers}], not {list(actions.shape)}"
        )
    wrong = np.flatnonzero(~((actions >= 0.0) & (actions <= 1.0)).all(axis=1))
    if len(wrong):
        raise ActionError(f"action {wrong[0]} leaves the unit cube: {actions[wrong[0]].tolist()}")
    return actions


def exact_balls(actions: np.ndarray) -> np.ndarray:
    """The balls of actions [n, numbers] before rounding: [n, balls, (x, y, radius)] in pixels."""
    table = np.asarray(actions)
    if table.ndim != 2 or table.shape[1] % 3 or not np.issubdtype(table.dtype, np.number):
        raise ActionError(f"actions must be an array of numbers of the shape [n, 3] or [n, 6], not {list(table.shape)}")
    balls = table.reshape(len(table), table.shape[1] // 3, 3) * SCALE
    balls[..., 2] += MIN_RADIUS
    return np.asarray(balls)


def placed_balls(actions: np.ndarray) -> np.ndarray:
    """The balls as they are placed: [n, balls, (x, y, radius)], positions cut to whole pixels, radii rounded.

    >>> placed_balls(np.array([[0.5, 0.25, 0.25]])).tolist()
    [[[127.0, 63.0, 10.0]]]
    """
    balls = exact_balls(actions)
    return np.concatenate([np.trunc(balls[..., :2]), np.rint(balls[..., 2:])], axis=2)


def from_balls(balls: np.ndarray) -> np.ndarray:
    """The actions [n, numbers] that place balls [n, balls, (x, y, radius)] given in pixels.

    >>> from_balls(np.array([[[51.0, 102.0, 17.0]]])).tolist()
    [[0.2, 0.4, 0.5]]
    """
    shifted = np.array(balls, float)
    if shifted.ndim != 3 or shifted.shape[2] != 3:
        raise ActionError(f"balls must have the shape [n, balls, (x, y, radius)], not {list(shifted.shape)}")
    shifted[..., 2] -= MIN_RADIUS
    return np.asarray((shifted / SCALE).reshape(len(shifted), 3 * shifted.shape[1]))


def within_scene(actions: np.ndarray) -> np.ndarray:
    """bool [n]: which actions keep their balls inside the scene and apart from each other."""
    balls = exact_balls(actions)
    centre, radius = balls[..., :2], balls[..., 2]
    valid = ((centre >= radius[..., None]) & (centre <= SIZE - radius[..., None])).all(axis=(1, 2))
    if balls.shape[1] == 2:
        valid &= np.hypot(*(centre[:, 0] - centre[:, 1]).T) >= radius.sum(axis=1) + MIN_GAP
    return np.asarray(valid)


def valid(scene: Scene, actions: np.ndarray) -> np.ndarray:
    """bool [n]: which actions are attempts at a task: balls inside its scene, apart, and overlapping no body."""
    return valid_among(Obstacles([scene]), actions)


def valid_among(obstacles: Obstacles, actions: np.ndarray) -> np.ndarray:
    """`valid` for a scene whose obstacles were made before."""
    inside = within_scene(actions)
    balls = placed_balls(actions[inside])
    inside[inside] = obstacles.clear(np.zeros(len(balls), int), balls)
    return inside


def fixed_set(tier: Tier | str, count: int, seed: int = 0) -> np.ndarray:
    """Random actions [count, numbers] within the scene, the same for the same seed: a set to rank for every task."""
    tier = as_tier(tier)
    count = whole_number("count", count, at_least=0, error=ActionError)
    seed = whole_number("seed", seed, at_least=0, error=ActionError)
    rng = np.random.default_rng(seed)
    found = np.zeros((0, tier.numbers))
    while len(found) < count:
        drawn = rng.random((count, tier.numbers))
        found = np.concatenate([found, drawn[within_scene(drawn)]])
    return found[:count]


@lru_cache(maxsize=8)
def action_set(tier: Tier | str, count: int, number: int = 0) -> np.ndarray:
    """One of many sets of random actions: set 0 is the first `count` of one long list, set 1 the next `count`, …"""
    count = whole_number("count", count, at_least=0, error=ActionError)
    number = whole_number("number", number, at_least=0, error=ActionError)
    actions = fixed_set(tier, count * (number + 1))[count * number :]
    actions.setflags(write=False)
    return actions


def sample_valid(scene: Scene, tier: Tier | str, count: int, rng: np.random.Generator, tries: int = 1000) -> np.ndarray:
    """`count` random valid actions of a task; an ActionError if they are not found in `tries` rounds."""
    tier = as_tier(tier)
    count = whole_number("count", count, at_least=0, error=ActionError)
    tries = whole_number("tries", tries, at_least=1, error=ActionError)
    obstacles = Obstacles([scene])
    found = np.zeros((0, tier.numbers))
    for _ in range(tries):
        if len(found) >= count:
            return found[:count]
        drawn = rng.random((max(64, 2 * count), tier.numbers))
        found = np.concatenate([found, drawn[valid_among(obstacles, drawn)]])
    raise ActionError(f"found only {len(found)} of {count} valid actions in {tries} rounds: is there room for a ball?")


@dataclass(frozen=True)
class Grid:
    """Evenly spaced actions, and how finely they cover all placements of balls."""

    actions: np.ndarray
    """float [n, numbers]: those within the scene."""
    steps: tuple[float, float, float]
    """Pixels from one grid point to the next, in x, y and radius."""
    coverage: float
    """The share of all placements in whole pixels that some action of the grid makes.

    For two balls: of all pairs of placements, including those that are too close together."""


def grid(tier: Tier | str, resolution: int | tuple[int, int, int], most: int = 10_000_000) -> Grid:
    """All combinations of `resolution` values of x, y and radius (one number for all three), the borders included.

    >>> from tumble.phyre.catalogue.task import TIERS
    >>> grid(TIERS["B"], 6).steps
    (51.0, 51.0, 6.0)
    """
    tier = as_tier(tier)
    given = tuple(resolution) if isinstance(resolution, Sequence) else (resolution,) * 3
    if len(given) != 3:
        raise ActionError(f"resolution must be one number, or three for x, y and radius, not {resolution!r}")
    counts = tuple(whole_number("resolution", count, at_least=2, error=ActionError) for count in given)
    total = math.prod(counts) ** tier.balls
    if total > most:
        raise ActionError(f"a grid of {total:,} actions is too large: at most {most:,}; choose a coarser resolution")
    axes = [np.linspace(0.0, 1.0, count) for count in counts] * tier.balls
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, tier.numbers)
    actions = points[within_scene(points)]
    distinct = len(np.unique(placed_balls(actions), axis=0))
    x_step, y_step, radius_step = (float(scale / (count - 1)) for scale, count in zip(SCALE, counts, strict=True))
    return Grid(actions, (x_step, y_step, radius_step), distinct / _placement_count() ** tier.balls)


def _placement_count() -> int:
    """The number of placements of one ball: radii that round to whole ones, centres cut to whole pixels."""
    count = 0
    for radius in range(int(MIN_RADIUS), int(MAX_RADIUS) + 1):
        smallest = max(MIN_RADIUS, radius - 0.5)
        count += (math.floor(min(SCALE[0], SIZE - smallest)) - math.floor(smallest) + 1) ** 2
    return count


class ActionTable:
    """Actions [n, numbers], and the balls of those that lie within the scene, on the device that checks them."""

    def __init__(self, actions: np.ndarray, device: str = "cpu") -> None:
        self.actions, self.device = actions, device
        self._inside = within_scene(actions)
        balls = placed_balls(actions[self._inside])
        self._uploaded, self._scene_of = upload_balls(balls, device), np.zeros(len(balls), np.int32)

    def valid(self, scene: Scene) -> np.ndarray:
        """bool [n]: which actions are attempts at a task with this scene, as `actions.valid`."""
        valid = self._inside.copy()
        valid[valid] = Obstacles([scene], self.device).clear_uploaded(self._scene_of, self._uploaded)
        return valid


def placement_problem(scene: Scene, action: np.ndarray) -> str:
    """Why an action is invalid; empty if it is valid."""
    exact, placed = exact_balls(action[None])[0], placed_balls(action[None])[0]
    names = ["the placed ball"] if len(exact) == 1 else ["placed ball 1", "placed ball 2"]
    for name, (x, y, radius) in zip(names, exact, strict=True):
        if min(x, y) < radius or max(x, y) > SIZE - radius:
            return (
                f"{name} leaves the scene: radius {radius:.1f} at ({x:.1f}, {y:.1f}), "
                f"and the scene is {SIZE:g} by {SIZE:g} pixels"
            )
    if not within_scene(action[None])[0]:
        between = np.hypot(*(exact[0] - exact[1])[:2]) - exact[:, 2].sum()
        how = f"{between:.1f} pixels apart" if between >= 0.0 else "overlapping"
        return f"the two balls are too close: {how}, and they must be {MIN_GAP:g} pixel apart"
    overlapped = {name: _overlapped_bodies(scene, ball) for name, ball in zip(names, placed, strict=True)}
    return ", ".join(f"{name} overlaps {' and '.join(bodies)}" for name, bodies in overlapped.items() if bodies)


def _overlapped_bodies(scene: Scene, ball: np.ndarray) -> list[str]:
    """The names of the bodies that a ball overlaps; tests each body alone, with the same code as attempts."""
    single_bodies = [replace(scene, bodies=(body,)) for body in scene.bodies]
    clear = Obstacles(single_bodies).clear(np.arange(len(single_bodies)), np.tile(ball, (len(single_bodies), 1, 1)))
    return [body_name(scene, int(index)) for index in np.flatnonzero(~clear)]


NUMBERS_TEXT = {"B": "x y radius", "2B": "x y radius x y radius"}


def duration_text(steps: int) -> str:
    """A number of steps, and the same in seconds."""
    return f"{steps} steps ({steps / STEPS_PER_SECOND:.1f} s)"


def action_from_numbers(task: Task, numbers: list[float]) -> np.ndarray:
    """The action [numbers of the tier]; raises TumbleError if the numbers don't fit the task's tier."""
    tier = TIERS[task.tier]
    expected = f"task {task.id} is of tier {tier.name} and takes {tier.numbers} numbers: {NUMBERS_TEXT[tier.name]}"
    if len(numbers) != tier.numbers:
        raise TumbleError(f"{expected}; got {len(numbers)}")
    for name, number in zip(NUMBERS_TEXT[tier.name].split(), numbers, strict=True):
        if not 0.0 <= number <= 1.0:
            raise TumbleError(f"{name} is {number:g}; x, y and radius are numbers from 0 to 1")
    return np.array(numbers)


def action_text(action: np.ndarray) -> str:
    """An action with the fewest digits that place the same balls."""
    for digits in range(3, 17):
        short = np.round(action, digits)
        if within_scene(short[None]) == within_scene(action[None]) and np.array_equal(
            placed_balls(short[None]), placed_balls(action[None])
        ):
            return " ".join(f"{number:.{digits}f}" for number in short)
    return " ".join(map(repr, action.tolist()))


def describe_balls(action: np.ndarray) -> str:
    """The positions and radii of the balls that an action places, in pixels."""
    placed = placed_balls(action[None])[0]
    return " and ".join(f"a ball of radius {radius:.0f} at ({x:.0f}, {y:.0f})" for x, y, radius in placed)
