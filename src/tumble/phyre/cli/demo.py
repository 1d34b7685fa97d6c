"""PHYRE's part of the demo."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tumble.phyre.evaluation.run_spec import Experiment
    from tumble.report import Document

from rich.console import Console

AGENTS = ("rand", "mem", "mem-o", "optimal")

SETTINGS = ("ball_cross_template", "ball_within_template")

FOLD = 0

DQN_SETTINGS = {"ball_cross_template": {"ranked": 1000, "refined": 200}, "ball_within_template": {"refined": 200}}
"""What DQN ranks in each setting, and how much of it with the whole network: what takes seconds on a CPU."""


def _phyre(console: Console, folder: Path, limit: int | None, workers: int | None) -> "Document":
    """Lets agents play PHYRE; the report of their runs."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    from tumble.cli.demo import HINT, _require_all
    from tumble.phyre.cli.evaluate import begun
    from tumble.phyre.report.compose import compose
    from tumble.progress import bar
    from tumble.runs.log import read
    from tumble.runs.side_by_side import run_all

    chosen = _experiments(limit)
    names = ", ".join(dict.fromkeys(experiment.agent.upper() for experiment in chosen))
    console.print(f"{names} on PHYRE-B, fold {FOLD}, up to 100 attempts at each task.")
    console.print("What came of 1,000 random actions on every task comes with Tumble; the rest is simulated now.")
    results = run_all([begun(experiment, folder) for experiment in chosen], workers, "local", "cpu", HINT)
    _require_all(len(results), len(chosen))
    with bar("Writing the report of PHYRE", 1) as advance:
        logs = [read(result.path, brief=True) for result in results]
        document = compose(logs, title="Tumble: PHYRE-B, Phy-Q and ComPhy")
        advance(1)
    return document


def _experiments(limit: int | None) -> "list[Experiment]":
    """What runs on PHYRE: every agent in every setting, and DQN where it can; the slowest first."""
    from tumble.phyre.agents.shipped_dqn import shipped_dqn
    from tumble.phyre.evaluation.run_spec import Experiment

    chosen = []
    for setting, own in DQN_SETTINGS.items():
        known = shipped_dqn(setting, FOLD)
        if known is not None:
            chosen.append(Experiment("dqn", setting, FOLD, {**known, **own}, limit=limit))
    return chosen + [Experiment(agent, setting, FOLD, limit=limit) for agent in AGENTS for setting in SETTINGS]
