"""What `tumble runs list` and `show` print about PHYRE's logs."""

import numpy as np

from tumble.output import console, plural, print_line, table
from tumble.phyre.cli import words
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.phyre.report.by_template import named, share
from tumble.phyre.simulation.status import LABELS
from tumble.phyre.tasks.splits import template_of
from tumble.runs.log import Log

SHOWN_TASKS = 3
SHOWN_ATTEMPTS = 5


def row(log: Log) -> list[str]:
    """A log in a table."""
    result = result_of(log)
    given = "".join(f" {name}={value}" for name, value in log.header.given_settings.items())
    score = f"{result.auccess:.1f}" if result.solved_at else "-"
    place = [result.setting, str(result.fold), str(result.spec.seed), result.tasks]
    return [result.agent + given, *place, "yes" if log.finished else "no", score]


def show(log: Log) -> None:
    """Prints the scores, each template's success and some attempts of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    print_line(f"\n{state}: {result.tasks} tasks, {plural(sum(1 for _ in log.rows()), 'attempt')}")
    if not result.solved_at:
        return
    print_line(result.summary)
    _show_templates(result)
    _show_attempts(log)


def _show_templates(result: PhyreResult) -> None:
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
