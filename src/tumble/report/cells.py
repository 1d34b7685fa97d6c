"""Texts of table cells."""

import math

MISSING = "-"
AS_PUBLISHED = "as published"
"""After the name of an agent whose published results are shown."""


def decimal_text(value: float | None) -> str:
    """A number with one digit after the point; MISSING for None and NaN."""
    return MISSING if value is None or math.isnan(value) else f"{value:.1f}"


def mean_text(mean: float, spread: float | None) -> str:
    """A mean with its standard deviation, if there is one: 20.6 ± 1.2."""
    return f"{mean:.1f}" if spread is None else f"{mean:.1f} ± {spread:.1f}"
