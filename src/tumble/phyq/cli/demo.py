"""Phy-Q's part of the demo: an agent that learned and agents that follow rules, on a task of each test template."""

from collections.abc import Iterator
from pathlib import Path

from tumble.cli.evaluate import make_demo_runs
from tumble.output import print_line
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.report.document import Document

AGENTS = ("shot-ranker", "bambirds_style", "eagles_wing_style", "datalab_style", "random", "pig_shooter")
SCENARIOS: tuple[str, ...] = ()
"""Empty for all."""
TASKS = 1
"""Of each test template."""
MAX_ANIMATED = 4
"""Scenarios of which attempts are animated."""


def add_demo(document: Document, folder: Path, workers: int | None) -> Iterator[None]:
    """Adds the report of the agents."""
    print_line(f"{', '.join(AGENTS)} on Phy-Q, five attempts at {TASKS} task of each test template.")
    specs = [PhyQRunSpec(agent, only=SCENARIOS, limit=TASKS) for agent in AGENTS]
    PHYQ.add_report(document, make_demo_runs(PHYQ, specs, folder, workers), MAX_ANIMATED)
    yield
