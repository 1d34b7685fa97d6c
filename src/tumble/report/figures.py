"""Figures of Matplotlib: drawn when a format needs them, as SVG for pages, as PDF and SVG files for papers.

They are as wide as a page: a grid of panels with one legend below, dots, and heat maps.
"""

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


P = ParamSpec("P")


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure that is not drawn yet."""

    draw: "Callable[[], Figure]"
    """Draws it anew."""

    @cached_property
    def svg(self) -> str:
        """The <svg> element of a page, with its text as text; equal figures give equal elements."""
        text = self._written("svg", "Date", "none").decode()
        return text[text.index("<svg") :]

    @cached_property
    def pdf(self) -> bytes:
        """A PDF file of one page with its fonts; equal figures give equal bytes."""
        return self._written("pdf", "CreationDate")

    @cached_property
    def svg_file(self) -> bytes:
        """An SVG file, whose text is outlines, so that it needs no fonts; equal figures give equal bytes."""
        return self._written("svg", "Date", "path")

    def _written(self, kind: str, date: str, svg_text: str = "none") -> bytes:
        stream = io.BytesIO()
        with _drawing_style(svg_text):
            self.draw().savefig(stream, format=kind, metadata={date: None})
        return stream.getvalue()


def plotted(draw: "Callable[P, Figure]") -> Callable[P, Plot]:
    """Makes a function that draws a figure return it as a Plot."""

    @wraps(draw)
    def deferred(*args: P.args, **kwargs: P.kwargs) -> Plot:
        return Plot(partial(draw, *args, **kwargs))

    return deferred


@contextmanager
def _drawing_style(svg_text: str) -> Iterator[None]:
    """Takes dollar signs for text, embeds fonts in PDF files, and makes equal figures give equal files."""
    import matplotlib  # imported here: it takes half a second to load

    style: Any = {"svg.fonttype": svg_text, "svg.hashsalt": "tumble", "pdf.fonttype": 42, "font.size": 9}
    style["text.parse_math"] = False
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a name; a page has more fonts
        yield


WIDTH = 9.2
PANEL_HEIGHT = 3.3
"""Inches."""
LEGEND_ROW = 0.28
"""Height in inches."""
LEGEND_CHARACTERS = 160
"""Width of a row of the legend, in characters."""
MAX_LEGEND_COLUMNS = 5
LEGEND_HANDLE = 10
"""Width of the line before a label and the gap after it, in characters."""
DOT_ROW, MAP_ROW = 0.24, 0.26
"""Heights in inches of a row of dots and of a heat map."""


@dataclass(frozen=True)
class Style:
    """The colour and dashes of a line; of bars and dots only the colour."""

    colour: str
    dashes: str = "solid"


@dataclass(frozen=True)
class Line:
    """Points with their uncertainty; a single point is drawn as a horizontal line."""

    label: str
    style: Style
    x: Sequence[float]
    y: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | None = None
    """The lower and upper ends of the error bars; NaN where there is none."""

    @property
    def errors(self) -> np.ndarray | None:
        """float [2, points]: the lengths of the error bars below and above."""
        if self.band is None:
            return None
        (low, high), y = np.asarray(self.band, float), np.asarray(self.y, float)
        return np.maximum([y - low, high - y], 0.0)


@dataclass(frozen=True)
class Dot:
    """A labelled value."""

    label: str
    style: Style
    x: float
    interval: tuple[float, float] | None = None
    hollow: bool = False


Panels = Mapping[str, Sequence[Line]]
"""By title of the panel."""


@plotted
def curves(panels: Panels, xlabel: str, ylabel: str, ticks: Sequence[int]) -> "Figure":
    """Curves over a logarithmic x axis, with their uncertainty as a band."""

    def draw(axes: "Axes", lines: Sequence[Line]) -> None:
        for line in lines:
            x, y = np.asarray(line.x, float), np.asarray(line.y, float)
            options: dict[str, Any] = {"color": line.style.colour, "linestyle": line.style.dashes}
            axes.plot(x, y, label=line.label, linewidth=1.6, **options)
            if line.band is not None:
                low, high = np.maximum(np.asarray(line.band, float), 0.0)
                axes.fill_between(x, low, high, color=line.style.colour, alpha=0.15, linewidth=0)
        axes.set(xscale="log", xlim=(ticks[0], ticks[-1]), ylim=(0.0, None))
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()

    return _figure(panels, xlabel, ylabel, draw)


@plotted
def lines(panels: Panels, xlabel: str, ylabel: str, categories: Sequence[str] | None = None) -> "Figure":
    """Lines with error bars, over a logarithmic x axis or over categories, which are at x = 0, 1, …"""

    def draw(axes: "Axes", lines: Sequence[Line]) -> None:
        for line in lines:
            options: dict[str, Any] = {"color": line.style.colour, "linestyle": line.style.dashes, "label": line.label}
            if len(line.x) < 2:
                axes.axhline(line.y[0], linewidth=1.2, **options)
            else:
                options |= {"marker": "o", "markersize": 4, "capsize": 3, "linewidth": 1.4}
                axes.errorbar(line.x, line.y, line.errors, **options)
        if categories is None:
            axes.set(xscale="log")
            axes.xaxis.set_major_formatter("{x:,g}")
            axes.xaxis.set_minor_formatter("")
        else:
            axes.set_xticks(range(len(categories)), list(categories))
        axes.set(ylim=(0.0, None))

    return _figure(panels, xlabel, ylabel, draw)


@plotted
def bars(panels: Panels, categories: Sequence[str], ylabel: str, max_columns: int = 2) -> "Figure":
    """Grouped bars with error bars, one group for each category; categories are at x = 0, 1, …"""

    def draw(axes: "Axes", lines: Sequence[Line]) -> None:
        width = 0.8 / max(1, len(lines))
        for k, line in enumerate(lines):
            x = np.asarray(line.x, float) + width * (k - (len(lines) - 1) / 2)
            error_style = {"elinewidth": 0.8, "capsize": 30.0 * width / max(1, len(categories)), "capthick": 0.8}
            axes.bar(
                x, line.y, width, yerr=line.errors, error_kw=error_style, color=line.style.colour, label=line.label
            )
        axes.set_xticks(range(len(categories)), list(categories), rotation=35, ha="right")
        axes.set(ylim=(0.0, None))

    return _figure(panels, "", ylabel, draw, max_columns)


@plotted
def dots(rows: Sequence[Dot], xlabel: str, references: Mapping[str, float]) -> "Figure":
    """A row with one dot for each label, with its interval; `references` are labelled vertical lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 0.9 + DOT_ROW * len(rows)), layout="constrained")
    axes = figure.subplots()
    for y, row in enumerate(reversed(rows)):
        options: dict[str, Any] = {"color": row.style.colour, "markerfacecolor": row.style.colour}
        if row.hollow:
            options["markerfacecolor"] = "white"
        end = row.x
        if row.interval is not None:
            axes.plot(row.interval, [y, y], color=row.style.colour, linewidth=1.6, alpha=0.5)
            end = max(end, row.interval[1])
        axes.plot([row.x], [y], marker="o", markersize=7, linestyle="none", **options)
        axes.annotate(f"{row.x:.1f}", (end, y), (8, -3), textcoords="offset points", fontsize=8)
    for name, x in references.items():
        axes.axvline(x, color="#888888", linewidth=1.0, linestyle="dashed", zorder=0)
        axes.annotate(name, (x, 1.01), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points")
    axes.set_yticks(range(len(rows)), [row.label for row in reversed(rows)])
    axes.set(xlabel=xlabel, ylim=(-0.7, len(rows) - 0.3))
    axes.grid(axis="y", alpha=0.25)
    axes.margins(x=0.08)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


@plotted
def heat_map(values: "np.ndarray", rows: Sequence[str], columns: Sequence[str], unit: str) -> "Figure":
    """A heat map of values [rows, columns] from 0 to 100; cells that are NaN stay empty."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 1.0 + MAP_ROW * len(rows)), layout="constrained")
    axes = figure.subplots()
    shades = axes.pcolormesh(values[::-1], cmap="YlGnBu", vmin=0.0, vmax=100.0, edgecolors="white", linewidth=0.4)
    size = 9 if len(columns) <= 20 else 6
    axes.set_xticks(np.arange(len(columns)) + 0.5, list(columns), rotation=90, fontsize=size)
    axes.set_yticks(np.arange(len(rows)) + 0.5, list(reversed(rows)))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(shades, ax=axes, label=unit, fraction=0.03, pad=0.01)
    return figure


def _figure(
    panels: Panels, xlabel: str, ylabel: str, draw: "Callable[[Axes, Sequence[Line]], None]", max_columns: int = 2
) -> "Figure":
    from matplotlib.figure import Figure

    columns = min(max_columns, len(panels))
    rows = -(-len(panels) // columns)
    labels = {line.label: None for lines in panels.values() for line in lines}
    longest = LEGEND_HANDLE + max(map(len, labels), default=0)
    legend_columns = max(1, min(LEGEND_CHARACTERS // longest, MAX_LEGEND_COLUMNS, len(labels)))
    legend_height = LEGEND_ROW * -(-len(labels) // legend_columns)
    figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * rows + legend_height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    handles: dict[str, Any] = {}
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, (title, lines) in zip(grid.flat, panels.items(), strict=False):
        draw(axes, lines)
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
    return figure
