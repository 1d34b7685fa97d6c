"""Attempts as small animations that are embedded in the page."""

from collections.abc import Mapping, Sequence

import numpy as np

from tumble import engine
from tumble.phyre.catalogue import tasks_by_id
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.evaluation.replay import nearest_misses, nearest_moment
from tumble.phyre.evaluation.result import PhyreResult
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.words import describe_goal
from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.report import Document, Picture
from tumble.report.page import svg_uri
from tumble.runs.log import Row, read
from tumble.scene.svg import animated_svg

COLUMNS = 4
FPS = 10
MAX_SECONDS = 12.0
PAUSE_SECONDS = 1.0
"""For which the last frame is shown before the animation repeats."""


def picture_of(attempt: Attempt, caption: str) -> Picture:
    """An attempt with trajectories as an animation, which ends when all bodies are at rest."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    moving = np.flatnonzero((poses != poses[-1]).any(axis=(1, 2)))
    end = min(int(moving[-1]) + 2 if len(moving) else 1, int(MAX_SECONDS * STEPS_PER_SECOND))
    stride = STEPS_PER_SECOND // FPS
    frames = np.concatenate([poses[:end:stride], poses[end - 1 : end]])
    return Picture(svg_uri(animated_svg(attempt.scene, frames, FPS, PAUSE_SECONDS)), caption)


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
        "solved a task, and of a failed task the attempt that came nearest to the goal; replayed from the log. The red "
        "ball was placed by the agent. The bar at the lower edge shows how much of the time has passed."
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
    by_template: dict[str, dict[str, list[Row]]] = {}
    for task_id, rows in read(result.path).tasks.items():
        by_template.setdefault(template_of(task_id), {})[task_id] = rows
    shown = list(by_template.values())[:max_templates]
    solved = [next((row for rows in tasks.values() for row in rows if _solved(row)), None) for tasks in shown]
    failed_at = [_failed_task(tasks) for tasks in shown]
    needed = {row["task"] for row in solved if row is not None} | {*filter(None, failed_at)}
    tasks = _tasks(result, needed)
    if not tasks:
        return []
    simulator = Simulator(tasks, tasks[0].tier)
    attempts_at = {task: by_template[template_of(task)][task] for task in failed_at if task is not None}
    misses = nearest_misses(simulator, attempts_at)
    pairs = zip(solved, (misses.get(task) if task else None for task in failed_at), strict=True)
    selected = [row for pair in pairs for row in pair if row is not None]
    actions = [row["action"] for row in selected]
    attempts = simulator.attempts([row["task"] for row in selected], actions, want=["trajectories"])
    return [
        _picture(simulator.task(row["task"]), row, attempt) for row, attempt in zip(selected, attempts, strict=True)
    ]


def _solved(row: Row) -> bool:
    return bool(row["status"] >= SOLVED)


def _failed_task(tasks: Mapping[str, Sequence[Row]]) -> str | None:
    """The first task of a template that was not solved, else the first with a failed attempt."""
    failed = [task for task, rows in tasks.items() if any(row["status"] == NOT_SOLVED for row in rows)]
    return next((task for task in failed if not any(map(_solved, tasks[task]))), failed[0] if failed else None)


def _picture(task: Task, row: Row, attempt: Attempt) -> Picture:
    assert attempt.trajectories is not None
    name = NAMES.get(template_of(task.id), "")
    if _solved(row):
        outcome = f"solved after {attempt.steps / STEPS_PER_SECOND:.1f} s"
    elif not task.only_touching:
        outcome = "not solved"
    else:
        outcome = f"not solved; {nearest_moment(task, attempt.trajectories).text}"
    goal = describe_goal(task)
    caption = f"{task.id} {name}, attempt {row['attempt']}: {outcome}. Goal: {goal}.".replace(" ,", ",")
    return picture_of(attempt, caption)


def _tasks(result: PhyreResult, task_ids: set[str]) -> Sequence[Task]:
    """Tasks of a run; empty if their file does not exist any more."""
    if result.spec.tasks is None:
        return [tasks_by_id.task(task_id) for task_id in sorted(task_ids)]
    try:
        tasks = result.spec.user_tasks()
    except (OSError, ValueError):
        return []
    return [tasks[task_id] for task_id in sorted(task_ids)] if task_ids <= tasks.keys() else []
