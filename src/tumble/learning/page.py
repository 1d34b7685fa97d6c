"""The page of a training: how long it took, the curves of its values, and its settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tumble.learning.harness import Training
from tumble.progress import duration
from tumble.report.document import Document
from tumble.report.figures import plotted
from tumble.report.page import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Sequence[tuple[int, float]]


def write_training_page(path: Path, training: Training) -> None:
    """Writes the page of the training of one network."""
    progress, identity = training.progress, dict(training.identity)
    document = Document(f"Training of {training.name}")
    document.text(f"{progress.step:,} steps in {duration(progress.seconds)}.")
    caption = "Losses, each point the mean since the point before."
    document.figure(plot_curves(progress.curve, "step", "loss", logarithmic=True), caption)
    rows = [[name, str(value)] for name, value in {**identity, **identity.pop("config")}.items() if name != "config"]
    document.table("Settings", ["setting", "value"], rows)
    write(document, path)


@plotted
def plot_curves(curves: Mapping[str, Curve], x: str, y: str, mean: bool = False, logarithmic: bool = False) -> "Figure":
    """Curves by name; with `mean`, these are grey, and their mean is black."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.1), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curves.items():
        style: dict[str, Any] = {"color": "0.8", "linewidth": 0.8} if mean else {"label": name, "linewidth": 1.2}
        axes.plot([step for step, _ in points], [value for _, value in points], **style)
    if mean:
        at_step: dict[int, list[float]] = {}
        for step, value in (point for points in curves.values() for point in points):
            at_step.setdefault(step, []).append(value)
        steps = sorted(at_step)
        axes.plot(steps, [sum(at_step[step]) / len(at_step[step]) for step in steps], color="black", linewidth=1.5)
    elif curves:
        axes.legend(frameon=False)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if logarithmic:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    return figure
