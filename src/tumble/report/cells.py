"""Cells of tables: the text that is shown, and the numbers behind it at full precision."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tumble.report.estimates import Estimate

MISSING = "-"
AS_PUBLISHED = "as published"
"""After the name of an agent whose published results are shown."""
LOW, HIGH, DEVIATION, NOTE = "low", "high", "sd", "note"
"""Names of the numbers behind a cell; that of its value is empty."""


@dataclass(frozen=True)
class Cell:
    """A text, and the numbers behind it by name: "" for the value, LOW and HIGH for the ends of its interval, …"""

    text: str
    values: Mapping[str, float | str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def with_note(self, note: str) -> "Cell":
        """The cell with a note after its text, as in: 35.5 (2 folds)."""
        return Cell(f"{self.text} ({note})", {**self.values, NOTE: note})


def decimal_text(value: float | None) -> str:
    """A number with one digit after the point; MISSING for None and NaN."""
    return MISSING if value is None or math.isnan(value) else f"{value:.1f}"


def mean_text(mean: float, spread: float | None) -> str:
    """A mean with its standard deviation, if there is one: 20.6 ± 1.2."""
    return f"{mean:.1f}" if spread is None else f"{mean:.1f} ± {spread:.1f}"


def number_cell(value: float | None, text: str | None = None) -> Cell:
    """A number, by default with one digit after the point; MISSING for None and NaN."""
    if value is None or math.isnan(value):
        return Cell(MISSING)
    return Cell(decimal_text(value) if text is None else text, {"": value})


def count_cell(count: int) -> Cell:
    """A number of things: 1,234."""
    return Cell(f"{count:,}", {"": count})


def estimate_cell(estimate: Estimate | None) -> Cell:
    """A value with its standard deviation, 35.5 ± 9.8, or interval, 35.5 [31.2, 39.9], if there is one."""
    if estimate is None or math.isnan(estimate.value):
        return Cell(MISSING)
    text, values = decimal_text(estimate.value), _estimate_values(estimate)
    if estimate.deviation is not None:
        text = mean_text(estimate.value, estimate.deviation)
    elif estimate.interval is not None:
        text += f" [{', '.join(map(decimal_text, estimate.interval))}]"
    return Cell(text, values)


def brief_cell(estimate: Estimate | None, text: str) -> Cell:
    """A short text for narrow columns, with all numbers of the estimate behind it."""
    return Cell(text, {} if estimate is None else _estimate_values(estimate))


def uncertainty_text(rows: Iterable[Sequence[str | Cell]], over: str) -> str:
    """What ± and brackets in the cells of rows mean, for a caption; empty if there are none."""
    names = {name for row in rows for cell in row if isinstance(cell, Cell) for name in cell.values}
    deviation = ["± standard deviation over folds"] * (DEVIATION in names)
    interval = [f"[95 % interval, bootstrap over {over}]"] * (LOW in names)
    return " or ".join(deviation + interval)


def _estimate_values(estimate: Estimate) -> dict[str, float | str]:
    values: dict[str, float | str] = {"": estimate.value}
    if estimate.deviation is not None:
        values[DEVIATION] = estimate.deviation
    if estimate.interval is not None:
        values[LOW], values[HIGH] = estimate.interval
    return values
