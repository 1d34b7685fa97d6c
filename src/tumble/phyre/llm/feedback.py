"""What a model is told after an attempt: how it ended, what moved where, and how near the goal came."""

import numpy as np

from tumble.llm.prompt import Mode, Part, Picture
from tumble.phyre.llm.frame_strip import chosen_steps, frame_strip
from tumble.phyre.llm.labels import Labels
from tumble.phyre.llm.numbers import number_text, point_text
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.report.nearest_misses import Nearest, nearest
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.tasks.task import Task

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
    nearby = nearest(task, poses) if task.only_touching else None
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
            parts.append(f"{names[index]} {_whole(start[index])} to {_whole(end[index])}")
    return f"Moved: {'; '.join(parts)}."


def _whole(point: np.ndarray) -> str:
    """A position in whole pixels."""
    return point_text((round(float(point[0])), round(float(point[1]))))


def _nearest_text(nearby: Nearest) -> str:
    when = nearby.step / STEPS_PER_SECOND
    if nearby.touching_steps:
        longest = nearby.touching_steps / STEPS_PER_SECOND
        return f"A touched B for {longest:.1f} s at most, from {when:.1f} s on."
    return f"A and B were nearest after {when:.1f} s: {number_text(nearby.distance)} px apart."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
