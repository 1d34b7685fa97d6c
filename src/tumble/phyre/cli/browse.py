"""`tumble phyre list` and `tumble phyre show`: templates and tasks."""

from pathlib import Path

import numpy as np
from rich.console import Console

from tumble.errors import TumbleError
from tumble.output import check_target, console, print_line, reports_errors, shows_colours, spinner, table
from tumble.phyre.cli import terminal
from tumble.phyre.cli.describe import (
    action_text,
    describe_balls,
    describe_goal,
    task_idea,
    task_title,
    template_idea,
)
from tumble.phyre.cli.lookup import find_task
from tumble.phyre.generation.solutions import solution as stored_solution
from tumble.phyre.observation import animation, drawing
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.ball_worlds import ball_at
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.compare import difference
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES, published_numbers, template
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene

STRIDE = 3
"""Steps between the frames of an animation."""
IDS_PER_LINE = 8


@reports_errors
def list_templates(tier: str | None) -> None:
    """Prints a table of the templates, or of those of a tier."""
    if tier is not None and tier not in TIERS:
        raise TumbleError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
    rows = table("id", "name", "tier", "tasks", "idea")
    for key, name in NAMES.items():
        design = template(key)
        if tier in (None, design.tier):
            rows.add_row(key, name, design.tier, str(len(published_numbers()[key])), template_idea(design.description))
    console().print(rows)


@reports_errors
def describe_template(id_or_name: str) -> None:
    """Prints the documentation of a template and the ids of its published tasks."""
    design = template(id_or_name)
    print_line(f"{design.id}, {design.name}, tier {design.tier}\n\n{design.description}\n\nPublished tasks")
    ids = [f"{design.id}:{number:03d}" for number in published_numbers()[design.id]]
    for first in range(0, len(ids), IDS_PER_LINE):
        print_line("    " + " ".join(ids[first : first + IDS_PER_LINE]))


@reports_errors
def show(text: str, png: Path | None, gif: Path | None, solution: bool, size: int) -> None:
    """Draws a task, optionally with its stored solution, in the terminal and into files."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    task = find_task(text)
    action = _solution_of(task) if solution else None
    scene = task.scene if action is None else _with_balls(task.scene, action)
    print_line(task_title(task))
    if task_idea(task):
        print_line(task_idea(task))
    _draw(console(), scene)
    print_line(f"Goal: {describe_goal(task)}.")
    if action is not None:
        print_line(f"Solution: {action_text(action)}, {describe_balls(action)}.")
    if png:
        drawing.save_picture(png, scene, size)
        print_line(f"Picture: {png}")
    if gif:
        with spinner("Animating …"):
            animation.save_motion(gif, scene, _motion(task, action), STRIDE, size)
        print_line(f"Animation: {gif}")


def _draw(target: Console, scene: Scene) -> None:
    columns = max(8, min(terminal.COLUMNS, target.width - 2))
    if shows_colours(target):
        target.print(terminal.colour_drawing(scene, columns), end="")
    else:
        target.print(terminal.text_drawing(scene, columns), end="", soft_wrap=True)
        print_line(
            "* placed ball, o goal object, s or S moving or fixed goal subject, x or # other moving or fixed body"
        )


def _solution_of(task: Task) -> np.ndarray:
    action = stored_solution(task.id)
    if action is None or difference(task, catalogue.task(task.id)):
        raise TumbleError(f"no stable solution of task {task.id} is stored")
    return action


def _with_balls(scene: Scene, action: np.ndarray) -> Scene:
    return scene.with_bodies(*(ball_at(*ball) for ball in placed_balls(action[None])[0]))


def _motion(task: Task, action: np.ndarray | None) -> np.ndarray:
    """The poses [steps + 1, bodies, 3] of a rollout, with or without an action."""
    simulator = Simulator([task], task.tier)
    if action is None:
        attempt = simulator.rollout(task, want=("trajectories",))
    else:
        attempt = simulator.simulate(task, action, want=("trajectories",))
    assert attempt.trajectories is not None
    return attempt.trajectories
