"""Scores of agents: success curves (the paper's figure 3), tables 1 and 2, tests, success by template."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tumble.output import plural
from tumble.phyre.catalogue.task import MAX_ATTEMPTS
from tumble.phyre.catalogue.tasks_by_id import FOLDS, setting_named, template_of
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.metrics import wilcoxon_p
from tumble.phyre.evaluation.result import FEW_ATTEMPTS, PhyreResult, auccess_label, success_limits
from tumble.phyre.report.groups import Group, Series
from tumble.report import Document
from tumble.report.document import AS_PUBLISHED, MISSING, NOTE, Cell, estimate_cell, number_cell, with_uncertainty
from tumble.report.estimates import Estimate
from tumble.report.figures import Line, curves
from tumble.report.grouping import given_note

MAX_CURVES = 8
MAX_COMPARED = 10
MIN_FOLDS = 5
"""For a test between two agents."""
SIGNIFICANT = 0.01
TOO_FEW = "too few folds"

RAND_NOTE = (
    "The published RAND tried the same actions, the first of one fixed set, on every task, so its score depends on "
    "that set. For independent draws, the default of our RAND, the published counts of random outcomes imply an "
    "AUCCESS of "
)
MEM_NOTE = (
    "The published scores of MEM within templates are below those of random actions, although the described method "
    "ranks actions for each template by that template's training tasks. Our MEM follows the description."
)
ONLINE_NOTE = (
    "Within templates the paper's online agents were best without updates, so the paper has no separate scores for "
    "them."
)


def setting_name(setting: str) -> str:
    """The paper's name of a setting, and whether its folds are the balanced ones."""
    split = setting_named(setting)
    folds = ", balanced folds" if split.balanced else ""
    return f"PHYRE-{split.tier}, {'across' if split.across_templates else 'within'} templates{folds}"


def setting_column(setting: str) -> str:
    """The heading of a column for a setting."""
    split = setting_named(setting)
    return f"{split.tier} {'across' if split.across_templates else 'within'}{', balanced' if split.balanced else ''}"


def add_curves(document: Document, group: Group) -> None:
    """Adds figure 3."""
    panels = {}
    omitted = False
    for setting in group.settings:
        drawn = group.main_series(setting, MAX_CURVES)
        omitted |= sum(bool(series.folds(setting)) for series in group.series) > len(drawn)
        lines = []
        for series in drawn:
            mean = series.curves(setting).mean(axis=0)
            band = None if series.is_oracle else series.curve_band(setting)
            ends = None if band is None else (band[0], band[1])
            lines.append(Line(series.label, series.style, range(1, len(mean) + 1), mean, ends))
        panels[setting_name(setting)] = lines
    caption = (
        "Tasks solved by number of attempts. Bands: standard deviation over folds, or of a single fold the 95 % "
        "interval, bootstrap over tasks."
    )
    if omitted:
        caption += " Of each agent only the variant with most runs."
    allowed = group.conditions.attempts
    ticks = [tick for tick in (1, 3, 10, 30, 100, 300, 1000, 3000) if tick < allowed]
    document.figure(curves(panels, "attempts", "tasks solved, %", [*ticks, max(allowed, 2)]), caption)


def add_tables(document: Document, group: Group) -> None:
    """Adds table 1, with the paper's results below ours if they are for the same tasks."""
    allowed = group.conditions.attempts
    _add_table(
        document, group, auccess_label(allowed), lambda series, setting: series.auccess_estimate(setting), paper.AUCCESS
    )
    for limit in success_limits(allowed):
        _add_table(
            document,
            group,
            f"Tasks solved within {plural(limit, 'attempt')}, %",
            partial(_success, limit),
            paper.SUCCESS_AT_10 if limit == FEW_ATTEMPTS else {},
        )
    document.text(
        "With the number of folds if it is not ten. Intervals over the tasks of one fold don't include how much folds "
        "differ, as their test templates do: the standard deviation over folds is larger."
    )
    if allowed < MAX_ATTEMPTS:
        document.text(
            f"AUCCESS is defined over {MAX_ATTEMPTS} attempts. Only {allowed} were allowed: tasks not solved by then "
            f"count as unsolved, so that it is a lower bound of the AUCCESS with {MAX_ATTEMPTS} attempts."
        )
    elif allowed > MAX_ATTEMPTS:
        document.text(f"AUCCESS counts only the first {MAX_ATTEMPTS} of the {allowed} attempts allowed.")
    if group.conditions.as_published:
        for note in _notes(group):
            document.text(note)
        _add_later_work(document, group)


