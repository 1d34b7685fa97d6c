"""What is wrong with a task that a person makes, and what happens in it without an action."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import body_name
from tumble.phyre.observation.view import boxes, objects
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task
from tumble.scene import Scene, initial_poses
from tumble.web.findings import ERROR, WARNING, Finding

MOST_NAMED = 12
"""Overlaps that are listed."""
MOVED = 0.5
"""Pixels or, at a ball's rim of 30 pixels, the angle of that, by which a body moves that does not stay at rest."""
TURNED = MOVED / 30.0


def check_task(task: Task) -> dict[str, Any]:
    """All findings, and what happens without an action: JSON values."""
    attempt = Simulator([task], threads=1).rollout(task, want=("trajectories",))
    assert attempt.trajectories is not None
    findings = [*_goal_findings(task), *_outside(task.scene), *_overlaps(task.scene)]
    if attempt.solved:
        at_start = attempt.steps <= task.hold_steps + 1
        seconds = attempt.steps / STEPS_PER_SECOND
        text = "the goal is met from the start" if at_start else f"it solves itself after {seconds:.1f} s"
        findings.append(Finding(ERROR, f"trivial without an action: {text}", (task.body, task.other)))
    return {
        "findings": [asdict(one) for one in findings],
        "solved_without_action": attempt.solved,
        "steps": attempt.steps,
        "moving": _moving(attempt.trajectories),
    }


def _goal_findings(task: Task) -> Iterator[Finding]:
    bodies = task.scene.bodies
    pair = (task.body, task.other)
    if not any(bodies[index].dynamic for index in pair):
        yield Finding(ERROR, "neither body of the goal can move", pair)
    elif not bodies[task.body].dynamic:
        yield Finding(WARNING, "A can't move; in PHYRE's own tasks A always moves", pair[:1])


def _outside(scene: Scene) -> Iterator[Finding]:
    """Moving bodies that are not wholly within the view."""
    for index, (left, bottom, right, top) in zip(objects(scene), boxes(scene), strict=True):
        if not scene.bodies[index].dynamic:
            continue
        name = body_name(scene, int(index))
        if right <= 0.0 or top <= 0.0 or left >= scene.width or bottom >= scene.height:
            yield Finding(ERROR, f"{name} is outside the scene", (int(index),))
        elif left < 0.0 or bottom < 0.0 or right > scene.width or top > scene.height:
            yield Finding(WARNING, f"{name} leaves the scene", (int(index),))


def _overlaps(scene: Scene) -> Iterator[Finding]:
    """Moving bodies that overlap another body at the start: they are pushed apart."""
    pairs = [pair for pair in _near_pairs(scene) if any(scene.bodies[index].dynamic for index in pair)]
    if not pairs:
        return
    used = sorted({first for first, _ in pairs})
    alone = Obstacles([replace(scene, bodies=(scene.bodies[index],)) for index in used])
    rows = np.array([used.index(first) for first, _ in pairs])
    clear = alone.clear_bodies(rows, [[scene.bodies[second]] for _, second in pairs])
    found = [pair for pair, free in zip(pairs, clear, strict=True) if not free]
    for first, second in found[:MOST_NAMED]:
        names = f"{body_name(scene, first)} and {body_name(scene, second)}"
        yield Finding(WARNING, f"{names} overlap: they are pushed apart at the start", (first, second))
    if len(found) > MOST_NAMED:
        yield Finding(WARNING, f"{len(found) - MOST_NAMED} more overlaps")


def _near_pairs(scene: Scene) -> list[tuple[int, int]]:
    """Pairs of bodies whose bounding boxes meet; static bodies outside the view, such as walls, count too."""
    table = _all_boxes(scene)
    near = (table[:, None, :2] < table[None, :, 2:]).all(axis=2)
    rows, columns = np.nonzero(np.triu(near & near.T, k=1))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _all_boxes(scene: Scene) -> np.ndarray:
    """float [bodies, 4]: left, bottom, right and top of all bodies, walls included."""
    movable = replace(scene, bodies=tuple(replace(body, dynamic=True, density=1.0) for body in scene.bodies))
    return boxes(movable, initial_poses(movable))


def _moving(trajectories: np.ndarray) -> Sequence[int]:
    """Bodies that do not stay where they are without an action."""
    way = np.abs(trajectories - trajectories[0]).max(axis=0)
    result: list[int] = np.flatnonzero((way[:, :2].max(axis=1) > MOVED) | (way[:, 2] > TURNED)).tolist()
    return result
