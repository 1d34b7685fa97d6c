"""The page of a training: its settings and the curve of its losses."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumble.progress import duration
from tumble.report.document import Document
from tumble.report.page import write
from tumble.report.plot import plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Mapping[str, Sequence[tuple[int, float]]]
"""For each loss, (step, mean loss since the point before)."""


def write_loss_page(
    path: Path, name: str, curve: Curve, settings: Mapping[str, Any], steps: int, seconds: float
) -> None:
    """Writes the page."""
    document = Document(f"Training of {name}")
    document.text(f"{steps:,} steps in {duration(seconds)}.")
    document.figure(_plot(curve), "Losses, each point the mean since the point before.")
    rows = [[key, str(value)] for key, value in {**settings, **settings.get("config", {})}.items() if key != "config"]
    document.table("Settings", ["setting", "value"], rows)
    write(document, path)


@plotted
def _plot(curve: Curve) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curve.items():
        axes.plot([step for step, _ in points], [loss for _, loss in points], label=name, linewidth=1.2)
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    if curve:
        axes.legend(frameon=False)
    return figure
