"""Common to what benchmarks print about a log in `tumble runs list` and `tumble runs show`."""

from collections.abc import Callable, Sequence
from typing import Any

from tumble.output import console, plural, print_line, table
from tumble.runs.log import Log
from tumble.runs.result import Result

MAX_TASKS = 3
MAX_ATTEMPTS = 5
"""Tasks and attempts at each that are printed."""


def log_row(result: Result, conditions: Sequence[object], scores: Sequence[str]) -> list[str]:
    """A row of the table of logs: agent and its settings, the run's conditions, tasks, finished or not, scores."""
    settings = "".join(f" {name}={value}" for name, value in result.header.further_settings.items())
    finished = "yes" if result.finished else "no"
    given_up = f", {len(result.given_up)} given up" if result.given_up else ""
    return [result.agent + settings, *map(str, conditions), result.tasks + given_up, finished, *scores]


def print_summary(result: Result, attempts: int, task: str = "task", attempt: str = "attempt") -> None:
    """Prints whether a run is finished, its numbers of tasks and attempts, and its scores."""
    state = "finished" if result.finished else "unfinished"
    print_line(f"\n{state}: {result.tasks} {task}s, {plural(attempts, attempt)}")
    if result.tasks_done:
        print_line(result.summary)


def print_attempts(
    log: Log, action: str, action_text: Callable[[list[Any]], str], outcome_text: Callable[[int], str]
) -> None:
    """Prints the first attempts and the last one at the first tasks; `action` is the heading of actions."""
    rows = table("task", "attempt", action, "outcome", "steps")
    for task_id, attempts in list(log.tasks.items())[:MAX_TASKS]:
        few = attempts if len(attempts) <= MAX_ATTEMPTS else [*attempts[: MAX_ATTEMPTS - 1], attempts[-1]]
        for row in few:
            texts = (action_text(row["action"]), outcome_text(row["status"]), str(row["steps"] or "-"))
            rows.add_row(task_id, str(row["attempt"]), *texts)
    console().print(rows)
