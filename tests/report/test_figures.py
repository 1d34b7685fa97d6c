"""Figures contain their data and labels, and are reproducible."""

import re
from xml.etree import ElementTree

import numpy as np

from tumble.report import figures
from tumble.report.figures import Line, Style

BLUE, RED = Style("#1f77b4"), Style("#d62728", "dashed")
PANELS = {
    "left & right": [
        Line("one <agent>", BLUE, range(1, 101), np.linspace(0, 50, 100), np.full(100, 4.0)),
        Line("other", RED, range(1, 101), np.linspace(0, 90, 100)),
    ],
    "second": [Line("other", RED, range(1, 101), np.zeros(100))],
}


def text_of(svg: str) -> str:
    """The text of a figure, which has to be well-formed XML."""
    return " ".join(text for text in ElementTree.fromstring(svg).itertext() if text.strip())


def test_curves_have_their_titles_labels_and_colours() -> None:
    svg = figures.curves(PANELS, "attempts", "solved, %", [1, 10, 100])
    text = text_of(svg)
    for word in ("left & right", "second", "one <agent>", "other", "attempts", "solved, %"):
        assert word in text
    assert text.count("other") == 1  # one legend for all panels
    assert svg.count("#1f77b4") >= 2  # the curve and its band
    assert svg.startswith("<svg")


def test_figures_are_reproducible() -> None:
    assert figures.curves(PANELS, "x", "y", [1, 100]) == figures.curves(PANELS, "x", "y", [1, 100])


def test_lines_have_error_bars_horizontal_lines_and_categories() -> None:
    points = Line("agent", BLUE, [0, 1, 2], [10.0, 30.0, 20.0], [1.0, 2.0, 3.0])
    level = Line("level", RED, [0], [15.0])
    svg = figures.lines({"panel": [points, level]}, "weight", "score", ["offline", "1", "10"])
    assert re.search(r"offline.*score.*agent.*level", text_of(svg), re.DOTALL)
    assert text_of(figures.lines({"panel": [points]}, "ranked", "score"))


def test_bars_have_categories() -> None:
    bars = Line("agent", BLUE, [0, 1], [10.0, 30.0], [1.0, 2.0])
    text = text_of(figures.bars({"one": [bars], "two": [bars], "three": [bars]}, ["baseline", "no balancing"], "score"))
    assert text.count("no balancing") == 3
