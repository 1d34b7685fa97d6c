"""Figures as SVG text, to stand in pages."""

import io
from collections.abc import Mapping

import numpy as np


def success_curves(curves: Mapping[str, np.ndarray]) -> str:
    """The share of tasks, 0 to 1, solved within 1, 2, … attempts, by name of the curve; attempts on a log scale."""
    from matplotlib.figure import Figure  # here: it takes half a second to load

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for name, shares in curves.items():
        axes.step(np.arange(1, len(shares) + 1), 100.0 * np.asarray(shares), where="post", label=name)
    axes.set(xscale="log", xlabel="attempts", ylabel="tasks solved, %", ylim=(0.0, None))
    axes.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    axes.grid(alpha=0.3)
    axes.legend()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
