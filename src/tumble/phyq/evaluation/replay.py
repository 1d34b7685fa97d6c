"""Attempts of run logs, made again."""

from collections.abc import Sequence

from tumble.phyq.evaluation.log_rows import STATUS_CODES, shots_of
from tumble.phyq.evaluation.run_spec import check_unchanged, from_header
from tumble.phyq.simulation.attempt import attempt_shots
from tumble.phyq.simulation.shots import ShotError
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.catalogue import cached_task
from tumble.progress import Advance
from tumble.runs.log import Log, Row

REPLAYED_TOGETHER = 1000


def verify(log: Log, advance: Advance = lambda _: None) -> str:
    """Replays all attempts of a log; what the first difference is, or nothing."""
    experiment = from_header(log.header)
    check_unchanged(log)
    task_ids = experiment.task_ids()
    number_of = {task_id: number for number, task_id in enumerate(task_ids)}
    for task_id, rows in log.tasks.items():
        problem = _problem(rows, task_id, experiment.attempts) if task_id in number_of else "is none of this experiment"
        if problem:
            return f"task {task_id} {problem}"
    simulator = Simulator([cached_task(task_id).level for task_id in task_ids], experiment.device)
    rows = list(log.rows())
    for first in range(0, len(rows), REPLAYED_TOGETHER):
        part = rows[first : first + REPLAYED_TOGETHER]
        tries = attempt_shots(
            simulator, [number_of[row["task"]] for row in part], [shots_of(row["action"]) for row in part]
        )
        for row, tried in zip(part, tries, strict=True):
            found = STATUS_CODES[tried.status], tried.steps
            if found != (row["status"], row["steps"]):
                where = f"task {row['task']}, attempt {row['attempt']}"
                said = f"the log says status {row['status']}, steps {row['steps']}"
                return f"{where}: {said}; replayed {found[0]}, {found[1]}"
        advance(len(part))
    return ""


def _problem(rows: Sequence[Row], task_id: str, attempts: int) -> str:
    """What can't be right about the attempts at a task, whatever the physics."""
    if [row["attempt"] for row in rows] != list(range(1, len(rows) + 1)):
        return "has attempts that are not numbered from 1 on"
    if len(rows) != attempts:
        return f"has {len(rows)} attempts, not {attempts}"
    birds = len(cached_task(task_id).level.birds)
    try:
        most = max(len(shots_of(row["action"])) for row in rows)
    except ShotError as error:
        return f"has shots that can't be: {error}"
    return f"has {most} shots in an attempt, and {birds} birds" if most > birds else ""
