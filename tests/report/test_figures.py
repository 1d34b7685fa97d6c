"""Figures contain their data and labels, and are reproducible."""

import re
from xml.etree import ElementTree

import numpy as np

from tumble.report import figures
from tumble.report.figures import Line, Style

BLUE, RED = Style("#1f77b4"), Style("#d62728", "dashed")
PANELS = {
    "left & right": [
        Line(
            "one <agent>",
            BLUE,
            range(1, 101),
            np.linspace(0, 50, 100),
            (np.linspace(-4, 46, 100), np.linspace(4, 54, 100)),
        ),
        Line("other", RED, range(1, 101), np.linspace(0, 90, 100)),
    ],
    "second": [Line("other", RED, range(1, 101), np.zeros(100))],
}


def text_of(svg: str) -> str:
    """The text of a figure, which has to be well-formed XML."""
    return " ".join(text for text in ElementTree.fromstring(svg).itertext() if text.strip())


def test_curves_have_their_titles_labels_and_colours() -> None:
    svg = figures.curves(PANELS, "attempts", "solved, %", [1, 10, 100]).svg
    text = text_of(svg)
    for word in ("left & right", "second", "one <agent>", "other", "attempts", "solved, %"):
        assert word in text
    assert text.count("other") == 1  # one legend for all panels
    assert svg.count("#1f77b4") >= 2  # the curve and its band
    assert svg.startswith("<svg")


def test_figures_are_reproducible() -> None:
    first, again = (figures.curves(PANELS, "x", "y", [1, 100]) for _ in range(2))
    assert first.svg == again.svg
    assert first.pdf == again.pdf


def test_lines_have_error_bars_horizontal_lines_and_categories() -> None:
    points = Line("agent", BLUE, [0, 1, 2], [10.0, 30.0, 20.0], ([9.0, 28.0, 17.0], [11.0, 32.0, 23.0]))
    level = Line("level", RED, [0], [15.0])
    svg = figures.lines({"panel": [points, level]}, "weight", "score", ["offline", "1", "10"]).svg
    assert re.search(r"offline.*score.*agent.*level", text_of(svg), re.DOTALL)
    assert text_of(figures.lines({"panel": [points]}, "ranked", "score").svg)


def test_bars_have_categories() -> None:
    bars = Line("agent", BLUE, [0, 1], [10.0, 30.0], ([9.0, 28.0], [11.0, 32.0]))
    panels = {"one": [bars], "two": [bars], "three": [bars]}
    text = text_of(figures.bars(panels, ["baseline", "no balancing"], "score").svg)
    assert text.count("no balancing") == 3


def test_a_single_panel_is_as_wide_as_two() -> None:
    def width(panels: dict[str, list[Line]]) -> str | None:
        return ElementTree.fromstring(figures.curves(panels, "x", "y", [1, 100]).svg).get("width")

    assert width(PANELS) == width({"second": PANELS["second"]})


def test_error_bars_reach_from_the_lower_to_the_upper_end() -> None:
    line = Line("agent", BLUE, [0, 1], [10.0, 30.0], ([9.0, 25.0], [13.0, 30.0]))
    assert line.errors is not None
    assert line.errors.tolist() == [[1.0, 5.0], [3.0, 0.0]]


def test_names_with_dollar_signs_are_text_and_not_formulas() -> None:
    names = (r"$\frac{1}$", "$x^", "a $b$ c")
    panels = {names[0]: [Line(name, BLUE, (1, 10, 100), (0.0, 1.0, 2.0)) for name in names]}
    for plot in (figures.curves(panels, names[1], "y", [1, 10]), figures.lines(panels, "x", names[2])):
        text = text_of(plot.svg)
        assert all(name in text for name in names)
        assert plot.pdf.startswith(b"%PDF")
    ticks = text_of(figures.lines({"": panels[names[0]]}, "x", "y").svg)
    assert "100" in ticks
    assert "mathdefault" not in ticks
