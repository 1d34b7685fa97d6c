"""Texts that describe actions; those of tasks, bodies and placements are here too."""

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import body_name as body_name
from tumble.phyre.observation.describe import describe_goal as describe_goal
from tumble.phyre.observation.describe import task_idea as task_idea
from tumble.phyre.observation.describe import task_title as task_title
from tumble.phyre.observation.describe import template_idea as template_idea
from tumble.phyre.simulation.actions import placed_balls, within_scene
from tumble.phyre.simulation.placement import placement_problem as placement_problem
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS

NUMBERS = {"B": "x y radius", "2B": "x y radius x y radius"}


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
