"""Attempts as small animations that are embedded in the page."""

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
from tumble.report.data_uri import data_uri
from tumble.runs.log import Row, read
from tumble.scene import rasterize
from tumble.scene.colours import PALETTE

SIDE = 128
"""Pixels."""
COLUMNS = 6
FPS = 10
MAX_SECONDS = 12.0
PAUSE_SECONDS = 1.0
"""For which the last frame is shown before the animation repeats."""


def gif_uri(attempt: Attempt) -> str:
    """A GIF of an attempt with trajectories, as a data URI; ends when all bodies are at rest."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    moving = np.flatnonzero((poses != poses[-1]).any(axis=(1, 2)))
    end = min(int(moving[-1]) + 2 if len(moving) else 1, int(MAX_SECONDS * STEPS_PER_SECOND))
    frame_poses = np.concatenate([poses[: end : STEPS_PER_SECOND // FPS], poses[end - 1 : end]])
    frames = [Image.fromarray(pixels) for pixels in rasterize(attempt.scene, frame_poses, (SIDE, SIDE))]
    for frame in frames:
        frame.putpalette(PALETTE.tobytes())
    durations = [1000 // FPS] * (len(frames) - 1) + [round(1000 * PAUSE_SECONDS)]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    return data_uri(stream.getvalue(), "gif")


def add_animations(document: Document, group: Group, max_templates: int) -> int:
    """Adds a solved and a failed attempt at each of some templates, by the best agent that is not an oracle.

    Returns the number of templates.
    """
    series = _best(group)
    if series is None or max_templates < 1:
        return 0
    result = max(series.results, key=lambda run: len({*map(template_of, run.solved_at)}))
    pictures = _pictures(result, max_templates)
    if not pictures:
        return 0
    document.heading("Attempts", 3)
    document.text(
        f"{series.label} on {setting_name(result.setting)}, fold {result.fold}: for each template one attempt that "
        "solved a task and one that failed, replayed from the log. The red ball was placed by the agent; the green "
        "body has to touch the blue or purple one for three seconds."
    )
    document.pictures(pictures, COLUMNS)
    return len({template_of(picture.caption) for picture in pictures})


def _best(group: Group) -> Series | None:
    """The series with the highest mean AUCCESS over all of its runs, oracles excluded."""
    agents = [series for series in group.series if series.results and not series.is_oracle]

    def mean(series: Series) -> float:
        scores = [result.auccess for result in series.results]
        return sum(scores) / len(scores)

    return max(agents, key=mean, default=None)


def _pictures(result: PhyreResult, max_templates: int) -> list[Picture]:
    if result.header.physics != engine.physics_id():
        return []
    log = read(result.path)
    selected: list[Row] = []
    by_template: dict[str, list[list[Row]]] = {}
    for task_id, rows in log.tasks.items():
        by_template.setdefault(template_of(task_id), []).append(rows)
    for tasks_of_template in list(by_template.values())[:max_templates]:
        attempts_made = [row for rows in tasks_of_template for row in rows]
        solved = next((row for row in attempts_made if row["status"] >= SOLVED), None)
        failed = next((row for row in attempts_made if row["status"] < SOLVED), None)
        selected += [row for row in (solved, failed) if row is not None]
    tasks = _tasks(result, {row["task"] for row in selected})
    if not tasks:
        return []
    simulator = Simulator(tasks, tasks[0].tier)
    actions = [row["action"] for row in selected]
    attempts = simulator.attempts([row["task"] for row in selected], actions, want=["trajectories"])
    return [Picture(gif_uri(attempt), _caption(row)) for row, attempt in zip(selected, attempts, strict=True)]


def _caption(row: Row) -> str:
    outcome = "solved" if row["status"] >= SOLVED else "not solved"
    name = NAMES.get(template_of(row["task"]), "")
    return f"{row['task']} {name}: {outcome} at attempt {row['attempt']}".replace("  ", " ")


def _tasks(result: PhyreResult, task_ids: set[str]) -> Sequence[Task]:
    """Tasks of a run; empty if their file does not exist any more."""
    if result.spec.tasks is None:
        return [catalogue.task(task_id) for task_id in sorted(task_ids)]
    try:
        tasks = formats.load(result.spec.tasks)
    except (OSError, ValueError):
        return []
    return [tasks[task_id] for task_id in sorted(task_ids)] if task_ids <= tasks.keys() else []
