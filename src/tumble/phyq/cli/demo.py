"""Phy-Q's part of the demo."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tumble.report import Document

from rich.console import Console

PHYQ_AGENTS = ("bambirds_style", "eagles_wing_style", "datalab_style", "random", "pig_shooter")

PHYQ_TASKS = 1
"""Test tasks of each test template: what takes seconds."""

PHYQ_ANIMATED = 4
"""Scenarios of which attempts are animated."""


def _phyq(console: Console, folder: Path, scenarios: tuple[str, ...], workers: int | None) -> "Document":
    """Lets agents play Phy-Q; the report of their runs."""
    from tumble.cli.demo import HINT, _require_all
    from tumble.phyq.cli.evaluate import begun
    from tumble.phyq.evaluation.run_spec import Experiment
    from tumble.phyq.report.compose import compose
    from tumble.progress import bar
    from tumble.runs.log import read
    from tumble.runs.side_by_side import run_all

    chosen = [Experiment(agent, only=scenarios, limit=PHYQ_TASKS) for agent in PHYQ_AGENTS]
    console.print(f"{', '.join(PHYQ_AGENTS)} on Phy-Q, five attempts at {PHYQ_TASKS} task of each test template.")
    results = run_all([begun(experiment, folder) for experiment in chosen], workers, "local", "cpu", HINT)
    _require_all(len(results), len(chosen))
    with bar("Writing the report of Phy-Q", 1) as advance:
        document = compose([read(result.path) for result in results], gifs=PHYQ_ANIMATED)
        advance(1)
    return document