def _add_later_work(document: Document, group: Group) -> None:
    """Adds what other papers report, beside agents that are more than the paper's simple ones."""
    if not {series.variant.agent for series in group.finished} - {"rand", "mem", "mem-o", "optimal"}:
        return
    for setting in (setting for setting in group.settings if setting in paper.LATER_WORK):
        work = paper.LATER_WORK[setting]
        rows: list[list[str | Cell]] = [
            [one.name, number_cell(one.auccess), one.folds, str(one.attempts), one.given] for one in work
        ]
        other = [number for number, one in enumerate(work) if not one.is_comparable]
        caption = f"Later work as published, {setting_name(setting)}; dimmed where the protocol is another one"
        document.table(caption, ["", "AUCCESS", "tasks", "attempts", "given"], rows, other)


def _success(limit: int, series: Series, setting: str) -> Estimate | None:
    return series.success_estimate(setting, limit)


def _add_table(
    document: Document,
    group: Group,
    title: str,
    score: Callable[[Series, str], Estimate | None],
    published: dict[str, dict[str, tuple[float, float]]],
) -> None:
    rows: list[list[str | Cell]] = []
    comparable = any(setting in published for setting in group.settings)  # nothing is published for balanced folds
    for series in group.finished:
        agent = series.variant.agent
        cells = (_cell(score(series, setting), series.folds(setting)) for setting in group.settings)
        rows.append([series.label, series.given, *cells])
        variants = [other for other in group.of_agent(agent) if other.results]
        if series is variants[-1] and group.conditions.as_published and agent in paper.NAMES and comparable:
            name = f"{paper.NAMES[agent]} {AS_PUBLISHED}"
            cells = (_published_cell(published.get(setting, {}), variants, setting) for setting in group.settings)
            rows.append([name, paper.GIVEN[agent], *cells])
    caption = with_uncertainty(f"{title}, by tier and split", rows, "tasks")
    document.table(caption, ["agent", "given", *map(setting_column, group.settings)], rows)


def _cell(estimate: Estimate | None, folds: Sequence[int]) -> Cell:
    cell = estimate_cell(estimate)
    return cell if len(folds) in (0, FOLDS) else cell.with_note(folds_text(folds))


def folds_text(folds: Sequence[int]) -> str:
    """The number of folds, or the only one."""
    return f"fold {folds[0]}" if len(folds) == 1 else f"{len(folds)} folds"


def _published_cell(published: dict[str, tuple[float, float]], variants: Sequence[Series], setting: str) -> Cell:
    """The paper's mean; if our runs have fewer folds, also the paper's mean over those, where published."""
    agent = variants[0].variant.agent
    if agent not in published:
        return Cell(MISSING)
    cell = estimate_cell(Estimate(*published[agent]))
    folds = sorted({fold for series in variants for fold in series.folds(setting)})
    if published is not paper.AUCCESS.get(setting) or not 0 < len(folds) < FOLDS:
        return cell
    mean = float(np.mean([paper.AUCCESS_BY_FOLD[setting][agent][fold] for fold in folds]))
    return cell.with_note(f"{folds_text(folds)} {mean:.1f}")


def _notes(group: Group) -> list[str]:
    agents = {series.variant.agent for series in group.finished}
    within = any(not setting_named(setting).across_templates for setting in group.settings)
    notes = []
    if "rand" in agents:
        names = [name for name in group.settings if name in paper.RAND_INDEPENDENT]
        implied = ", ".join(f"{paper.RAND_INDEPENDENT[name]} ({setting_name(name)})" for name in names)
        notes += [f"{RAND_NOTE}{implied}."] if implied else []
    if within and agents & {"mem", "mem-o"}:
        notes.append(MEM_NOTE)
    if within and agents & {"mem-o", "dqn-o"}:
        notes.append(ONLINE_NOTE)
    sizes = sorted({series.variant.values["ranked"] for series in group.of_agent("optimal") if series.results})
    if sizes:
        sets = " or ".join(f"{size:,}" for size in sizes)
        notes.append(
            f"OPTIMAL is not an agent but an oracle: the best score that any ranking of its {sets} actions can reach."
        )
    return notes


