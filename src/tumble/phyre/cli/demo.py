"""PHYRE's part of the demo: agents on fold 0 of PHYRE-B, first the quick ones, then DQN."""

from collections.abc import Iterator
from pathlib import Path

from tumble.cli.demo import add_runs
from tumble.output import print_line
from tumble.phyre.agents.shipped_dqn import shipped_dqn
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.report.document import Document

AGENTS = ("rand", "mem", "mem-o", "optimal")
SETTINGS = ("ball_cross_template", "ball_within_template")
FOLD = 0
LIMIT: int | None = None
"""Tasks of the fold; None for all."""
DQN_SETTINGS = {"ball_cross_template": {"ranked": 1000, "refined": 200}, "ball_within_template": {"refined": 200}}
"""What DQN ranks in each setting, and how much of it with the whole network: what takes seconds on a CPU."""
MOST_ANIMATED = 25


def add_demo(document: Document, folder: Path, workers: int | None) -> Iterator[None]:
    """Adds the report of the quick agents, then that of all."""
    print_line(
        f"{', '.join(agent.upper() for agent in AGENTS)} on PHYRE-B, fold {FOLD}, up to 100 attempts at each task. "
        "The outcomes of 1,000 random actions on every task come with Tumble; the rest is simulated now."
    )
    quick = [PhyreRunSpec(agent, setting, FOLD, limit=LIMIT) for agent in AGENTS for setting in SETTINGS]
    add_runs(PHYRE, document, quick, folder, workers, MOST_ANIMATED)
    yield
    networks = {setting: shipped_dqn(setting, FOLD) for setting in DQN_SETTINGS}
    learned = [
        PhyreRunSpec("dqn", setting, FOLD, settings={**network, **DQN_SETTINGS[setting]}, limit=LIMIT)
        for setting, network in networks.items()
        if network is not None
    ]
    if learned:
        print_line("DQN, with networks that come with Tumble, on the same tasks.")
        document.parts.clear()
        add_runs(PHYRE, document, [*quick, *learned], folder, workers, MOST_ANIMATED)
        yield
