"""The page of a learner's training: win rate and loss of its networks, round by round."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tumble.phyq.models.learner import Learner
from tumble.phyq.models.q_training import QTraining
from tumble.progress import duration
from tumble.report.document import Document
from tumble.report.page import write
from tumble.report.plot import plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_training_page(path: Path, training: QTraining) -> None:
    """Writes the page."""
    document = Document(f"Training of {training.name}")
    learners, speed = training.learners, training.speed
    finished = sum(learner.finished for learner in learners)
    document.text(f"{finished} of {len(learners)} networks are finished.")
    if speed.seconds > 0.0:
        document.text(
            f"Into replay: {speed.shots:,} shots, of which {speed.simulated:,} were simulated and the others known, in "
            f"{duration(speed.seconds)}. Updates: {speed.updates:,} in {duration(speed.update_seconds)}."
        )
    for name, words in (("win rate", "Share of a round's episodes that were won"), ("loss", "Mean loss of a round")):
        document.figure(_plot(learners, name), f"{words}, for each network (grey) and on average (black).")
    rows = [
        [one.label, str(one.round), f"{one.updates:,}", _last(one, "win rate"), _last(one, "loss")] for one in learners
    ]
    document.table("Networks", ["network", "rounds", "updates", "win rate", "loss"], rows)
    settings = [[name, str(value)] for name, value in vars(training.config).items()]
    document.table("Settings", ["setting", "value"], [["seed", str(training.seed)], *settings])
    write(document, path)


def _last(learner: Learner, name: str) -> str:
    points = learner.curve.get(name, [])
    return f"{points[-1][1]:.3f}" if points else "none"


@plotted
def _plot(learners: Sequence[Learner], name: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    axes = figure.add_subplot()
    by_round: dict[int, list[float]] = {}
    for learner in learners:
        points = learner.curve.get(name, [])
        axes.plot([at for at, _ in points], [value for _, value in points], color="0.8", linewidth=0.8)
        for at, value in points:
            by_round.setdefault(at, []).append(value)
    means = [(at, sum(values) / len(values)) for at, values in sorted(by_round.items())]
    axes.plot([at for at, _ in means], [mean for _, mean in means], color="black", linewidth=1.5)
    axes.set_xlabel("round")
    axes.set_ylabel(name)
    axes.grid(alpha=0.3)
    return figure
