"""Figures as SVG text, to stand in pages: panels side by side with one legend below."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (4.6, 3.3)
"""Inches of a panel."""
LEGEND_ROW = 0.28
"""Inches of a row of the legend."""
LEGEND_LETTERS = 80
"""Letters of a legend's row that fit below one panel."""
LEGEND_MARK = 10
"""As wide as so many letters are the line before a label and the gap behind it."""


@dataclass(frozen=True)
class Look:
    """How a curve, line or row of bars is drawn."""

    colour: str
    dashes: str = "solid"


@dataclass(frozen=True)
class Line:
    """Points with their spread; a single one is a level, drawn across."""

    label: str
    look: Look
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] | None = None
    """Above and below."""


Panels = Mapping[str, Sequence[Line]]
"""Lines by the title of their panel."""


def curves(panels: Panels, xlabel: str, ylabel: str, ticks: Sequence[int]) -> str:
    """Curves on a logarithmic scale, with their spread as a band."""

    def draw(axes: "Axes", lines: Sequence[Line]) -> None:
        for line in lines:
            x, y = np.asarray(line.x, float), np.asarray(line.y, float)
            style: dict[str, Any] = {"color": line.look.colour, "linestyle": line.look.dashes}
            axes.plot(x, y, label=line.label, linewidth=1.6, **style)
            if line.spread is not None:
                spread = np.asarray(line.spread, float)
                low = np.maximum(y - spread, 0.0)
                axes.fill_between(x, low, y + spread, color=line.look.colour, alpha=0.15, linewidth=0)
        axes.set(xscale="log", xlim=(ticks[0], ticks[-1]), ylim=(0.0, None))
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()

    return _figure(panels, xlabel, ylabel, draw)


def lines(panels: Panels, xlabel: str, ylabel: str, names: Sequence[str] | None = None) -> str:
    """Lines with error bars: x on a logarithmic scale, or, with `names`, 0, 1, … as named places."""

    def draw(axes: "Axes", drawn: Sequence[Line]) -> None:
        for line in drawn:
            style: dict[str, Any] = {"color": line.look.colour, "linestyle": line.look.dashes, "label": line.label}
            if len(line.x) < 2:
                axes.axhline(line.y[0], linewidth=1.2, **style)
            else:
                axes.errorbar(line.x, line.y, line.spread, marker="o", markersize=4, capsize=3, linewidth=1.4, **style)
        if names is None:
            axes.set(xscale="log")
        else:
            axes.set_xticks(range(len(names)), list(names))
        axes.set(ylim=(0.0, None))

    return _figure(panels, xlabel, ylabel, draw)


def bars(panels: Panels, names: Sequence[str], ylabel: str) -> str:
    """Bars at 0, 1, … with error bars, those of several lines side by side; `names` stand below."""

    def draw(axes: "Axes", drawn: Sequence[Line]) -> None:
        width = 0.8 / max(1, len(drawn))
        for k, line in enumerate(drawn):
            place = np.asarray(line.x, float) + width * (k - (len(drawn) - 1) / 2)
            axes.bar(place, line.y, width, yerr=line.spread, capsize=3, color=line.look.colour, label=line.label)
        axes.set_xticks(range(len(names)), list(names), rotation=35, ha="right")
        axes.set(ylim=(0.0, None))

    return _figure(panels, "", ylabel, draw)


def _figure(panels: Panels, xlabel: str, ylabel: str, draw: "Callable[[Axes, Sequence[Line]], None]") -> str:
    with _plain_svg():
        from matplotlib.figure import Figure

        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        labels = {line.label: None for drawn in panels.values() for line in drawn}
        longest = LEGEND_MARK + max(map(len, labels), default=0)
        legend_columns = max(1, min(LEGEND_LETTERS * columns // longest, 2 * columns, len(labels)))
        legend = LEGEND_ROW * -(-len(labels) // legend_columns)
        figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * rows + legend), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        handles: dict[str, Any] = {}
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, (title, drawn) in zip(grid.flat, panels.items(), strict=False):
            draw(axes, drawn)
            axes.set_title(title, fontsize=10)
            axes.set(xlabel=xlabel, ylabel=ylabel)
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
            handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        if len(labels) > 1:
            figure.legend(
                handles=[handles[label] for label in labels],
                labels=list(labels),
                loc="outside lower center",
                ncols=legend_columns,
                frameon=False,
            )
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


@contextmanager
def _plain_svg() -> Iterator[None]:
    """Text stays text, and the same figure gives the same letters."""
    import matplotlib  # here: it takes half a second to load

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tumble", "font.size": 9}):
        yield
