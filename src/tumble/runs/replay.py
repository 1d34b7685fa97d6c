"""Makes the attempts of a run log again, and finds the first that differs."""

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
    """The first difference between a log and its replay, in words; empty where there is none.

    `problem` says what can't be right about the attempts at a task, whatever the physics; `replay` makes a batch of
    attempts again and gives of each the fields to compare. A field that is None in the log was not recorded.
    """
    known = set(known_ids)
    for task_id, rows in log.tasks.items():
        found = problem(task_id, rows) if task_id in known else "is not one of this run's tasks"
        if found:
            return f"task {task_id} {found}"
    rows = list(log.rows())
    for first in range(0, len(rows), batch_size):
        batch = rows[first : first + batch_size]
        for row, again in zip(batch, replay(batch), strict=True):
            names = [name for name, value in again.items() if row.get(name) is not None and row[name] != value]
            if names:
                said = ", ".join(f"{name} {row[name]}" for name in names)
                replayed = ", ".join(f"{name} {again[name]}" for name in names)
                return f"task {row['task']}, attempt {row['attempt']}: the log says {said}; replayed: {replayed}"
        advance(len(batch))
    return ""


def numbering_problem(rows: Sequence[Row]) -> str:
    """What is wrong with the numbers of the attempts at a task; empty where they count from 1."""
    expected = list(range(1, len(rows) + 1))
    return "" if [row["attempt"] for row in rows] == expected else "has attempts that are not numbered from 1 on"
