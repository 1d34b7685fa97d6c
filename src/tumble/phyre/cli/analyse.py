"""`tumble phyre analyse`: are tasks solvable, and are they trivial?"""

from pathlib import Path

import numpy as np
import typer
from rich.table import Column

from tumble.engine import check_device
from tumble.output import check_target, console, print_line, reports_errors, resume_hint, table
from tumble.phyre.cli.finding import find_task, loaded
from tumble.phyre.cli.words import brief
from tumble.phyre.generation.analyse import Analyses, one_ball_shares
from tumble.phyre.generation.analyse import analyse as try_out
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS

SOLUTION_WIDTH = len("0.123 0.123 0.123")


@reports_errors
def analyse(tasks: list[str] | None, file: Path | None, out: Path, device: str) -> None:
    """Analyse the named tasks or those of a file, and print what was found."""
    if bool(tasks) == bool(file):
        raise typer.BadParameter("name tasks, or a file of them with --file")
    check_target(out)
    check_device(device)
    with resume_hint(f"what is known is in {out}. Give the same command again to go on."):
        analyses = try_out(_chosen(tasks, file), out, device)
    _print_verdicts(analyses)
    print_line(f"Kept in {out}.")


def _chosen(tasks: list[str] | None, file: Path | None) -> list[Task]:
    return [find_task(text) for text in tasks or ()] if file is None else list(loaded(file).values())


def _print_verdicts(analyses: Analyses) -> None:
    columns = ("task", "balls", "attempts", "stable", "verdict", "trivial")
    rows = table(*columns, Column("a stable solution", min_width=SOLUTION_WIDTH))
    for (task_id, tier), found in analyses.items():
        share = f"{100.0 * found.counts.stable / found.counts.valid:.3g} %" if found.counts.valid else "-"
        rows.add_row(
            task_id,
            str(TIERS[tier].balls),
            f"{found.counts.valid:,}",
            share,
            found.verdict,
            "yes" if found.trivial else "no",
            brief(np.array(found.solution)) if found.solution else "none found",
        )
    console().print(rows)
    for template, part in one_ball_shares(analyses).items():
        print_line(f"{template}: one ball solves {100.0 * part:.0f} % of its tasks; below 50 % is as it should be.")
