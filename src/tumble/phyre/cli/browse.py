"""`tumble phyre list` and `tumble phyre show`: templates and tasks, and drawings of scenes for the terminal."""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from tumble.errors import TumbleError
from tumble.output import check_target, console, half_blocks, print_line, reports_errors, shows_colours, spinner, table
from tumble.phyre.catalogue import tasks_by_id
from tumble.phyre.catalogue.task import TIERS, Task, task_difference
from tumble.phyre.catalogue.tasks_by_id import solution as stored_solution
from tumble.phyre.catalogue.templates import NAMES, published_numbers, template
from tumble.phyre.cli.task_files import find_task
from tumble.phyre.observation import picture_files
from tumble.phyre.observation.picture_files import picture_size, save_motion
from tumble.phyre.simulation.actions import (
    action_text,
    describe_balls,
    describe_goal,
    placed_balls,
    task_idea,
    task_title,
    template_idea,
)
from tumble.phyre.simulation.attempt import ball_at
from tumble.phyre.simulation.simulator import Simulator
from tumble.scene import Scene, rasterize, render_rgb

DRAWING_COLUMNS = 64
"""Characters along the longer side of a drawing."""

COLOUR_CHARACTERS = " *osSx#"
"""By colour index: background, placed ball, goal object, moving and fixed goal subject, other moving and fixed bodies.
"""

SUPERSAMPLING = 4
"""Rendered pixels along each side of a pixel or character of a drawing."""

MIN_COVERAGE = 0.2
"""The share of a character's cell that a body has to exceed to be drawn there."""


def colour_drawing(scene: Scene, columns: int = DRAWING_COLUMNS) -> Text:
    """The scene at its start in half blocks, each of which shows two pixels, one above the other."""
    rows, across = picture_size(scene, columns)
    pixels = render_rgb(scene, size=(rows + rows % 2, across), smooth=SUPERSAMPLING)
    return half_blocks(pixels)


def text_drawing(scene: Scene, columns: int = DRAWING_COLUMNS) -> str:
    """The scene at its start in characters within a frame; a character is about twice as high as wide."""
    rows, across = picture_size(scene, columns)
    colours = _cell_colours(scene, max(1, rows // 2), across)
    edge = f"+{'-' * across}+"
    lines = ("".join(COLOUR_CHARACTERS[colour] for colour in row) for row in colours)
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def _cell_colours(scene: Scene, rows: int, columns: int) -> np.ndarray:
    """Colour indices [rows, columns]: the most common one of each cell.

    The background counts with MIN_COVERAGE only, so that bodies thinner than a cell are drawn too.
    """
    pixels = rasterize(scene, size=(rows * SUPERSAMPLING, columns * SUPERSAMPLING))
    cells = pixels.reshape(rows, SUPERSAMPLING, columns, SUPERSAMPLING)
    shares = np.stack([(cells == colour).mean(axis=(1, 3)) for colour in range(len(COLOUR_CHARACTERS))])
    shares[0] = MIN_COVERAGE
    return np.asarray(shares.argmax(axis=0))


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
        picture_files.save_picture(png, scene, size)
        print_line(f"Picture: {png}")
    if gif:
        with spinner("Animating …"):
            save_motion(gif, scene, _motion(task, action), STRIDE, size)
        print_line(f"Animation: {gif}")


def _draw(target: Console, scene: Scene) -> None:
    columns = max(8, min(DRAWING_COLUMNS, target.width - 2))
    if shows_colours(target):
        target.print(colour_drawing(scene, columns), end="")
    else:
        target.print(text_drawing(scene, columns), end="", soft_wrap=True)
        print_line(
            "* placed ball, o goal object, s or S moving or fixed goal subject, x or # other moving or fixed body"
        )


def _solution_of(task: Task) -> np.ndarray:
    action = stored_solution(task.id)
    if action is None or task_difference(task, tasks_by_id.task(task.id)):
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
