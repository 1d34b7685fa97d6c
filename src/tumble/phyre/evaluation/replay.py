"""Attempts of run logs, made again."""

from collections.abc import Sequence

from tumble.phyre.evaluation.run_spec import check_physics, chosen_tasks, from_header
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.progress import Advance
from tumble.runs.log import Log, Row

REPLAYED_TOGETHER = 5000


def verify(log: Log, advance: Advance = lambda _: None) -> str:
    """Replays all attempts of a log; what the first difference is, or nothing."""
    experiment = from_header(log.header)
    check_physics(log)
    _, attempted = chosen_tasks(experiment)
    known = {task.id for task in attempted}
    for task_id, rows in log.tasks.items():
        problem = _problem(rows, experiment.attempts) if task_id in known else "is none of this experiment's"
        if problem:
            return f"task {task_id} {problem}"
    simulator = Simulator(attempted, experiment.tier, experiment.device)
    rows = list(log.rows())
    for first in range(0, len(rows), REPLAYED_TOGETHER):
        part = rows[first : first + REPLAYED_TOGETHER]
        status, steps = simulator.outcomes([row["task"] for row in part], [row["action"] for row in part])
        for row, code, count in zip(part, status, steps, strict=True):
            if row["status"] != code or row["steps"] not in (None, count):
                where = f"task {row['task']}, attempt {row['attempt']}"
                return f"{where}: the log says status {row['status']}, steps {row['steps']}; replayed {code}, {count}"
        advance(len(part))
    return ""


def _problem(rows: Sequence[Row], attempts: int) -> str:
    """What can't be right about the attempts at a task, whatever the physics."""
    if [row["attempt"] for row in rows] != list(range(1, len(rows) + 1)):
        return "has attempts that are not numbered from 1 on"
    if len(rows) > attempts:
        return f"has {len(rows)} attempts, more than {attempts}"
    if any(row["status"] >= SOLVED for row in rows[:-1]):
        return "was attempted again after it was solved"
    return ""
