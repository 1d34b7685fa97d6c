"""The demo: agents on PHYRE-B, both settings, and the report of their runs as a page."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from tumble.phyre.experiment import Experiment

AGENTS = ("rand", "mem", "mem-o", "optimal")
SETTINGS = ("ball_cross_template", "ball_within_template")
FOLD = 0
DQN_SETTINGS = {"ball_cross_template": {"ranked": 1000, "refined": 200}, "ball_within_template": {"refined": 200}}
"""What DQN ranks in each setting, and how much of it with the whole network: what takes seconds on a CPU."""


def run(out: Path, limit: int | None = None, workers: int | None = None) -> None:
    """Write the demo's files into the existing folder `out`; `limit` takes only the first tasks of each fold."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    from tumble.phyre.cli.side_by_side import begun
    from tumble.phyre.report import compose
    from tumble.progress import bar
    from tumble.report import page
    from tumble.runs.log import read
    from tumble.runs.side_by_side import run_all

    console = Console(highlight=False, soft_wrap=True)
    folder = out / "runs"
    chosen = _experiments(limit)
    names = ", ".join(dict.fromkeys(experiment.agent.upper() for experiment in chosen))
    console.print(f"{names} on PHYRE-B, fold {FOLD}, up to 100 attempts at each task.")
    console.print("What came of 1,000 random actions on every task comes with Tumble; the rest is simulated now.")
    console.print("The first time, this compiles the physics.")
    calls = [begun(experiment, folder) for experiment in chosen]
    results = run_all(calls, workers, "local", "cpu", "give the same command again to go on.")
    if len(results) < len(chosen):
        raise RuntimeError(f"{len(chosen) - len(results)} of {len(chosen)} runs failed")
    with bar("Writing the report", 1) as advance:
        document = compose([read(result.path, brief=True) for result in results], title="Tumble: agents on PHYRE-B")
        page.write(document, out / "index.html")
        advance(1)
    console.print(f"Open {out / 'index.html'}")


def _experiments(limit: int | None) -> "list[Experiment]":
    """What runs: every agent in every setting, and DQN where it can; the slowest first."""
    from tumble.phyre.agents.shipped_dqn import shipped_dqn
    from tumble.phyre.experiment import Experiment

    chosen = []
    for setting, own in DQN_SETTINGS.items():
        known = shipped_dqn(setting, FOLD)
        if known is not None:
            chosen.append(Experiment("dqn", setting, FOLD, {**known, **own}, limit=limit))
    return chosen + [Experiment(agent, setting, FOLD, limit=limit) for agent in AGENTS for setting in SETTINGS]
