"""`tumble phyre list` and `tumble phyre show`: what there is, and what it looks like."""

from pathlib import Path

import numpy as np
from rich.console import Console

from tumble.output import check_target, console, patience, refusing, say, shows_colours, table
from tumble.phyre.cli import terminal, words
from tumble.phyre.cli.finding import find_task
from tumble.phyre.generation.solutions import solution as stored_solution
from tumble.phyre.observation import animation, drawing
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.simulator import Simulator, ball_at
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.compare import difference
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES, published_numbers, template
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene

STRIDE = 3
IDS_PER_LINE = 8


@refusing
def list_templates(tier: str | None) -> None:
    """Print a table of the templates, or of those of a tier."""
    if tier is not None and tier not in TIERS:
        raise ValueError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
    rows = table("id", "name", "tier", "tasks", "idea")
    for key, name in NAMES.items():
        design = template(key)
        if tier in (None, design.tier):
            rows.add_row(key, name, design.tier, str(len(published_numbers()[key])), words.idea(design.description))
    console().print(rows)


@refusing
def describe_template(id_or_name: str) -> None:
    """Print the documentation of a template and the ids of its published tasks."""
    design = template(id_or_name)
    say(f"{design.id}, {design.name}, tier {design.tier}\n\n{design.description}\n\nPublished tasks")
    ids = [f"{design.id}:{number:03d}" for number in published_numbers()[design.id]]
    for first in range(0, len(ids), IDS_PER_LINE):
        say("    " + " ".join(ids[first : first + IDS_PER_LINE]))


@refusing
def show(text: str, png: Path | None, gif: Path | None, solution: bool, size: int) -> None:
    """Draw a task, with its stored solution if wanted, in the terminal and into files."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    task = find_task(text)
    action = _solution_of(task) if solution else None
    scene = task.scene if action is None else _with_balls(task.scene, action)
    say(words.title(task))
    if words.idea_of(task):
        say(words.idea_of(task))
    _draw(console(), scene)
    say(f"Goal: {words.goal(task)}.")
    if action is not None:
        say(f"Solution: {words.brief(action)}, {words.balls(action)}.")
    if png:
        drawing.save_picture(png, scene, size)
        say(f"Picture: {png}")
    if gif:
        with patience("Animating …"):
            animation.save_motion(gif, scene, _motion(task, action), STRIDE, size)
        say(f"Animation: {gif}")


def _draw(target: Console, scene: Scene) -> None:
    columns = max(8, min(terminal.COLUMNS, target.width - 2))
    if shows_colours(target):
        target.print(terminal.in_colour(scene, columns), end="")
    else:
        target.print(terminal.in_letters(scene, columns), end="", soft_wrap=True)
        say("* placed ball, o goal object, s or S its moving or fixed subject, x moves, # is fixed")


def _solution_of(task: Task) -> np.ndarray:
    action = stored_solution(task.id)
    if action is None or difference(task, catalogue.task(task.id)):
        raise ValueError(f"no stable solution of task {task.id} is stored")
    return action


def _with_balls(scene: Scene, action: np.ndarray) -> Scene:
    return scene.with_bodies(*(ball_at(*ball) for ball in placed_balls(action[None])[0]))


def _motion(task: Task, action: np.ndarray | None) -> np.ndarray:
    """Poses [steps + 1, bodies, 3] of what happens, with or without an action."""
    simulator = Simulator([task], task.tier)
    if action is None:
        attempt = simulator.rollout(task, want=("trajectories",))
    else:
        attempt = simulator.simulate(task, action, want=("trajectories",))
    assert attempt.trajectories is not None
    return attempt.trajectories
