"""Figures as SVG text, to stand in pages: panels side by side with one legend below."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = (4.6, 3.3)
"""Inches of a panel."""
LEGEND_ROW = 0.28
"""Inches of a row of the legend."""
LEGEND_LETTERS = 80
"""Letters of a legend's row that fit below one panel."""
LEGEND_MARK = 10
"""As wide as so many letters are the line before a label and the gap behind it."""
DOT_ROW, MAP_ROW = 0.24, 0.26
"""Inches of a row of dots, and of a map."""


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


@dataclass(frozen=True)
class Dot:
    """A value with its label."""

    label: str
    look: Look
    x: float
    hollow: bool = False


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


def bars(panels: Panels, names: Sequence[str], ylabel: str, across: int = 2) -> str:
    """Bars at 0, 1, … with error bars, those of several lines side by side; `names` stand below.

    Up to `across` panels stand in a row.
    """

    def draw(axes: "Axes", drawn: Sequence[Line]) -> None:
        width = 0.8 / max(1, len(drawn))
        for k, line in enumerate(drawn):
            place = np.asarray(line.x, float) + width * (k - (len(drawn) - 1) / 2)
            axes.bar(place, line.y, width, yerr=line.spread, capsize=3, color=line.look.colour, label=line.label)
        axes.set_xticks(range(len(names)), list(names), rotation=35, ha="right")
        axes.set(ylim=(0.0, None))

    return _figure(panels, "", ylabel, draw, across)


def dots(rows: Sequence[Dot], xlabel: str, levels: Mapping[str, float]) -> str:
    """One dot in a row for each label, full or hollow; `levels` are drawn across and named above."""
    with plain_svg():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2 * PANEL[0], 0.9 + DOT_ROW * len(rows)), layout="constrained")
        axes = figure.subplots()
        for place, row in enumerate(reversed(rows)):
            style: dict[str, Any] = {"color": row.look.colour, "markerfacecolor": row.look.colour}
            if row.hollow:
                style["markerfacecolor"] = "white"
            axes.plot([row.x], [place], marker="o", markersize=7, linestyle="none", **style)
            axes.annotate(f"{row.x:.1f}", (row.x, place), (8, -3), textcoords="offset points", fontsize=8)
        for name, x in levels.items():
            axes.axvline(x, color="#888888", linewidth=1.0, linestyle="dashed", zorder=0)
            axes.annotate(name, (x, 1.01), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points")
        axes.set_yticks(range(len(rows)), [row.label for row in reversed(rows)])
        axes.set(xlabel=xlabel, ylim=(-0.7, len(rows) - 0.3))
        axes.grid(axis="y", alpha=0.25)
        axes.margins(x=0.08)
        axes.spines[["top", "right"]].set_visible(False)
        return svg_of(figure)


def heat_map(values: "np.ndarray", rows: Sequence[str], columns: Sequence[str], unit: str) -> str:
    """Values [rows, columns] from 0 to 100 as shades; where there is none (NaN), nothing."""
    with plain_svg():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2 * PANEL[0], 1.0 + MAP_ROW * len(rows)), layout="constrained")
        axes = figure.subplots()
        shades = axes.pcolormesh(values[::-1], cmap="YlGnBu", vmin=0.0, vmax=100.0, edgecolors="white", linewidth=0.4)
        size = 9 if len(columns) <= 20 else 6
        axes.set_xticks(np.arange(len(columns)) + 0.5, list(columns), rotation=90, fontsize=size)
        axes.set_yticks(np.arange(len(rows)) + 0.5, list(reversed(rows)))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        figure.colorbar(shades, ax=axes, label=unit, fraction=0.03, pad=0.01)
        return svg_of(figure)


def _figure(
    panels: Panels, xlabel: str, ylabel: str, draw: "Callable[[Axes, Sequence[Line]], None]", across: int = 2
) -> str:
    with plain_svg():
        from matplotlib.figure import Figure

        columns = min(across, len(panels))
        rows = -(-len(panels) // columns)
        labels = {line.label: None for drawn in panels.values() for line in drawn}
        wide = 2 if across == 1 else columns  # a single column of panels is as wide as two
        longest = LEGEND_MARK + max(map(len, labels), default=0)
        legend_columns = max(1, min(LEGEND_LETTERS * wide // longest, 2 * wide, len(labels)))
        legend = LEGEND_ROW * -(-len(labels) // legend_columns)
        figure = Figure(figsize=(PANEL[0] * wide, PANEL[1] * rows + legend), layout="constrained")
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
        return svg_of(figure)


def svg_of(figure: "Figure") -> str:
    """A figure as it stands in a page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


@contextmanager
def plain_svg() -> Iterator[None]:
    """Text stays text, and the same figure gives the same letters."""
    import matplotlib  # here: it takes half a second to load

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tumble", "font.size": 9}):
        yield
