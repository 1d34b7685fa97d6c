"""Agents beside people: attempts until the first pass; and local against broad generalisation (figure 4b)."""

from collections.abc import Mapping, Sequence

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, phy_q, published_broad
from tumble.phyq.evaluation.result import PhyQResult, people_figures, people_of
from tumble.phyq.report.groups import Group, Series
from tumble.phyq.report.scores import PUBLISHED_NAMES, percent_cell
from tumble.report import Document
from tumble.report.document import AS_PUBLISHED, Cell, number_cell
from tumble.report.figures import Line, Style, bars
from tumble.report.grouping import given_note
from tumble.runs.participant import Person

MOST_ATTEMPTS = 5
"""Attempts of people; further attempts of agents do not count."""
LOCAL_STYLE, BROAD_STYLE, HUMAN_STYLE = Style("#1f77b4"), Style("#ff7f0e"), Style("#e5e5e5")


def attempts_to_pass(result: PhyQResult) -> dict[int, float]:
    """By scenario: the mean number of attempts until the first pass, MOST_ATTEMPTS for tasks that were not passed.

    Tasks count equally within templates, and templates within scenarios.
    """
    first = {
        task: passed.index(True) + 1 if True in passed else MOST_ATTEMPTS for task, passed in result.passed.items()
    }
    return _by_scenario({task: min(number, MOST_ATTEMPTS) for task, number in first.items()})


def _by_scenario(values: Mapping[str, float]) -> dict[int, float]:
    """Means over scenarios of values by task, in which templates count equally."""
    by_template: dict[str, list[float]] = {}
    for task_id, value in values.items():
        by_template.setdefault(task_id.partition(":")[0], []).append(value)
    by_scenario: dict[int, list[float]] = {}
    for template, own in by_template.items():
        by_scenario.setdefault(int(template.partition(".")[0]), []).append(float(np.mean(own)))
    return {number: float(np.mean(own)) for number, own in by_scenario.items()}


def add_attempts(document: Document, group: Group) -> None:
    """Adds attempts until the first pass by scenario, beside people's, and how long people thought."""
    compared = [series for series in group.finished if series.results[0].spec.attempts >= MOST_ATTEMPTS]
    if not compared:
        return
    counts = [[attempts_to_pass(result) for result in series.results] for series in compared]
    numbers = sorted(counts[0][0])
    rows: list[list[str | Cell]] = []
    for series, of_runs in zip(compared, counts, strict=True):
        means = [float(np.mean([own[number] for own in of_runs])) for number in numbers]
        rows.append([series.label, number_cell(float(np.mean(means)), f"{np.mean(means):.2f}"), *map(_short, means)])
    rows += [_thought_row(series, numbers) for series in compared if series.results[0].thought]
    for name, column in (("people, attempts", 0), ("people, seconds of thought", 1)):
        means = [paper.HUMAN_ATTEMPTS[number][column] for number in numbers]
        rows.append([f"{name} {AS_PUBLISHED}", _short(float(np.mean(means))), *map(_short, means)])
    caption = f"Attempts until the first pass by scenario, {MOST_ATTEMPTS} at most"
    document.table(caption, ["agent", "mean", *map(str, numbers)], rows)
    document.text(given_note(compared))


