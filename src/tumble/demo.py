"""The demo: agents on PHYRE-B and on Phy-Q, some sets of ComPhy, and a report of it all as a page."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from tumble.phyre.experiment import Experiment
    from tumble.report import Document

AGENTS = ("rand", "mem", "mem-o", "optimal")
SETTINGS = ("ball_cross_template", "ball_within_template")
FOLD = 0
DQN_SETTINGS = {"ball_cross_template": {"ranked": 1000, "refined": 200}, "ball_within_template": {"refined": 200}}
"""What DQN ranks in each setting, and how much of it with the whole network: what takes seconds on a CPU."""

PHYQ_AGENTS = ("bambirds_style", "eagles_wing_style", "datalab_style", "random", "pig_shooter")
PHYQ_TASKS = 1
"""Test tasks of each test template: what takes seconds."""
PHYQ_ANIMATED = 4
"""Scenarios of which attempts are animated."""

COMPHY_SETS = 3
COMPHY_SIZE = (240, 160)
COMPHY_SEED = 1

HINT = "give the same command again to go on."


def run(
    out: Path,
    limit: int | None = None,
    workers: int | None = None,
    scenarios: tuple[str, ...] = (),
    size: tuple[int, int] = COMPHY_SIZE,
) -> None:
    """Write the demo's files into the existing folder `out`.

    `limit` takes only the first tasks of PHYRE's folds, `scenarios` only some of Phy-Q's; `size` is of ComPhy's videos.
    """
    from tumble.report import page

    console = Console(highlight=False, soft_wrap=True)
    console.print("The first time, this compiles the physics.")
    document = _phyre(console, out / "runs", limit, workers)
    phyq = _phyq(console, out / "runs", scenarios, workers)
    document.heading("Phy-Q")
    document.parts += phyq.parts
    comphy = _comphy(console, out / "comphy", size, workers)
    document.heading("ComPhy")
    document.parts += comphy.parts
    page.write(document, out / "index.html")
    console.print(f"Open {out / 'index.html'}")


def _phyre(console: Console, folder: Path, limit: int | None, workers: int | None) -> "Document":
    """Lets agents play PHYRE; the report of their runs."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    from tumble.phyre.cli.side_by_side import begun
    from tumble.phyre.report import compose
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


def _phyq(console: Console, folder: Path, scenarios: tuple[str, ...], workers: int | None) -> "Document":
    """Lets agents play Phy-Q; the report of their runs."""
    from tumble.phyq.cli.evaluating import begun
    from tumble.phyq.experiment import Experiment
    from tumble.phyq.report import compose
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


def _comphy(console: Console, folder: Path, size: tuple[int, int], workers: int | None) -> "Document":
    """Makes some sets with their videos and questions; a page that shows them."""
    from tumble.comphy.dataset.generating import generate
    from tumble.comphy.dataset.layout import VIDEOS
    from tumble.comphy.dataset.loading import open_dataset
    from tumble.comphy.page import add_set
    from tumble.report import Document

    console.print(f"{COMPHY_SETS} sets of ComPhy: five videos of {size[0]}x{size[1]} each, and questions about them.")
    generate(folder, COMPHY_SETS, COMPHY_SEED, size, workers=workers)
    document = Document("ComPhy")
    for example in open_dataset(folder).examples():
        films = [example.data.layout.video(example.index, which).read_bytes() for which in VIDEOS]
        document.heading(f"Set {example.index:05d}", 3)
        add_set(document, example.videos, example.questions, films, level=4)
    return document


def _require_all(done: int, wanted: int) -> None:
    if done < wanted:
        raise RuntimeError(f"{wanted - done} of {wanted} runs failed")


def _experiments(limit: int | None) -> "list[Experiment]":
    """What runs on PHYRE: every agent in every setting, and DQN where it can; the slowest first."""
    from tumble.phyre.agents.shipped_dqn import shipped_dqn
    from tumble.phyre.experiment import Experiment

    chosen = []
    for setting, own in DQN_SETTINGS.items():
        known = shipped_dqn(setting, FOLD)
        if known is not None:
            chosen.append(Experiment("dqn", setting, FOLD, {**known, **own}, limit=limit))
    return chosen + [Experiment(agent, setting, FOLD, limit=limit) for agent in AGENTS for setting in SETTINGS]
