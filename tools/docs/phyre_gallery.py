"""PHYRE's gallery: a published task of each template and its stored solution."""

from collections.abc import Iterator, Sequence

import numpy as np
from drawing import CANDIDATES, Drawing, Gallery, digest
from PIL import Image

from tumble import engine, phyre
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.catalogue.templates import NAMES, published_numbers, template
from tumble.phyre.simulation.actions import describe_balls
from tumble.scene import Scene, render_rgb

SIDE = 256
STEPS_PER_SECOND, STRIDE = 60, 5
HOLD_SHOWN = 1.0
"""Seconds of the three for which the goal must hold that are shown."""


def gallery() -> Gallery:
    """All 50 templates."""
    keys = {
        key: digest(__file__, engine.physics_id(), [(phyre.task(one), solution(one)) for one in _candidates(key)])
        for key in NAMES
    }
    return Gallery("phyre", keys, draw)


def _candidates(key: str) -> list[str]:
    return [f"{key}:{number:03d}" for number in published_numbers()[key][:CANDIDATES]]


def draw(keys: Sequence[str]) -> Iterator[tuple[str, Drawing]]:
    """The drawings of some templates; those of a tier are simulated in one batch."""
    for tier in phyre.TIERS:
        own = [key for key in keys if template(key).tier == tier]
        shown = _shortest(own, tier)
        simulator = phyre.Simulator([phyre.task(shown[key]) for key in own], tier=tier)
        for key in own:
            task = phyre.task(shown[key])
            action = solution(task.id)
            attempt = simulator.simulate(task, action, want=["trajectories"])
            frames = [_picture(attempt.scene, poses) for poses in _shown_poses(attempt.trajectories)]
            fps = STEPS_PER_SECOND / STRIDE
            yield key, Drawing(task.id, describe_balls(action), _picture(task.scene), frames, fps, lossless=True)


def _shortest(keys: Sequence[str], tier: str) -> dict[str, str]:
    """Of each template the task whose stored solution ends first."""
    ids = [task_id for key in keys for task_id in _candidates(key) if solution(task_id) is not None]
    if not ids:
        return {}
    simulator = phyre.Simulator([phyre.task(task_id) for task_id in ids], tier=tier)
    _, steps = simulator.outcomes(ids, [solution(task_id) for task_id in ids])
    order = sorted(zip(steps.tolist(), ids, strict=True), reverse=True)
    return {task_id.partition(":")[0]: task_id for _, task_id in order}


def _shown_poses(trajectory: np.ndarray) -> np.ndarray:
    end = len(trajectory) - round((3.0 - HOLD_SHOWN) * STEPS_PER_SECOND)
    return trajectory[: max(end, 1) : STRIDE]


def _picture(scene: Scene, poses: np.ndarray | None = None) -> Image.Image:
    return Image.fromarray(render_rgb(scene, poses, (SIDE, SIDE), smooth=2))
