"""The demo: agents on PHYRE-B and on Phy-Q, some sets of ComPhy, and a report of it all as a page."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from tumble.comphy.cli.demo import COMPHY_SIZE, _comphy
from tumble.phyq.cli.demo import _phyq
from tumble.phyre.cli.demo import _phyre

if TYPE_CHECKING:
    pass


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


def _require_all(done: int, wanted: int) -> None:
    if done < wanted:
        raise RuntimeError(f"{wanted - done} of {wanted} runs failed")
