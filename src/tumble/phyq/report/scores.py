"""Scores of agents: pass rates by scenario (the paper's figure 4) and template (24), and Phy-Q scores (5).

On levels without a template they are solved levels, pass rates and points of the game.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.metrics import PROTOCOLS
from tumble.phyq.report.groups import COLOURS, Group, Series
from tumble.report import Document
from tumble.report.document import (
    AS_PUBLISHED,
    MISSING,
    Cell,
    brief_cell,
    count_cell,
    estimate_cell,
    number_cell,
    with_uncertainty,
)
from tumble.report.estimates import Estimate
from tumble.report.figures import Dot, Line, Style, bars, dots, heat_map
from tumble.report.grouping import given_note

PUBLISHED = {
    "random": "Random",
    "pig_shooter": "Pig Shooter",
    "datalab_style": "Datalab",
    "eagles_wing_style": "Eagle's Wing",
    "bambirds_style": "Bambirds",
}
"""Names in the paper, by agent that follows rules."""
PUBLISHED_LEARNERS = {
    "dddqn-symbolic": "D-DDQN-Symbolic",
    "dddqn-image": "D-DDQN-Image",
    "relational-symbolic": "Relational-Symbolic",
    "relational-image": "Relational-Image",
}
"""Names in the paper, by agent that learns."""
PUBLISHED_NAMES = {**PUBLISHED, **PUBLISHED_LEARNERS}
HUMAN_STYLE, OTHER_STYLE = Style("#222222"), Style("#bbbbbb")
PIG_SHOOTER_NOTE = (
    "Pig Shooter's published rates count attempts only up to its first pass, which overstates them; on the first "
    "attempt it passed 77.5 % of scenario 1 and 87.5 % of scenario 2. Published attempts that never finished count as "
    "failures."
)


def published_style(name: str) -> Style:
    """The colour of our version of a published agent, or grey."""
    agent = next((agent for agent, published in PUBLISHED_NAMES.items() if published == name), None)
    return Style(COLOURS[agent]) if agent else OTHER_STYLE


def percent_cell(rate: float | None) -> Cell:
    """A rate in percent with one digit after the point."""
    return number_cell(None if rate is None else 100.0 * rate)


def short_text(percent: float) -> str:
    """A percentage with at most three characters."""
    return f"{percent:.0f}" if percent > 9.95 else f"{percent:.1f}"


def add_scenarios(document: Document, group: Group) -> None:
    """Adds figure 4 and a table of its numbers."""
    rates = {series.label: series.scenario_estimates() for series in group.finished}
    numbers = sorted({number for by_scenario in rates.values() for number in by_scenario})
    with_paper = group.conditions.setting == "broad"
    panels = {
        "Tumble": [
            _scenario_line(series, [rates[series.label][number] for number in numbers]) for series in group.finished
        ]
    }
    if with_paper:
        panels[f"Published ({paper.PAPER})"] = [
            Line(name, published_style(name), range(len(numbers)), [100.0 * paper.BROAD[name][n - 1] for n in numbers])
            for name in PUBLISHED_NAMES.values()
        ]
        human = [100.0 * paper.HUMAN[n][0] for n in numbers]
        for lines in panels.values():
            lines.append(Line("Human (published)", Style("#e5e5e5"), range(len(numbers)), human))
    names = [f"{number} {SCENARIOS[number]}" for number in numbers]
    caption = (
        "Attempts that passed, by scenario: mean over its tasks and templates (the paper's figure 4). Error bars: 95 % "
        "interval, bootstrap over the tasks of each template."
    )
    document.figure(bars(panels, names, "passed, %", max_columns=1), caption)
    rows: list[list[str | Cell]] = []
    for series in group.finished:
        scores = map(estimate_cell, (series.phy_q_estimate(), series.mean_estimate()))
        cells = (_scenario_cell(rates[series.label].get(number)) for number in numbers)
        rows.append([series.label, series.given, *scores, *cells])
        name = PUBLISHED_NAMES.get(series.variant.agent)
        if with_paper and name:
            rows.append(_published_row(name, numbers))
    if with_paper:
        rows.append(_published_row("Human", numbers))
    caption = "The Phy-Q score, and attempts that passed by scenario, %"
    caption = with_uncertainty(caption, rows, "the tasks of each template")
    document.table(caption, ["agent", "given", "Phy-Q", "mean", *map(str, numbers)], rows)
    if with_paper and any(series.variant.agent == "pig_shooter" for series in group.finished):
        document.text(PIG_SHOOTER_NOTE)


def _scenario_line(series: Series, estimates: Sequence[Estimate]) -> Line:
    low, high = zip(*(estimate.band for estimate in estimates), strict=True)
    values = [estimate.value for estimate in estimates]
    band = None if any(map(math.isnan, low)) else (low, high)
    return Line(series.label, series.style, range(len(values)), values, band)


def _scenario_cell(estimate: Estimate | None) -> Cell:
    """A narrow cell: the interval is only in the numbers behind it, and in the figure."""
    return Cell(MISSING) if estimate is None else brief_cell(estimate, short_text(estimate.value))


def _published_row(name: str, numbers: list[int]) -> list[str | Cell]:
    rates = metrics.published_broad(name)
    values = [rates[number] for number in numbers]
    has_all = set(metrics.SCORED_SCENARIOS) <= set(numbers)
    score = number_cell(paper.PHY_Q[name] if has_all else None)
    cells = (number_cell(100.0 * value, short_text(100.0 * value)) for value in values)
    return [f"{name} {AS_PUBLISHED}", paper.given(name), score, percent_cell(sum(values) / len(values)), *cells]


def add_phy_q(document: Document, group: Group) -> None:
    """Adds figure 5."""
    scored = [(series, series.phy_q_estimate()) for series in group.finished]
    ours = [
        Dot(series.label, series.style, score.value, score.interval) for series, score in scored if score is not None
    ]
    if not ours:
        return
    published = [
        Dot(f"{name} {AS_PUBLISHED}", HUMAN_STYLE if name == "Human" else published_style(name), score, hollow=True)
        for name, score in paper.PHY_Q.items()
    ]
    rows = sorted([*ours, *published], key=lambda dot: -dot.x)
    caption = (
        "The Phy-Q score (the paper's figure 5): humans have 100, the published random agent 0. Full dots are our "
        "runs, with the 95 % interval, hollow ones are published. Scores are relative to human pass rates in the "
        "original game."
    )
    document.figure(dots(rows, "Phy-Q", {"random": 0.0, "humans": 100.0}), caption)


def add_protocols(document: Document, group: Group) -> None:
    """Adds scores and pass rates of the same attempts under each protocol, and how many passes follow the rule."""
    if group.conditions.setting == "levels":
        return
    with_paper = group.conditions.setting == "broad" and group.conditions.as_published
    rows: list[list[str | Cell]] = []
    for series in group.finished:
        cells = [cell for protocol in PROTOCOLS for cell in _protocol_cells(series, protocol)]
        rows.append([series.label, series.given, *cells, percent_cell(series.rule_share())])
        name = PUBLISHED_NAMES.get(series.variant.agent)
        if with_paper and name:
            rows.append(_published_protocols(name))
    if with_paper:
        rows.append(_published_protocols("Human"))
    header = ["agent", "given", *(f"{kind}, {protocol}" for protocol in PROTOCOLS for kind in ("Phy-Q", "%"))]
    caption = "The same attempts under four protocols: Phy-Q score and mean pass rate; passes that follow the rule, %"
    document.table(caption, [*header, "by the rule, %"], rows)
    document.text(
        "First attempt: later attempts don't count, as the paper's learners had one. Until the first pass: 1 / the "
        "attempt that passed, as in Pig Shooter's published runs. All attempts: passes / attempts, as described in the "
        "paper. As people: (6 - attempt that passed) / 5. By the rule: passes in which what the template asks for "
        "happened; the others were won in another way."
    )


def _protocol_cells(series: Series, protocol: str) -> list[Cell]:
    scores = [run.phy_q_relative_to(paper.HUMAN, protocol) for run in series.results]
    known = [score for score in scores if score is not None]
    score = number_cell(float(np.mean(known)) if known else None)
    return [score, percent_cell(float(np.mean([run.mean_under(protocol) for run in series.results])))]


def _published_protocols(name: str) -> list[str | Cell]:
    scores = paper.PHY_Q_BY_PROTOCOL[name]
    rates = list(metrics.published_broad(name).values())
    cells: list[str | Cell] = []
    for protocol in PROTOCOLS:  # pass rates are known under one protocol: that of figure 5
        is_main = scores.get(protocol) == paper.PHY_Q[name]
        cells += [number_cell(scores.get(protocol)), percent_cell(sum(rates) / len(rates) if is_main else None)]
    return [f"{name} {AS_PUBLISHED}", paper.given(name), *cells, Cell(MISSING)]


def add_templates(document: Document, group: Group) -> None:
    """Adds figure 24 and a table of its numbers."""
    document.heading("Templates", 3)
    rates = {series.label: series.template_rates() for series in group.finished}
    keys = {key for by_template in rates.values() for key in by_template}
    templates = sorted(keys, key=lambda key: [*map(int, key.split("."))])
    columns: dict[str, Sequence[float | None]] = {}
    for series in group.finished:
        columns[series.label] = [rates[series.label].get(key) for key in templates]
        published = PUBLISHED.get(series.variant.agent)
        if published in paper.LOCAL_AGENTS and group.conditions.setting != "tasks":
            index = paper.LOCAL_AGENTS.index(published)
            columns[f"{published} {AS_PUBLISHED}"] = [paper.LOCAL[key][index] for key in templates]
    caption = "Attempts that passed, by template (the paper's figure 24); published rates are for the test tasks."
    _add_rates(document, group, "template", templates, columns, caption)


LEVEL_SCORES = ("levels", "solved, %", "passed, %", "mean score", "total of best", "competition, %", "Phy-Q")
LEVELS_EXPLANATION = (
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
        cells = [percent_cell(solved), estimate_cell(series.level_estimate()), _points_cell(score), _points_cell(total)]
        name = PUBLISHED_NAMES.get(series.variant.agent, "")
        published = [percent_cell(paper.COMPETITION.get(name)), number_cell(paper.PHY_Q.get(name))]
        rows.append([series.label, series.given, count_cell(runs[0].task_count), *cells, *published])
    caption = with_uncertainty("Levels solved, attempts that passed, and points", rows, "levels")
    document.table(caption, ["agent", "given", *LEVEL_SCORES], rows)
    document.text(LEVELS_EXPLANATION)
    rates = {series.label: series.template_rates() for series in group.finished}
    levels = list(next(iter(rates.values())))
    columns = {label: [by_level[level] for level in levels] for label, by_level in rates.items()}
    _add_rates(document, group, "level", levels, columns, "Attempts that passed, by level.")


def _points_cell(value: float) -> Cell:
    return number_cell(value, f"{value:,.0f}")


def _add_rates(
    document: Document,
    group: Group,
    kind: str,
    names: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
    caption: str,
) -> None:
    """Adds a heat map and a table of pass rates of each template or level, as `kind` says, in columns of agents."""
    values = [[math.nan if rate is None else 100.0 * rate for rate in rates] for rates in columns.values()]
    document.figure(heat_map(np.array(values), list(columns), names, "passed, %"), caption)
    rows: list[list[str | Cell]] = [
        [name, *map(percent_cell, rates)] for name, *rates in zip(names, *columns.values(), strict=True)
    ]
    document.table(f"Passed by {kind}, %", [kind, *columns], rows)
    document.text(given_note(group.finished))
