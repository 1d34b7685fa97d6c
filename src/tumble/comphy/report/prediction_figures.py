"""Figures of predicted tracks against true ones: of the future, and after changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tumble.comphy.report.set_figures import COLOURS, HALF_WIDTH, to_camera_view, visible_table
from tumble.comphy.tasks.body import Body
from tumble.report.plot import plotted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4


@dataclass(frozen=True, eq=False)
class PredictedWorld:
    """A world with its true and its predicted places."""

    title: str
    true: np.ndarray
    """float64 [frame, body, 3]."""
    predicted: np.ndarray
    """float64 [frame, body, 2 or 3], in the order of the true bodies; NaN where nothing is predicted."""

    def errors(self) -> np.ndarray:
        """float64 [body]: mean distance of predicted and true places, in units; NaN if nothing is predicted."""
        frames = min(len(self.true), len(self.predicted))
        distances = np.linalg.norm(self.predicted[:frames, :, :2] - self.true[:frames, :, :2], axis=-1)
        known = np.isfinite(distances)
        totals = np.where(known, distances, 0.0).sum(axis=0)
        return np.where(known.any(axis=0), totals / np.maximum(known.sum(axis=0), 1), np.nan)


@plotted
def predictions(bodies: tuple[Body, ...], worlds: Sequence[PredictedWorld]) -> "Figure":
    """Every world from above: true tracks as wide pale lines, predicted ones as thin lines with a cross at the end."""
    from matplotlib.figure import Figure

    rows = -(-len(worlds) // COLUMNS)
    figure = Figure(figsize=(9.2, 2.5 * rows), layout="constrained")
    grid = figure.subplots(rows, COLUMNS, squeeze=False)
    for axes in grid.flat:
        axes.axis("off")
    for axes, world in zip(grid.flat, worlds, strict=False):
        axes.axis("on")
        _draw(axes, bodies, world)
    return figure


def _draw(axes: "Axes", bodies: tuple[Body, ...], world: PredictedWorld) -> None:
    axes.fill(*to_camera_view(visible_table()).T, color="#f2f2f2", zorder=0)
    for k, body in enumerate(bodies):
        colour = COLOURS[body.color]
        true, predicted = (to_camera_view(places[:, k, :2]) for places in (world.true, world.predicted))
        axes.plot(*true.T, color=colour, linewidth=4, alpha=0.3)
        axes.plot(*true[-1], "o", color=colour, markersize=5, alpha=0.5)
        axes.plot(*predicted.T, color=colour, linewidth=1.0)
        ends = predicted[np.isfinite(predicted).all(axis=-1)]
        if len(ends):
            axes.plot(*ends[-1], "x", color=colour, markersize=5)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_WIDTH, HALF_WIDTH), aspect="equal", xticks=[], yticks=[])
    axes.set_title(world.title, fontsize=7)
