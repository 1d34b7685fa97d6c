"""Tasks, actions and their failings in words."""

from dataclasses import replace

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.view import kind
from tumble.phyre.simulation.actions import MIN_GAP, SIZE, exact_balls, placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.tasks.task import HOLD_STEPS, Task
from tumble.phyre.tasks.templates import NAMES, template
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene, colour_index

COLOURS = ("white", "red", "green", "blue", "purple", "gray", "black")
NUMBERS = {"B": "x y radius", "2B": "x y radius x y radius"}


def title(task: Task) -> str:
    """What a task is called: its id, the name of its template, its tier."""
    name = NAMES.get(task.id.partition(":")[0])
    return ", ".join(filter(None, [task.id, name, f"tier {task.tier}"]))


def idea(description: str) -> str:
    """The first paragraph of a template's documentation, on one line."""
    return " ".join(description.partition("\n\n")[0].split())


def idea_of(task: Task) -> str:
    """The idea of the task's template; empty for a task of one's own."""
    key = task.id.partition(":")[0]
    return idea(template(key).description) if key in NAMES else ""


def goal(task: Task) -> str:
    """What has to happen."""
    body, other = (described(task.scene, index) for index in (task.body, task.other))
    return f"{body} has to touch {other} for {HOLD_STEPS // STEPS_PER_SECOND} seconds"


def named(scene: Scene, index: int) -> str:
    """A body by its name: the ramp; without one by its kind and colour."""
    body = scene.bodies[index]
    if body.role == "placed":
        own = [k for k, part in enumerate(scene.bodies) if part.role == "placed"]
        return "the placed ball" if len(own) == 1 else f"placed ball {own.index(index) + 1}"
    if not body.name:
        return f"body {index} ({COLOURS[colour_index(body)]} {kind(body)})"
    return f"{kind(body)} {body.name}" if len(body.name) == 1 else f"the {body.name}"


def described(scene: Scene, index: int) -> str:
    """A body by its name and by what it looks like: the floor (purple bar)."""
    body = scene.bodies[index]
    if not body.name:
        return f"the {COLOURS[colour_index(body)]} {kind(body)}"
    look = [COLOURS[colour_index(body)]] + [kind(body)] * (kind(body) not in named(scene, index))
    return f"{named(scene, index)} ({' '.join(look)})"


def seconds(steps: int) -> str:
    """A number of steps, and how long they take."""
    return f"{steps} steps ({steps / STEPS_PER_SECOND:.1f} s)"


def action_from(task: Task, numbers: list[float]) -> np.ndarray:
    """The action that numbers stand for, checked against the task's tier."""
    tier = TIERS[task.tier]
    takes = f"task {task.id} is of tier {tier.name} and takes {tier.numbers} numbers: {NUMBERS[tier.name]}"
    if len(numbers) != tier.numbers:
        raise TumbleError(f"{takes}; there are {len(numbers)}")
    for name, number in zip(NUMBERS[tier.name].split(), numbers, strict=True):
        if not 0.0 <= number <= 1.0:
            raise TumbleError(f"{name} is {number:g}; x, y and radius are numbers from 0 to 1")
    return np.array(numbers)


def brief(action: np.ndarray) -> str:
    """An action in as few digits as place the same balls."""
    for digits in range(3, 17):
        short = np.round(action, digits)
        if within_scene(short[None]) == within_scene(action[None]) and np.array_equal(
            placed_balls(short[None]), placed_balls(action[None])
        ):
            return " ".join(f"{number:.{digits}f}" for number in short)
    return " ".join(map(repr, action.tolist()))


def balls(action: np.ndarray) -> str:
    """The balls that an action places, in pixels."""
    placed = placed_balls(action[None])[0]
    return " and ".join(f"a ball of radius {radius:.0f} at ({x:.0f}, {y:.0f})" for x, y, radius in placed)


def placement_problem(scene: Scene, action: np.ndarray) -> str:
    """Why an action can't be placed; empty where it can."""
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
    hits = {name: _hit(scene, ball) for name, ball in zip(names, placed, strict=True)}
    return ", ".join(f"{name} overlaps {' and '.join(bodies)}" for name, bodies in hits.items() if bodies)


def _hit(scene: Scene, ball: np.ndarray) -> list[str]:
    """The bodies that a ball would overlap: each is asked alone, in the way that decides about attempts."""
    each_alone = [replace(scene, bodies=(body,)) for body in scene.bodies]
    clear = Obstacles(each_alone).clear(np.arange(len(each_alone)), np.tile(ball, (len(each_alone), 1, 1)))
    return [named(scene, int(index)) for index in np.flatnonzero(~clear)]
