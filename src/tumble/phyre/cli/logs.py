"""What the commands of `tumble runs` and `tumble report` do with PHYRE's logs."""

from collections.abc import Sequence

import numpy as np

from tumble.output import console, counted, say, table
from tumble.phyre import report
from tumble.phyre.cli import words
from tumble.phyre.cli.evaluate import resumed
from tumble.phyre.evaluation.replay import verify
from tumble.phyre.evaluation.result import Result, check, result_of
from tumble.phyre.report.by_template import named, share
from tumble.phyre.simulation.status import LABELS
from tumble.phyre.tasks.splits import template_of
from tumble.report import Document
from tumble.runs.log import Log

__all__ = ["COLUMNS", "NEEDS_ALL_ATTEMPTS", "check", "compose", "resumed", "row", "show", "verify"]

COLUMNS = ("agent", "setting", "fold", "seed", "tasks", "finished", "AUCCESS")
"""Of a table of logs."""
NEEDS_ALL_ATTEMPTS = False
"""The last attempt at a task tells whether and when it was solved."""
SHOWN_TASKS = 3
SHOWN_ATTEMPTS = 5


def row(log: Log) -> list[str]:
    """A log in a table."""
    result = result_of(log)
    given = "".join(f" {name}={value}" for name, value in log.header["given"].items())
    score = f"{result.auccess:.1f}" if result.solved_at else "-"
    place = [result.setting, str(result.fold), str(log.header["seed"]), _tasks(result)]
    return [result.agent + given, *place, "yes" if log.finished else "no", score]


def show(log: Log) -> None:
    """The scores, each template's success and some attempts of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    say(f"\n{state}: {_tasks(result)} tasks, {counted(sum(1 for _ in log.rows()), 'attempt')}")
    if not result.solved_at:
        return
    say(result.words)
    _show_templates(result)
    _show_attempts(log)


def _tasks(result: Result) -> str:
    return str(result.task_count) if result.finished else f"{len(result.solved_at)} of {result.task_count}"


def _show_templates(result: Result) -> None:
    found: dict[str, list[int | None]] = {}
    for task_id, at in result.solved_at.items():
        found.setdefault(template_of(task_id), []).append(at)
    rows = table("template", "tasks", "solved within 10 / 100, %")
    for key in sorted(found):
        rows.add_row(named(key), str(len(found[key])), share(found[key]))
    console().print(rows)


def _show_attempts(log: Log) -> None:
    rows = table("task", "attempt", "action", "outcome", "steps")
    for task_id, attempts in list(log.tasks.items())[:SHOWN_TASKS]:
        first = attempts if len(attempts) <= SHOWN_ATTEMPTS else [*attempts[: SHOWN_ATTEMPTS - 1], attempts[-1]]
        for one in first:
            action, outcome = words.brief(np.array(one["action"])), LABELS[one["status"]]
            rows.add_row(task_id, str(one["attempt"]), action, outcome, str(one["steps"] or "-"))
    console().print(rows)


def compose(logs: Sequence[Log], gifs: int) -> Document:
    """The report of some logs."""
    return report.compose(logs, gifs=gifs)
