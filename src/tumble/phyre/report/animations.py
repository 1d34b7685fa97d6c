"""Attempts as small animations that stand in a page."""

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image

from tumble import engine
from tumble.phyre.evaluation.result import PhyreResult
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES
from tumble.report import Document, Picture
from tumble.report.data_uri import data_uri as embedded
from tumble.runs.log import Row, read
from tumble.scene import rasterize
from tumble.scene.colours import PALETTE

SIDE = 128
ACROSS = 6
"""Pictures in a row."""
FPS = 10
LONGEST = 12.0
"""Seconds of an attempt that are shown."""
REST = 1.0
"""Seconds for which it rests at its end before it begins again."""


def data_uri(attempt: Attempt) -> str:
    """A GIF of an attempt whose trajectories were wanted; what comes after all bodies have come to rest is left out."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    moving = np.flatnonzero((poses != poses[-1]).any(axis=(1, 2)))
    end = min(int(moving[-1]) + 2 if len(moving) else 1, int(LONGEST * STEPS_PER_SECOND))
    shown = np.concatenate([poses[: end : STEPS_PER_SECOND // FPS], poses[end - 1 : end]])
    frames = [Image.fromarray(pixels) for pixels in rasterize(attempt.scene, shown, (SIDE, SIDE))]
    for frame in frames:
        frame.putpalette(PALETTE.tobytes())
    durations = [1000 // FPS] * (len(frames) - 1) + [round(1000 * REST)]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    return embedded(stream.getvalue(), "gif")


def add_animations(document: Document, group: Group, most: int) -> int:
    """A solved and a failed attempt at each of some templates, by the best agent that is none of the oracles.

    How many templates were drawn.
    """
    one = _best(group)
    if one is None or most < 1:
        return 0
    result = max(one.results, key=lambda run: len({*map(template_of, run.solved_at)}))
    pictures = _pictures(result, most)
    if not pictures:
        return 0
    document.heading("Attempts", 3)
    document.text(
        f"{one.label} on {setting_name(result.setting)}, fold {result.fold}: of each template one attempt that solved "
        "a task and one that failed, replayed from the log. The red ball is what the agent placed; the green body has "
        "to touch the blue or purple one for three seconds."
    )
    document.pictures(pictures, ACROSS)
    return len({template_of(picture.caption) for picture in pictures})


def _best(group: Group) -> Series | None:
    """By its mean over all that it has run."""
    able = [one for one in group.series if one.results and not one.is_oracle]

    def mean(one: Series) -> float:
        scores = [result.auccess for result in one.results]
        return sum(scores) / len(scores)

    return max(able, key=mean, default=None)


def _pictures(result: PhyreResult, most: int) -> list[Picture]:
    if result.header.physics != engine.physics_id():
        return []
    log = read(result.path)
    chosen: list[Row] = []
    by_template: dict[str, list[list[Row]]] = {}
    for task_id, rows in log.tasks.items():
        by_template.setdefault(template_of(task_id), []).append(rows)
    for attempts in list(by_template.values())[:most]:
        flat = [row for rows in attempts for row in rows]
        solved = next((row for row in flat if row["status"] >= SOLVED), None)
        failed = next((row for row in flat if row["status"] < SOLVED), None)
        chosen += [row for row in (solved, failed) if row is not None]
    tasks = _tasks(result, {row["task"] for row in chosen})
    if not tasks:
        return []
    simulator = Simulator(tasks, tasks[0].tier)
    actions = [row["action"] for row in chosen]
    seen = simulator.attempts([row["task"] for row in chosen], actions, want=["trajectories"])
    return [Picture(data_uri(attempt), _caption(row)) for row, attempt in zip(chosen, seen, strict=True)]


def _caption(row: Row) -> str:
    outcome = "solved" if row["status"] >= SOLVED else "not solved"
    name = NAMES.get(template_of(row["task"]), "")
    return f"{row['task']} {name}: {outcome} at attempt {row['attempt']}".replace("  ", " ")


def _tasks(result: PhyreResult, wanted: set[str]) -> Sequence[Task]:
    """The tasks of a run; none where their file no longer exists."""
    if result.spec.tasks is None:
        return [catalogue.task(task_id) for task_id in sorted(wanted)]
    try:
        known = formats.load(result.spec.tasks)
    except (OSError, ValueError):
        return []
    return [known[task_id] for task_id in sorted(wanted)] if wanted <= known.keys() else []
