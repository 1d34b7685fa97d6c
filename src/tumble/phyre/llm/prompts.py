"""What a model is told: the rules and the task before its first attempt, and what happened after each."""

import numpy as np

from tumble.llm.puzzle import Message, Mode, Part, Picture
from tumble.phyre.catalogue.task import MATERIAL, MAX_STEPS, Task, Tier, goal_words, tier_named
from tumble.phyre.evaluation.replay import NearestMoment, nearest_moment
from tumble.phyre.llm.answer import Grid, answer_example, cell_name, column_name
from tumble.phyre.llm.pictures import chosen_steps, frame_strip, scene_picture
from tumble.phyre.llm.scene_text import Labels, number_text, point_text, scene_text
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.view import kind
from tumble.phyre.observation.words import COLOUR_NAMES
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_GAP, MIN_RADIUS
from tumble.phyre.simulation.attempt import Attempt
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
            f"{name} ({COLOUR_NAMES[colour_index(body)]} {kind(body)})"
            for name, body in zip(names, bodies, strict=True)
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


MOST_OTHERS = 4
"""Bodies beside the goal's and the placed ones whose motion is told: those that moved furthest."""
MOVED = 2.0
"""Pixels below which a body counts as not moved."""


def attempts_left(left: int) -> str:
    """How many attempts a model still has.

    >>> attempts_left(1)
    '1 attempt left.'
    """
    return f"{left} attempt{'' if left == 1 else 's'} left."


def attempt_feedback(
    task: Task, labels: Labels, attempt: Attempt, mode: Mode, number: int, attempts: int
) -> tuple[Part, ...]:
    """What happened in an attempt that did not solve the task; in picture modes with a strip of frames."""
    title, left = f"Attempt {number} of {attempts}: not solved.", attempts_left(attempts - number)
    return _happened(task, labels, attempt, mode, title, [left])


def simulation_feedback(task: Task, labels: Labels, attempt: Attempt, mode: Mode) -> tuple[Part, ...]:
    """What would happen in an attempt, as its feedback says it."""
    title = f"Simulation: {'solved' if attempt.solved else 'not solved'}."
    return _happened(task, labels, attempt, mode, title, [])


def _happened(
    task: Task, labels: Labels, attempt: Attempt, mode: Mode, title: str, ending: list[str]
) -> tuple[Part, ...]:
    """A title, what met and moved, and an ending; in picture modes with a strip of frames."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    nearby = nearest_moment(task, poses) if task.only_touching else None
    names = {**labels.names(task.scene, mode), **_placed_names(task, attempt)}
    lines = [title, *_hits(task, attempt, names), _motion(task, poses, names)]
    if nearby is not None:
        lines.append(_nearest_text(nearby))
    text = "\n".join([*lines, *ending])
    if mode == "text":
        return (text,)
    steps = chosen_steps(poses, nearby.step if nearby else 0)
    return text, Picture(frame_strip(attempt.scene, poses, steps), "frames of this attempt, with their times")


def invalid_feedback(problem: str, left: int) -> tuple[Part, ...]:
    """Why an action was no attempt."""
    return (f"Not allowed: {problem}. This used up no attempt; {attempts_left(left)}",)


def lost_feedback(number: int, attempts: int) -> tuple[Part, ...]:
    """The feedback after an answer that could not be read."""
    return (f"Attempt {number} of {attempts}: lost, no action could be read.\n{attempts_left(attempts - number)}",)


def _placed_names(task: Task, attempt: Attempt) -> dict[int, str]:
    assert attempt.scene is not None
    first, count = len(task.scene.bodies), len(attempt.scene.bodies)
    if count == first + 1:
        return {first: "the red ball"}
    return {index: f"red ball {index - first + 1}" for index in range(first, count)}


def _hits(task: Task, attempt: Attempt, names: dict[int, str]) -> list[str]:
    """The first labelled body that each placed ball meets, and when."""
    assert attempt.events is not None
    lines = []
    for index, name in names.items():
        if index < len(task.scene.bodies):
            continue
        begins = attempt.events[attempt.events["begin"]]
        others = [
            (int(event["step"]), int(event["body_a"] + event["body_b"]) - index)
            for event in begins
            if index in (event["body_a"], event["body_b"])
        ]
        met = next(((step, other) for step, other in others if other in names), None)
        if met is not None:
            lines.append(f"{_capital(name)} first touched {names[met[1]]} after {met[0] / STEPS_PER_SECOND:.1f} s.")
    return lines


def _motion(task: Task, poses: np.ndarray, names: dict[int, str]) -> str:
    """Where the bodies that matter ended, and that the goal's did not move."""
    start, end = poses[0, :, :2], poses[-1, :, :2]
    furthest = np.linalg.norm(poses[..., :2] - start, axis=2).max(axis=0)
    placed = [index for index in names if index >= len(task.scene.bodies)]
    goal = [index for index in (task.body, task.other) if task.scene.bodies[index].dynamic]
    others = [index for index in names if index not in (*placed, *goal) and furthest[index] >= MOVED]
    others = sorted(others, key=lambda index: -furthest[index])[:MOST_OTHERS]
    parts = []
    for index in [*placed, *goal, *others]:
        if furthest[index] < MOVED:
            parts.append(f"{names[index]} did not move")
        else:
            parts.append(f"{names[index]} {_whole_pixels(start[index])} to {_whole_pixels(end[index])}")
    return f"Moved: {'; '.join(parts)}."


def _whole_pixels(point: np.ndarray) -> str:
    """A position in whole pixels."""
    return point_text((round(float(point[0])), round(float(point[1]))))


def _nearest_text(nearby: NearestMoment) -> str:
    when = nearby.step / STEPS_PER_SECOND
    if nearby.touching_steps:
        longest = nearby.touching_steps / STEPS_PER_SECOND
        return f"A touched B for {longest:.1f} s at most, from {when:.1f} s on."
    return f"A and B were nearest after {when:.1f} s: {number_text(nearby.distance)} px apart."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
