"""Scores of agents on levels without a template: solved levels, pass rates and points of the game."""

import numpy as np

from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.report.groups import Group
from tumble.phyq.report.scores import PUBLISHED_NAMES, percent_cell
from tumble.report import Document
from tumble.report.cells import Cell, count_cell, estimate_cell, number_cell, uncertainty_text
from tumble.report.figures import heat_map
from tumble.report.grouping import given_note

EXPLANATION = (
    "A level is solved if some attempt kills all pigs. An attempt has the game's points (5,000 for a pig, 500 for a "
    "block, 10,000 for an unused bird, and points for damage) if it passes, else 0, as in competitions; the total is "
    "the sum over levels of the best attempt's points. Numbers of several runs are means. The last two columns are "
    "published: the agent's pass rate on levels of a competition, and its Phy-Q score (the paper's table 2)."
)


def add_levels(document: Document, group: Group) -> None:
    """Adds a table of agents, and the pass rates by level."""
    rows: list[list[str | Cell]] = []
    for series in group.finished:
        runs = series.results
        solved = float(np.mean([run.levels_solved / run.task_count for run in runs]))
        score, total = np.mean([(run.mean_score, run.total_score) for run in runs], axis=0).tolist()
        cells = [percent_cell(solved), estimate_cell(series.level_estimate()), _points(score), _points(total)]
        name = PUBLISHED_NAMES.get(series.variant.agent, "")
        published = [percent_cell(paper.COMPETITION.get(name)), number_cell(paper.PHY_Q.get(name))]
        rows.append([series.label, series.given, count_cell(runs[0].task_count), *cells, *published])
    uncertainty = uncertainty_text(rows, "levels")
    caption = "; ".join(filter(None, ["Levels solved, attempts that passed, and points", uncertainty]))
    header = [
        "agent",
        "given",
        "levels",
        "solved, %",
        "passed, %",
        "mean score",
        "total of best",
        "competition, %",
        "Phy-Q",
    ]
    document.table(caption, header, rows)
    document.text(EXPLANATION)
    _add_by_level(document, group)


def _points(value: float) -> Cell:
    return number_cell(value, f"{value:,.0f}")


def _add_by_level(document: Document, group: Group) -> None:
    rates = [series.template_rates() for series in group.finished]
    labels = [series.label for series in group.finished]
    levels = list(rates[0])
    values = np.array([[100.0 * own[level] for level in levels] for own in rates])
    document.figure(heat_map(values, labels, levels, "passed, %"), "Attempts that passed, by level.")
    rows: list[list[str | Cell]] = [[level, *(percent_cell(own[level]) for own in rates)] for level in levels]
    document.table("Passed by level, %", ["level", *labels], rows)
    document.text(given_note(group.finished))