def add_folds(document: Document, group: Group) -> None:
    """Adds table 2."""
    document.heading("Folds", 3)
    any_unfinished = False
    for setting in group.settings:
        rows: list[list[str | Cell]] = []
        in_setting = [series for series in group.series if any(run.setting == setting for run in series.runs)]
        folds = sorted({run.fold for series in in_setting for run in series.runs if run.setting == setting})
        last = {series.variant.agent: series for series in in_setting}
        for series in in_setting:
            agent = series.variant.agent
            scores = series.auccess(setting)
            unfinished = {run.fold: run for run in series.unfinished if run.setting == setting}
            any_unfinished |= bool(unfinished.keys() - scores.keys())
            cells = (_fold_cell(scores.get(fold), unfinished.get(fold)) for fold in folds)
            rows.append([series.label, series.given, *cells])
            published = paper.AUCCESS_BY_FOLD.get(setting, {}).get(agent)
            if group.conditions.as_published and published and series is last[agent]:
                name = f"{paper.NAMES[agent]} {AS_PUBLISHED}"
                rows.append([name, paper.GIVEN[agent], *(number_cell(published[fold]) for fold in folds)])
        header = ["agent", "given", *(f"fold {fold}" for fold in folds)]
        caption = f"{auccess_label(group.conditions.attempts)} by fold, {setting_name(setting)}"
        document.table(caption, header, rows)
    if any_unfinished:
        document.text("* An unfinished run: the score of its finished tasks, which is excluded from all means.")


def _fold_cell(score: float | None, unfinished: PhyreResult | None) -> Cell:
    if score is not None:
        return number_cell(score)
    if unfinished is None:
        return Cell("")
    return Cell(f"{unfinished.auccess:.1f} *", {"": unfinished.auccess, NOTE: f"{unfinished.tasks} tasks"})


def add_tests(document: Document, group: Group) -> None:
    """Adds the tests of appendix C: whether the agent of a row is better than that of a column."""
    document.heading("Significance of differences", 3)
    tested = False
    for setting in group.settings:
        compared = [series for series in group.main_series(setting, MAX_COMPARED) if not series.is_oracle]
        rows: list[list[str | Cell]] = [
            [row.label, *(_test_cell(row, column, setting) for column in compared)] for row in compared
        ]
        if all(cell in ("", TOO_FEW) for row in rows for cell in row[1:]):
            continue
        tested = True
        header = ["better than …?", *(series.label for series in compared)]
        document.table(f"Wilcoxon's signed-rank test, one-sided, {setting_name(setting)}", header, rows)
    if tested:
        document.text(
            "p-values over the common folds; the null hypothesis is that the agent of the row is not better than that "
            f"of the column. * p < {SIGNIFICANT}, for which at least seven folds are needed."
        )
    else:
        document.text(f"Wilcoxon's test between agents: {TOO_FEW}. It needs {MIN_FOLDS} folds of each.")


def _test_cell(row: Series, column: Series, setting: str) -> str | Cell:
    if row is column:
        return ""
    scores, other_scores = row.auccess(setting), column.auccess(setting)
    folds = sorted(scores.keys() & other_scores.keys())
    if len(folds) < MIN_FOLDS:
        return TOO_FEW
    p = wilcoxon_p([scores[fold] for fold in folds], [other_scores[fold] for fold in folds])
    return number_cell(p, f"{p:.2g} *" if p < SIGNIFICANT else f"{p:.2g}")


MAX_TEMPLATE_COLUMNS = 7


def add_template_table(document: Document, group: Group) -> None:
    """Adds the share of each template's tasks that agents solve, over all folds that test it."""
    document.heading("Templates", 3)
    for setting in group.settings:
        columns = group.main_series(setting, MAX_TEMPLATE_COLUMNS)
        solved_at = [_solved_at_by_template(series, setting) for series in columns]
        templates = sorted({template for by_template in solved_at for template in by_template})
        limits = success_limits(group.conditions.attempts)
        rows: list[list[str | Cell]] = [
            [template_label(template), *(success_cell(by_template.get(template), limits) for by_template in solved_at)]
            for template in templates
        ]
        within = " and ".join(map(str, limits))
        caption = f"Tasks solved within {within} attempts, %, {setting_name(setting)}"
        document.table(caption, ["template", *(series.label for series in columns)], rows)
        document.text(given_note(columns))


def _solved_at_by_template(series: Series, setting: str) -> dict[str, list[int | None]]:
    """By template: the attempts at which its tasks were solved."""
    by_template: dict[str, list[int | None]] = {}
    for result in series.results:
        for task_id, attempt in result.solved_at.items() if result.setting == setting else ():
            by_template.setdefault(template_of(task_id), []).append(attempt)
    return by_template


def success_cell(solved_at: Sequence[int | None] | None, limits: Sequence[int]) -> Cell:
    """The percentages of tasks solved within numbers of attempts, as in: 25 / 50."""
    if not solved_at:
        return Cell("")
    solved = {limit: sum(at is not None and at <= limit for at in solved_at) for limit in limits}
    shares = {f"within {limit}": 100.0 * count / len(solved_at) for limit, count in solved.items()}
    return Cell(" / ".join(f"{share:.0f}" for share in shares.values()), shares)


def template_label(template: str) -> str:
    """The id of a template, and its name if it is a published one."""
    return f"{template} {NAMES.get(template, '')}".strip()
