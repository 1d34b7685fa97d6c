"""Texts that describe tasks, bodies and actions."""

from dataclasses import replace

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import body_name as body_name
from tumble.phyre.observation.describe import describe_goal as describe_goal
from tumble.phyre.simulation.actions import MIN_GAP, SIZE, exact_balls, placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES, template
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene

NUMBERS = {"B": "x y radius", "2B": "x y radius x y radius"}


def task_title(task: Task) -> str:
    """The id of a task, the name of its template and its tier."""
    name = NAMES.get(task.id.partition(":")[0])
    return ", ".join(filter(None, [task.id, name, f"tier {task.tier}"]))


def template_idea(description: str) -> str:
    """The first paragraph of a template's documentation, on one line."""
    return " ".join(description.partition("\n\n")[0].split())


def task_idea(task: Task) -> str:
    """The idea of the task's template; empty for a user-defined task."""
    key = task.id.partition(":")[0]
    return template_idea(template(key).description) if key in NAMES else ""


def duration_text(steps: int) -> str:
    """A number of steps, and the same in seconds."""
    return f"{steps} steps ({steps / STEPS_PER_SECOND:.1f} s)"


def action_of(task: Task, numbers: list[float]) -> np.ndarray:
    """The action [numbers of the tier]; raises TumbleError if the numbers don't fit the task's tier."""
    tier = TIERS[task.tier]
    expected = f"task {task.id} is of tier {tier.name} and takes {tier.numbers} numbers: {NUMBERS[tier.name]}"
    if len(numbers) != tier.numbers:
        raise TumbleError(f"{expected}; got {len(numbers)}")
    for name, number in zip(NUMBERS[tier.name].split(), numbers, strict=True):
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
