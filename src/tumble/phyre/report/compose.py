"""PHYRE's report: the tables and figures of the paper's section 4 and appendices, made from run logs.

Figures of the paper's analyses show the number of ranked actions (figure 4) and the strength of online learning
(figure 5). Each is added only if there are runs that differ in it.
"""

import json
from collections.abc import Iterable, Sequence

import numpy as np

from tumble.phyre.evaluation.result import result_of
from tumble.phyre.report import animations, scores
from tumble.phyre.report.groups import INCIDENTAL, Group, Series, group_results
from tumble.phyre.report.scores import add_template_table, folds_text, setting_name
from tumble.report import Document
from tumble.report.estimates import over_folds
from tumble.report.figures import Line, Style, lines
from tumble.report.grouping import add_sections
from tumble.runs.log import Log

STRENGTHS = {
    "mem-o": ("mem", "weight"),
    "dqn-o": ("dqn", "updates_online"),
    "explorer-o": ("explorer", "updates_online"),
}
"""By online agent: its offline counterpart, and the setting for how strongly it learns from a test task."""
Family = Sequence[tuple[float, Series]]
"""Series that differ in one setting only, with its value or position on the x axis."""


def add_ranked(document: Document, group: Group) -> None:
    """Figure 4."""
    panels: dict[str, list[Line]] = {}
    for setting in group.settings:
        families = [family for family in _families(group, "ranked", setting) if len(family) > 1]
        independent = [one for one in group.of_agent("rand") if one.variant.values.get("ranked") == 0]
        panels |= _panel(setting, families, independent)
    if panels:
        document.heading("Number of ranked actions", 3)
        plot = lines(panels, "actions ranked", "AUCCESS")
        document.figure(plot, "AUCCESS by size of the action set; mean of the folds and standard deviation.")


def add_strength(document: Document, group: Group) -> None:
    """Figure 5."""
    for agent, (offline, name) in STRENGTHS.items():
        panels: dict[str, list[Line]] = {}
        values: list[float] = []
        families: dict[str, Family] = {}
        for setting in group.settings:
            family = max(
                (own for own in _families(group, name, setting) if own[0][1].variant.agent == agent),
                key=len,
                default=[],
            )
            if len(family) > 1:
                counterparts = (one for one in group.of_agent(offline) if _is_offline(one, family[0][1], setting))
                base = next(counterparts, None)
                families[setting] = ([(0.0, base)] if base else []) + [pair for pair in family if pair[0] != 0]
                values += [value for value, _ in families[setting] if value not in values]
        values.sort()
        for setting, family in families.items():
            panels |= _panel(setting, [[(values.index(value), series) for value, series in family]])
        if panels:
            document.heading(f"Strength of online learning: {agent.upper()}", 3)
            labels = [f"{value:g}" if value else "offline" for value in values]
            plot = lines(panels, name.replace("_", " "), "AUCCESS", labels)
            caption = f"AUCCESS of {agent.upper()} by the weight of a test task in its learning ({name})."
            document.figure(plot, caption)


def _families(group: Group, name: str, setting: str) -> list[Family]:
    """Series that differ only in one setting, sorted by its value."""
    by_other_settings: dict[tuple[str, str | None, str], list[tuple[float, Series]]] = {}
    for series in group.series:
        values = series.variant.values
        value = values.pop(name, None)
        if isinstance(value, int | float) and series.folds(setting) and not (name == "ranked" and value == 0):
            key = (series.variant.agent, series.variant.source, json.dumps(values, sort_keys=True))
            by_other_settings.setdefault(key, []).append((float(value), series))
    return [sorted(family, key=lambda pair: float(pair[0])) for family in by_other_settings.values()]


def _is_offline(series: Series, online: Series, setting: str) -> bool:
    """Whether a series is the offline counterpart of an online one: equal in all settings that it has."""
    values = online.variant.values
    return bool(series.folds(setting)) and all(values.get(name) == own for name, own in series.variant.values.items())


def _panel(setting: str, families: Sequence[Family], independent: Sequence[Series] = ()) -> dict[str, list[Line]]:
    """A line for each family, over the folds that all of them have, under a title; nothing without such folds.

    `independent` draws rank nothing: they are horizontal lines.
    """
    folds_of_each = [set(series.folds(setting)) for family in families for _, series in family]
    folds = sorted(set.intersection(*folds_of_each)) if folds_of_each else []
    if not folds:
        return {}
    panel = [_family_line(family, setting, folds) for family in families]
    for series in independent:
        if set(folds) <= set(series.folds(setting)):
            level = float(np.mean([series.auccess(setting)[fold] for fold in folds]))
            panel.append(Line("RAND, independent draws", Style(series.style.colour, "dotted"), [0], [level]))
    return {f"{setting_name(setting)}, {folds_text(folds)}": panel}


def _family_line(family: Family, setting: str, folds: Sequence[int]) -> Line:
    scores = [[series.auccess(setting)[fold] for fold in folds] for _, series in family]
    estimates = [over_folds(of_series) for of_series in scores]
    low, high = zip(*(estimate.band for estimate in estimates), strict=True)
    x, y = [float(x) for x, _ in family], [estimate.value for estimate in estimates]
    last = family[-1][1]
    band = (low, high) if len(folds) > 1 else None
    return Line(last.variant.agent.upper(), Style(last.style.colour), x, y, band)


INTRODUCTION = (
    "In a PHYRE task an agent places one ball (tier B) or two (2B), then physics runs; the task is solved when two "
    "bodies touch for three seconds. The benchmark allows 100 attempts at each task. AUCCESS is the share of tasks "
    "solved, averaged over the number of attempts with weights that make early ones count most; 100 would be every "
    "task at the first attempt. Across templates, agents are tested on templates that they have not trained on; "
    "within templates, on other tasks of the same templates. Repeated runs of an agent on a fold, with other seeds or "
    "action sets, are averaged."
)
RUN_COLUMNS = {"setting": lambda run: scores.setting_name(run.setting), "fold": lambda run: str(run.fold)}


def add_report(document: Document, logs: Iterable[Log], max_animated: int) -> None:
    """Adds the report of run logs, with animations for at most a number of templates."""
    results = [result_of(log) for log in logs]
    groups = group_results(results)
    add_sections(document, INTRODUCTION, results, groups, _add_figures, max_animated, RUN_COLUMNS, INCIDENTAL)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    scores.add_curves(document, group)
    scores.add_tables(document, group)
    scores.add_folds(document, group)
    scores.add_tests(document, group)
    add_ranked(document, group)
    add_strength(document, group)
    add_template_table(document, group)
    return animations.add_animations(document, group, max_animated)
