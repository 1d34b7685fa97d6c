"""How well agents did: success curves (the paper's figure 3), scores (tables 1 and 2), and who is better than whom."""

from collections.abc import Callable, Sequence

import numpy as np

from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.metrics import wilcoxon_p
from tumble.phyre.evaluation.result import PhyreResult
from tumble.phyre.report.groups import Group, Series
from tumble.phyre.tasks.splits import FOLDS, SETTINGS
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.report import Document
from tumble.report.figures import Line, curves

MOST_CURVES = 8
MOST_COMPARED = 10
FEWEST_FOLDS = 5
"""Below which a test between agents says nothing."""
SIGNIFICANT = 0.01
TOO_FEW = "too few folds"
NONE = "-"
AS_PUBLISHED = "as published"
FEW_ATTEMPTS = 10

RAND_NOTE = (
    "The published RAND tried the same actions, the first of one fixed set, on every task, so that its score hangs on "
    "that set. For independent draws, which are our RAND unless it says otherwise, the published counts of random "
    "outcomes imply an AUCCESS of "
)
MEM_NOTE = (
    "The published scores of MEM within templates lie below those of random actions, although the method, as "
    "described, ranks for each template by that template's training tasks. Ours does what is described."
)
ONLINE_NOTE = (
    "Within templates the paper's online agents did best with no updates, so that it has no scores of their own for "
    "them there."
)


def setting_name(setting: str) -> str:
    """A setting in the words of the paper."""
    known = SETTINGS[setting]
    return f"PHYRE-{known.tier}, {'across' if known.across_templates else 'within'} templates"


def setting_column(setting: str) -> str:
    """A setting above a column."""
    known = SETTINGS[setting]
    return f"{known.tier} {'across' if known.across_templates else 'within'}"


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and the standard deviation of a sample where there is one."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None


def add_curves(document: Document, group: Group) -> None:
    """Figure 3."""
    panels = {}
    left_out = False
    for setting in group.settings:
        shown = group.main_series(setting, MOST_CURVES)
        left_out |= sum(bool(one.folds(setting)) for one in group.series) > len(shown)
        lines = []
        for one in shown:
            own = one.curves(setting)
            spread = own.std(axis=0, ddof=1) if len(own) > 1 and not one.is_oracle else None
            attempts = range(1, MAX_ATTEMPTS + 1)
            lines.append(Line(one.label, one.look, attempts, own.mean(axis=0), spread))
        panels[setting_name(setting)] = lines
    caption = (
        "Tasks solved within 1, 2, … attempts: mean of the folds, and one standard deviation where there are several."
    )
    if left_out:
        caption += " Of each agent one choice of settings, that with most runs."
    document.figure(curves(panels, "attempts", "tasks solved, %", [1, 3, 10, 30, 100]), caption)


def add_tables(document: Document, group: Group) -> None:
    """Table 1, with the paper's figures below ours where they are of the same tasks."""
    _add_table(
        document,
        group,
        "AUCCESS on PHYRE-B and 2B, across and within templates",
        lambda one, setting: one.auccess(setting),
        paper.AUCCESS,
    )
    _add_table(
        document,
        group,
        f"Tasks solved within {FEW_ATTEMPTS} attempts, %, the same",
        lambda one, setting: one.success(setting, FEW_ATTEMPTS),
        paper.SUCCESS_AT_10,
    )
    document.text("Mean of the folds ± standard deviation over them; the number of folds where it is not ten.")
    if group.conditions.as_published:
        for note in _notes(group):
            document.text(note)


def _add_table(
    document: Document,
    group: Group,
    caption: str,
    scores: Callable[[Series, str], dict[int, float]],
    published: dict[str, dict[str, tuple[float, float]]],
) -> None:
    rows = []
    for one in group.series:
        if not one.results:
            continue
        rows.append([one.label, *(_cell(scores(one, setting)) for setting in group.settings)])
        alike = [other for other in group.of_agent(one.variant.agent) if other.results]
        if one is alike[-1] and group.conditions.as_published and one.variant.agent in paper.NAMES:
            name = f"{paper.NAMES[one.variant.agent]} {AS_PUBLISHED}"
            rows.append([name, *(_published_cell(published[setting], alike, setting) for setting in group.settings)])
    document.table(caption, ["agent", *map(setting_column, group.settings)], rows, _published_rows(rows))


def _published_rows(rows: list[list[str]]) -> list[int]:
    return [number for number, row in enumerate(rows) if row[0].endswith(AS_PUBLISHED)]


def _cell(scores: dict[int, float]) -> str:
    if not scores:
        return NONE
    mean, spread = mean_and_spread(list(scores.values()))
    text = f"{mean:.1f}" if spread is None else f"{mean:.1f} ± {spread:.1f}"
    return text if len(scores) == FOLDS else f"{text} ({_folds(list(scores))})"


def _folds(folds: Sequence[int]) -> str:
    return f"fold {folds[0]}" if len(folds) == 1 else f"{len(folds)} folds"


