"""Replays the attempts of a run log and finds the first difference."""

from collections.abc import Callable, Sequence

from tumble.progress import Advance
from tumble.runs.log import Log, Row


def first_difference(
    log: Log,
    known_ids: Sequence[str],
    problem: Callable[[str, Sequence[Row]], str],
    replay: Callable[[Sequence[Row]], Sequence[Row]],
    batch_size: int,
    advance: Advance,
) -> str:
    """Describes the first difference between a log and its replay; empty if there is none.

    `problem` describes what is invalid about the attempts at a task, independent of physics; `replay` repeats a batch
    of attempts and returns the fields to compare of each. A field that is None in the log was not recorded.
    """
    known = set(known_ids)
    for task_id, rows in log.tasks.items():
        message = problem(task_id, rows) if task_id in known else "is not one of this run's tasks"
        if message:
            return f"task {task_id} {message}"
    rows = list(log.rows())
    for first in range(0, len(rows), batch_size):
        batch = rows[first : first + batch_size]
        for row, again in zip(batch, replay(batch), strict=True):
            message = difference(row, again)
            if message:
                return f"task {row['task']}, attempt {row['attempt']}: {message}"
        advance(len(batch))
    return ""


def difference(row: Row, again: Row) -> str:
    """Describes where a row differs from its replay; empty if it does not. A field that is None was not recorded.

    >>> difference({"status": 1, "steps": None}, {"status": -1, "steps": 1000})
    'the log says status 1; replayed: status -1'
    """
    names = [name for name, value in again.items() if row.get(name) is not None and row[name] != value]
    if not names:
        return ""
    logged = ", ".join(f"{name} {row[name]}" for name in names)
    replayed = ", ".join(f"{name} {again[name]}" for name in names)
    return f"the log says {logged}; replayed: {replayed}"


def numbering_problem(rows: Sequence[Row]) -> str:
    """Describes what is wrong with the numbers of the attempts at a task; empty if they count from 1."""
    expected = list(range(1, len(rows) + 1))
    return "" if [row["attempt"] for row in rows] == expected else "has attempts that are not numbered 1, 2, …"