def _thought_row(series: Series, numbers: Sequence[int]) -> list[str | Cell]:
    """Seconds of thought of the participants of a study by scenario: mean over tasks, templates and people."""
    people = [_by_scenario(result.thought) for result in series.results if result.thought]
    means = [_mean([own[number] for own in people if number in own]) for number in numbers]
    known = [mean for mean in means if mean is not None]
    return [f"{series.label}, seconds of thought", _short(_mean(known)), *map(_short, means)]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def add_own_people(document: Document, group: Group) -> None:
    """Adds Phy-Q scores relative to the participants of a study with the same tasks, where there are enough."""
    people = [result for series in group.finished for result in people_of(series.results)]
    scored = [series for series in group.finished if set(SCORED_SCENARIOS) <= series.scenario_rates().keys()]
    if not people or not scored:
        return
    try:
        humans = people_figures(people)
    except TumbleError as error:
        document.text(f"No Phy-Q scores relative to the {len(people)} people of these logs: {error}.")
        return
    rows: list[list[str | Cell]] = []
    for series in scored:
        if series.results[0].header.participant is not Person:
            rates = series.scenario_rates()
            scores = (number_cell(phy_q(rates, humans=who)) for who in (humans, paper.HUMAN))
            rows.append([series.label, series.given, *scores])
    means = [humans[number][0] for number in SCORED_SCENARIOS]
    published = [paper.HUMAN[number][0] for number in SCORED_SCENARIOS]
    rows.append(
        ["people: mean pass rate, %", paper.given("Human"), percent_cell(_mean(means)), percent_cell(_mean(published))]
    )
    document.table(
        f"Phy-Q scores relative to the {len(people)} people of these logs, and to the published ones; random shots as "
        "published have 0. A person's pass rate is that of the paper: a later first pass counts less",
        ["agent", "given", "own people", "published people"],
        rows,
        [len(rows) - 1],
    )


def _short(value: float | None) -> Cell:
    return number_cell(value, None if value is None else f"{value:.1f}")


def add_local_and_broad(document: Document, groups: Sequence[Group]) -> None:
    """Adds figure 4b, and local against broad by scenario, for agents with runs of both."""
    local, broad = (_by_label(groups, setting) for setting in ("local", "broad"))
    both = [label for label in broad if label in local]
    if not both:
        return
    document.heading("Local against broad generalisation")
    rows: list[list[str | Cell]] = []
    panels = {}
    for label in both:
        means = [float(np.mean([run.mean for run in runs[label]])) for runs in (local, broad)]
        rows.append([label, broad[label][0].agent_was_given, *map(percent_cell, means)])
        name = PUBLISHED_NAMES.get(broad[label][0].agent)
        if name:
            published = published_broad(name)
            mean = sum(published.values()) / len(published)
            shares = (percent_cell(share) for share in (paper.LOCAL_MEANS.get(name), mean))
            rows.append([f"{name} {AS_PUBLISHED}", paper.given(name), *shares])
        panels[label] = [
            _line("local", LOCAL_STYLE, local[label]),
            _line("broad", BROAD_STYLE, broad[label]),
            _people_line(broad[label]),
        ]
    document.table(
        "Attempts that passed, %: mean over templates (local) and over scenarios (broad), the paper's figure 4b",
        ["agent", "given", "local", "broad"],
        rows,
    )
    names = [f"{number} {SCENARIOS[number]}" for number in sorted(broad[both[0]][0].scenario_rates())]
    caption = (
        "Attempts that passed, by scenario: test tasks of all its templates after training on their other tasks "
        "(local), and test tasks of its test templates after training on the others (broad)."
    )
    document.figure(bars(panels, names, "passed, %", max_columns=1), caption)


def _by_label(groups: Sequence[Group], setting: str) -> dict[str, list[PhyQResult]]:
    """Finished runs of a setting by agent, of the first group that has the agent."""
    found: dict[str, list[PhyQResult]] = {}
    for group in groups:
        if group.conditions.setting == setting and not group.conditions.only:
            for series in group.finished:
                found.setdefault(series.label, series.results)
    return found


def _line(label: str, style: Style, runs: Sequence[PhyQResult]) -> Line:
    rates = [run.scenario_rates() for run in runs]
    values = [100.0 * float(np.mean([own[number] for own in rates])) for number in sorted(rates[0])]
    return Line(label, style, range(len(values)), values)


def _people_line(runs: Sequence[PhyQResult]) -> Line:
    values = [100.0 * paper.HUMAN[number][0] for number in sorted(runs[0].scenario_rates())]
    return Line("Human (published)", HUMAN_STYLE, range(len(values)), values)