def _published_cell(published: dict[str, tuple[float, float]], alike: Sequence[Series], setting: str) -> str:
    """The paper's mean, and where ours are fewer folds and its folds are known, the mean of those."""
    agent = alike[0].variant.agent
    if agent not in published:
        return NONE
    text = f"{published[agent][0]:.1f} ± {published[agent][1]:.1f}"
    folds = sorted({fold for one in alike for fold in one.folds(setting)})
    if published is not paper.AUCCESS[setting] or not 0 < len(folds) < FOLDS:
        return text
    same = float(np.mean([paper.AUCCESS_BY_FOLD[setting][agent][fold] for fold in folds]))
    return f"{text} ({_folds(folds)} {same:.1f})"


def _notes(group: Group) -> list[str]:
    agents = {one.variant.agent for one in group.series if one.results}
    within = any(not SETTINGS[setting].across_templates for setting in group.settings)
    notes = []
    if "rand" in agents:
        implied = (f"{paper.RAND_INDEPENDENT[name]} ({setting_name(name)})" for name in group.settings)
        notes.append(f"{RAND_NOTE}{', '.join(implied)}.")
    if within and agents & {"mem", "mem-o"}:
        notes.append(MEM_NOTE)
    if within and agents & {"mem-o", "dqn-o"}:
        notes.append(ONLINE_NOTE)
    sizes = sorted({one.variant.values["ranked"] for one in group.of_agent("optimal") if one.results})
    if sizes:
        sets = " or ".join(f"{size:,}" for size in sizes)
        notes.append(f"OPTIMAL is no agent but an oracle: the best that any ranking of its {sets} actions could do.")
    known = [setting for setting in group.settings if setting in paper.LATER_WORK]
    if known and agents - {"rand", "mem", "mem-o", "optimal"}:
        for setting in known:
            work = ", ".join(f"{name} {score}" for name, score in paper.LATER_WORK[setting].items())
            notes.append(f"Later work, AUCCESS, {setting_name(setting)}: {work}.")
    return notes


def add_folds(document: Document, group: Group) -> None:
    """Table 2."""
    document.heading("Folds", 3)
    marked = False
    for setting in group.settings:
        rows = []
        shown = [one for one in group.series if any(run.setting == setting for run in one.runs)]
        last = {one.variant.agent: one for one in shown}
        for one in shown:
            scores = one.auccess(setting)
            partly = {run.fold: run for run in one.unfinished if run.setting == setting}
            marked |= bool(partly.keys() - scores.keys())
            rows.append([one.label, *(_fold_cell(scores.get(fold), partly.get(fold)) for fold in range(FOLDS))])
            published = paper.AUCCESS_BY_FOLD[setting].get(one.variant.agent)
            if group.conditions.as_published and published and one is last[one.variant.agent]:
                name = f"{paper.NAMES[one.variant.agent]} {AS_PUBLISHED}"
                rows.append([name, *(f"{score:.1f}" for score in published)])
        header = ["agent", *map(str, range(FOLDS))]
        document.table(f"AUCCESS by fold, {setting_name(setting)}", header, rows, _published_rows(rows))
    if marked:
        document.text("* This run is unfinished: the score is of the tasks that it has finished, and is in no mean.")


def _fold_cell(score: float | None, unfinished: PhyreResult | None) -> str:
    if score is not None:
        return f"{score:.1f}"
    return f"{unfinished.auccess:.1f} *" if unfinished else ""


def add_tests(document: Document, group: Group) -> None:
    """Appendix C: is the agent of a row better than that of a column?"""
    document.heading("Who is better?", 3)
    tested = False
    for setting in group.settings:
        compared = [one for one in group.main_series(setting, MOST_COMPARED) if not one.is_oracle]
        rows = [[row.label, *(_test(row, column, setting) for column in compared)] for row in compared]
        if all(cell in ("", TOO_FEW) for row in rows for cell in row[1:]):
            continue
        tested = True
        header = ["better than …?", *(one.label for one in compared)]
        document.table(f"Wilcoxon's signed-rank test, one-sided, {setting_name(setting)}", header, rows)
    if tested:
        document.text(
            "The chance to see the agent of the row beat that of the column so clearly over their common folds if it "
            f"were no better; * below p = {SIGNIFICANT}, which takes seven folds or more."
        )
    else:
        document.text(f"Wilcoxon's test between agents: {TOO_FEW}. It takes {FEWEST_FOLDS} folds of each to be made.")


def _test(row: Series, column: Series, setting: str) -> str:
    if row is column:
        return ""
    ours, theirs = row.auccess(setting), column.auccess(setting)
    common = sorted(ours.keys() & theirs.keys())
    if len(common) < FEWEST_FOLDS:
        return TOO_FEW
    p = wilcoxon_p([ours[fold] for fold in common], [theirs[fold] for fold in common])
    return f"{p:.2g} *" if p < SIGNIFICANT else f"{p:.2g}"
