"""`tumble phyre analyse`: whether tasks are solvable, and whether they are trivial."""

from pathlib import Path

import numpy as np
import typer
from rich.table import Column

from tumble.engine import check_device
from tumble.output import check_target, console, print_line, reports_errors, resume_hint, table
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.cli.task_files import find_task, load_tasks
from tumble.phyre.generation.task_analysis import Analyses, one_ball_shares
from tumble.phyre.generation.task_analysis import analyse as analyse_tasks
from tumble.phyre.simulation.actions import action_text

SOLUTION_WIDTH = len("0.123 0.123 0.123")


@reports_errors
def analyse(tasks: list[str] | None, file: Path | None, out: Path, device: str) -> None:
    """Analyses tasks or those of a file, and prints the verdicts."""
    if bool(tasks) == bool(file):
        raise typer.BadParameter("give tasks, or a file of tasks with --file")
    check_target(out)
    check_device(device)
    with resume_hint(f"partial results are in {out}. Repeat the command to resume."):
        analyses = analyse_tasks(_select_tasks(tasks, file), out, device)
    _print_verdicts(analyses)
    print_line(f"Written to {out}.")


def _select_tasks(tasks: list[str] | None, file: Path | None) -> list[Task]:
    return [find_task(text) for text in tasks or ()] if file is None else list(load_tasks(file).values())


def _print_verdicts(analyses: Analyses) -> None:
    columns = ("task", "balls", "attempts", "stable", "verdict", "trivial")
    rows = table(*columns, Column("a stable solution", min_width=SOLUTION_WIDTH))
    for (task_id, tier), analysis in analyses.items():
        counts = analysis.counts
        share = f"{100.0 * counts.stable / counts.valid:.3g} %" if counts.valid else "-"
        rows.add_row(
            task_id,
            str(TIERS[tier].balls),
            f"{counts.valid:,}",
            share,
            analysis.verdict,
            "yes" if analysis.trivial else "no",
            action_text(np.array(analysis.solution)) if analysis.solution else "none found",
        )
    console().print(rows)
    for template, solved in one_ball_shares(analyses).items():
        print_line(f"{template}: one ball solves {100.0 * solved:.0f} % of its tasks; it should be below 50 %.")
