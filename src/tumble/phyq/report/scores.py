"""How well agents did: pass rates by scenario (the paper's figure 4) and template (24), and the Phy-Q line (5)."""

import math

import numpy as np

from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.result import PROTOCOLS
from tumble.phyq.report.groups import COLOURS, Group
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.report import Document
from tumble.report.figures import Dot, Line, Look, bars, dots, heat_map

AS_PUBLISHED = "as published"
PUBLISHED = {
    "random": "Random",
    "pig_shooter": "Pig Shooter",
    "datalab_style": "Datalab",
    "eagles_wing_style": "Eagle's Wing",
    "bambirds_style": "Bambirds",
}
"""What stands beside ours in the paper."""
HUMAN_LOOK, OTHER_LOOK = Look("#222222"), Look("#bbbbbb")
NONE = "-"
PIG_SHOOTER_NOTE = (
    "Pig Shooter's published rates count attempts up to its first pass only, which flatters it; on the first attempt "
    "it passed 77.5 % of scenario 1 and 87.5 % of scenario 2. Published attempts that never finished count as failures."
)


def published_look(name: str) -> Look:
    """The colour of ours that is built after a published agent, or grey."""
    ours = next((agent for agent, known in PUBLISHED.items() if known == name), None)
    return Look(COLOURS[ours]) if ours else OTHER_LOOK


def percent(rate: float | None) -> str:
    return NONE if rate is None or math.isnan(rate) else f"{100.0 * rate:.1f}"


def brief(rate: float | None) -> str:
    """A percentage in three letters."""
    return NONE if rate is None else f"{100.0 * rate:.0f}" if rate > 0.0995 else f"{100.0 * rate:.1f}"


def add_scenarios(document: Document, group: Group) -> None:
    """Figure 4, and its numbers."""
    shown = group.finished
    rates = {one.label: one.scenario_rates() for one in shown}
    numbers = sorted({number for own in rates.values() for number in own})
    with_paper = group.conditions.setting == "broad"
    panels = {
        "Tumble": [
            Line(one.label, one.look, range(len(numbers)), [100.0 * rates[one.label][n] for n in numbers])
            for one in shown
        ]
    }
    if with_paper:
        panels[f"Published ({paper.PAPER})"] = [
            Line(name, published_look(name), range(len(numbers)), [100.0 * paper.BROAD[name][n - 1] for n in numbers])
            for name in PUBLISHED.values()
        ]
        human = [100.0 * paper.HUMAN[n][0] for n in numbers]
        for lines in panels.values():
            lines.append(Line("Human (published)", Look("#e5e5e5"), range(len(numbers)), human))
    names = [f"{number} {SCENARIOS[number]}" for number in numbers]
    caption = "Attempts that passed, by scenario: mean over its tasks and templates (the paper's figure 4)."
    document.figure(bars(panels, names, "passed, %", across=1), caption)
    rows, quiet = [], []
    for one in shown:
        own = rates[one.label]
        score = NONE if one.phy_q is None else f"{one.phy_q:.1f}"
        rows.append([one.label, score, percent(one.mean), *(brief(own.get(n)) for n in numbers)])
        name = PUBLISHED.get(one.variant.agent)
        if with_paper and name:
            quiet.append(len(rows))
            rows.append(_published_row(name, numbers))
    if with_paper:
        quiet.append(len(rows))
        rows.append(_published_row("Human", numbers))
    document.table("Passed by scenario, %", ["agent", "Phy-Q", "mean", *map(str, numbers)], rows, quiet)
    if with_paper and any(one.variant.agent == "pig_shooter" for one in shown):
        document.text(PIG_SHOOTER_NOTE)


def _published_row(name: str, numbers: list[int]) -> list[str]:
    rates = metrics.published_broad(name)
    own = [rates[number] for number in numbers]
    whole = set(metrics.SCORED_SCENARIOS) <= set(numbers)
    score = f"{paper.PHY_Q[name]:.1f}" if whole else NONE
    return [f"{name} {AS_PUBLISHED}", score, percent(sum(own) / len(own)), *map(brief, own)]


def add_line(document: Document, group: Group) -> None:
    """Figure 5."""
    scored = [(one, one.phy_q) for one in group.finished]
    ours = [Dot(one.label, one.look, score) for one, score in scored if score is not None]
    if not ours:
        return
    published = [
        Dot(f"{name} {AS_PUBLISHED}", HUMAN_LOOK if name == "Human" else published_look(name), score, hollow=True)
        for name, score in paper.PHY_Q.items()
    ]
    rows = sorted([*ours, *published], key=lambda dot: -dot.x)
    caption = (
        "The Phy-Q score (the paper's figure 5): humans have 100, the published random agent 0. Full dots are ours, "
        "hollow ones are published. Scores rest on human pass rates in the original game."
    )
    document.figure(dots(rows, "Phy-Q", {"random": 0.0, "humans": 100.0}), caption)


def add_protocols(document: Document, group: Group) -> None:
    """What the same attempts are worth when they are counted in other ways."""
    shown = [one for one in group.finished if any(run.spec.attempts > 1 for run in one.results)]
    if not shown:
        return
    rows = []
    for one in shown:
        for protocol in PROTOCOLS:
            rates = one.scenario_rates(protocol)
            first = [percent(rates.get(number)) for number in (1, 2)]
            rows.append([one.label, protocol, *first, percent(sum(rates.values()) / len(rates))])
    header = ["agent", "attempts that count", "scenario 1", "scenario 2", "mean of scenarios"]
    document.table("The same attempts counted in three ways, passed %", header, rows)
    document.text(
        "All attempts: passes / attempts, as the paper describes. Until the first pass: attempts after it don't count, "
        "as in Pig Shooter's published runs."
    )


def add_templates(document: Document, group: Group) -> None:
    """Figure 24, and its numbers."""
    document.heading("Templates", 3)
    shown = group.finished
    rates = {one.label: one.template_rates() for one in shown}
    templates = sorted({key for own in rates.values() for key in own}, key=lambda key: [*map(int, key.split("."))])
    names, values = [], []
    header, columns = ["template"], []
    for one in shown:
        names.append(one.label)
        values.append([100.0 * rates[one.label].get(key, math.nan) for key in templates])
        header.append(one.label)
        columns.append([percent(rates[one.label].get(key)) for key in templates])
        published = PUBLISHED.get(one.variant.agent)
        if published in paper.LOCAL_AGENTS and group.conditions.setting != "tasks":
            place = paper.LOCAL_AGENTS.index(published)
            names.append(f"{published} {AS_PUBLISHED}")
            values.append([100.0 * paper.LOCAL[key][place] for key in templates])
            header.append(published)
            columns.append([percent(paper.LOCAL[key][place]) for key in templates])
    caption = "Attempts that passed, by template (the paper's figure 24); published rates are of the test tasks."
    document.figure(heat_map(np.array(values), names, templates, "passed, %"), caption)
    rows = [[key, *cells] for key, *cells in zip(templates, *columns, strict=True)]
    document.table("Passed by template, %; columns with a capital are published", header, rows)
