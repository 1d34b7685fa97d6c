"""What `tumble runs list` and `tumble runs show` print about PHYRE's logs."""

import numpy as np

from tumble.cli.logs import log_row, print_attempts, print_summary
from tumble.output import console, table
from tumble.phyre.catalogue.task import MAX_ATTEMPTS
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.evaluation.result import PhyreResult, result_of, success_limits
from tumble.phyre.report.scores import success_cell, template_label
from tumble.phyre.simulation.actions import action_text
from tumble.phyre.simulation.status import LABELS
from tumble.runs.log import Log


def row(log: Log) -> list[str]:
    """A row of the table of logs."""
    result = result_of(log)
    allowed = "" if result.spec.attempts == MAX_ATTEMPTS else f" ({result.spec.attempts} attempts allowed)"
    score = f"{result.auccess:.1f}{allowed}" if result.solved_at else "-"
    return log_row(result, (result.setting, result.fold, result.spec.seed), [score])


def show(log: Log) -> None:
    """Prints the scores, the success in each template, and some attempts of a log."""
    result = result_of(log)
    print_summary(result, sum(1 for _ in log.rows()))
    if result.solved_at:
        _print_templates(result)
        print_attempts(
            log, "action", lambda action: action_text(np.array(action)) if action else "-", LABELS.__getitem__
        )


def _print_templates(result: PhyreResult) -> None:
    by_template: dict[str, list[int | None]] = {}
    for task_id, attempt in result.solved_at.items():
        by_template.setdefault(template_of(task_id), []).append(attempt)
    limits = success_limits(result.spec.attempts)
    rows = table("template", "tasks", f"solved within {' / '.join(map(str, limits))}, %")
    for template in sorted(by_template):
        solved_at = by_template[template]
        rows.add_row(template_label(template), str(len(solved_at)), str(success_cell(solved_at, limits)))
    console().print(rows)
