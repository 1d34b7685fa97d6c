"""PHYRE's part of the demo: agents on fold 0 of PHYRE-B, first the fast ones, then DQN."""

from collections.abc import Iterator
from pathlib import Path

from tumble.cli.evaluate import make_demo_runs
from tumble.output import print_line
from tumble.phyre.agents.recipes import shipped_dqn
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.report.document import Document

AGENTS = ("rand", "mem", "mem-o", "optimal")
SETTINGS = ("ball_cross_template", "ball_within_template")
FOLD = 0
LIMIT: int | None = None
"""The number of tasks; None for all."""
DQN_SETTINGS = {
    "ball_cross_template": {"ranked": 1000, "refined": 20},
    "ball_within_template": {"ranked": 2000, "refined": 20},
}
"""The number of actions that DQN ranks, and ranks again with the whole network: what takes a minute on two cores."""
MAX_ANIMATED = 25
"""Templates of which attempts are animated."""


def add_demo(document: Document, folder: Path, workers: int | None) -> Iterator[None]:
    """Adds the report of the fast agents, then that of all."""
    print_line(
        f"{', '.join(agent.upper() for agent in AGENTS)} on PHYRE-B, fold {FOLD}, up to 100 attempts at each task. "
        "The outcomes of 1,000 random actions on every task are part of Tumble; other actions are simulated now."
    )
    fast = [PhyreRunSpec(agent, setting, FOLD, limit=LIMIT) for agent in AGENTS for setting in SETTINGS]
    logs = make_demo_runs(PHYRE, fast, folder, workers)
    PHYRE.add_report(document, logs, 0)
    yield
    networks = {setting: shipped_dqn(setting, FOLD) for setting in DQN_SETTINGS}
    learned = [
        PhyreRunSpec("dqn", setting, FOLD, settings={**network, **DQN_SETTINGS[setting]}, limit=LIMIT)
        for setting, network in networks.items()
        if network is not None
    ]
    if learned:
        print_line("DQN on the same tasks, with trained networks that are part of Tumble.")
        logs += make_demo_runs(PHYRE, learned, folder, workers)
        document.parts.clear()
        PHYRE.add_report(document, logs, MAX_ANIMATED)
        yield
