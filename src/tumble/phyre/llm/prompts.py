"""What a model is told before its first attempt."""

from tumble.llm.prompt import Message, Mode, Part, Picture
from tumble.phyre.llm.answer import answer_example
from tumble.phyre.llm.grid import Grid, cell_name, column_name
from tumble.phyre.llm.labels import Labels
from tumble.phyre.llm.numbers import number_text
from tumble.phyre.llm.scene_picture import scene_picture
from tumble.phyre.llm.scene_text import scene_text
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import COLOURS
from tumble.phyre.observation.view import kind
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_GAP, MIN_RADIUS
from tumble.phyre.tasks.relations import goal_words
from tumble.phyre.tasks.task import MATERIAL, MAX_STEPS, Task
from tumble.phyre.tasks.tier import Tier, tier_named
from tumble.scene import colour_index

PROMPT_VERSION = "phyre-1"
"""Changes whenever any byte of a prompt or of feedback changes."""


def opening_messages(
    task: Task, labels: Labels, mode: Mode, attempts: int, grid: Grid | None = None
) -> tuple[Message, ...]:
    """The rules as the system's message, and the task as the user's."""
    parts: list[Part] = []
    if mode != "picture":
        parts.append(f"Bodies:\n{scene_text(task, labels)}")
    if mode != "text":
        parts.append(Picture(scene_picture(task, labels, grid), _caption(grid)))
    parts.append(f"Goal: {goal_text(task, mode)}.")
    return Message("system", (_rules(task, attempts, grid),)), Message("user", tuple(parts))


def goal_text(task: Task, mode: Mode) -> str:
    """What has to happen, and by when."""
    names = ["A", "B"]
    if mode == "picture":
        bodies = (task.scene.bodies[index] for index in (task.body, task.other))
        names = [
            f"{name} ({COLOURS[colour_index(body)]} {kind(body)})" for name, body in zip(names, bodies, strict=True)
        ]
    held = task.hold_steps / STEPS_PER_SECOND
    words = goal_words(task.relations, names[0], names[1], held)
    return f"{words}{' without a break' if task.only_touching else ''}, at any time in the {_duration():.1f} s"


def _duration() -> float:
    return MAX_STEPS / STEPS_PER_SECOND


def _caption(grid: Grid | None) -> str:
    axes = "x and y in px"
    if grid is not None:
        axes = f"columns a to {column_name(grid.columns - 1)} and rows 1 to {grid.rows}"
    colours = "black and purple bodies are static, others dynamic"
    return f"the scene, with {axes} on its axes; A and B on yellow discs; {colours}"


def _rules(task: Task, attempts: int, grid: Grid | None) -> str:
    tier, scene = tier_named(task.tier), task.scene
    balls = "a red ball" if tier.balls == 1 else "two red balls"
    gravity = number_text(-scene.gravity[1] * scene.units_per_metre)
    lines = [
        f"A puzzle of 2D physics: place {balls} in a scene so that, once physics runs, the goal is reached. "
        f"You have {attempts} attempts, each from the same start; equal actions have equal outcomes.",
        f"Units: px; the scene is {scene.width:g} x {scene.height:g} between solid walls, x to the right, y up, (0, 0) "
        "at the bottom left. Positions are centres, angles in degrees, counter-clockwise from horizontal.",
        f"Physics: all is at rest at first; gravity {gravity} px/s² downwards; static bodies never move; all "
        f"have the same density, friction {MATERIAL['friction']:g}, restitution {MATERIAL['restitution']:g}; "
        f"it ends after {_duration():.1f} s.",
        _placing(tier, grid),
        f"Think as long as you need, then end with one JSON object: {answer_example(tier, grid)}",
    ]
    return "\n".join(lines)


def _placing(tier: Tier, grid: Grid | None) -> str:
    """What may be placed where."""
    noun, each, apart = "The ball", "It", ""
    if tier.balls > 1:
        noun, each, apart = "The balls", "Each", f", and they must be {MIN_GAP:g} px apart"
    if grid is None:
        what = f"radius {MIN_RADIUS:g} to {MAX_RADIUS:g}; x and y are cut to whole px, the radius is rounded"
    else:
        last, radii = cell_name(grid.columns - 1, grid.rows - 1), ", ".join(map(number_text, grid.radii))
        width, height = (number_text(borders[1]) for borders in grid.borders)
        what = (
            f"at the centre of one of {grid.columns} x {grid.rows} cells of {width} x {height} px, a1 (bottom left) "
            f"to {last} (top right), with a radius of level 1 to {grid.levels} ({radii} px)"
        )
    return (
        f"{noun}: {what}. {each} must lie wholly inside the scene and overlap no body{apart}; "
        "a placement that is not allowed uses up no attempt."
    )
