"""The report of PHYRE's logs."""

from collections.abc import Iterable

from tumble.phyre.evaluation.result import Result, result_of
from tumble.phyre.report import analyses, animations, by_template, scores
from tumble.phyre.report.groups import INCIDENTAL, Group, grouped
from tumble.report import Document
from tumble.report.grouping import extent
from tumble.report.variants import ran
from tumble.runs.log import Log

MOST_ANIMATED = 25

INTRODUCTION = (
    "In a PHYRE task an agent places one ball (tier B) or two (2B), then physics runs; the task is solved when two "
    "bodies touch for three seconds. An agent has up to 100 attempts at each task. AUCCESS is the share of tasks "
    "solved, averaged over the number of attempts with weights that make early ones count most; 100 would be every "
    "task at the first attempt. Across templates, agents are tested on kinds of task that they have not trained on; "
    "within templates, on other tasks of the same kinds."
)


def compose(logs: Iterable[Log], title: str = "Tumble: agents on PHYRE", gifs: int = MOST_ANIMATED) -> Document:
    """The report of some run logs, with animations for so many templates."""
    results = [result_of(log) for log in logs]
    groups = grouped(results)
    document = Document(title)
    document.text(INTRODUCTION)
    document.text(_extent(results, groups))
    left = gifs
    for group in groups:
        left -= _add_group(document, group, left)
    return document


def _extent(results: list[Result], groups: list[Group]) -> str:
    text = extent(results)
    if len(groups) > 1:
        text += (
            f" They were made under {len(groups)} different conditions (tasks, attempts allowed, physics), which are "
            "not mixed: each has its own section."
        )
    repeats = any(len(runs) > 1 for group in groups for one in group.series for runs in one.results.values())
    if repeats:
        text += (
            " Where an agent ran several times on a fold, with other seeds or action sets, the mean of these counts."
        )
    return text


def _add_group(document: Document, group: Group, gifs: int) -> int:
    """Everything about runs under the same conditions; for how many templates there are animations."""
    document.heading(group.conditions.title)
    document.text(group.conditions.words)
    _add_unfinished(document, group)
    if not group.settings:
        return 0
    scores.add_curves(document, group)
    scores.add_tables(document, group)
    scores.add_folds(document, group)
    scores.add_tests(document, group)
    analyses.add_ranked(document, group)
    analyses.add_strength(document, group)
    analyses.add_variants(document, group)
    by_template.add_table(document, group)
    animated = animations.add_animations(document, group, gifs)
    _add_settings(document, group)
    return animated


def _add_unfinished(document: Document, group: Group) -> None:
    rows = [
        [one.label, scores.setting_name(setting), str(fold), f"{len(run.solved_at)} of {run.task_count}", run.path.name]
        for one in group.series
        for (setting, fold), runs in one.unfinished.items()
        for run in runs
    ]
    if rows:
        document.table("Unfinished runs", ["agent", "setting", "fold", "tasks finished", "file"], rows)


def _add_settings(document: Document, group: Group) -> None:
    """With which settings everybody ran, and in how many runs."""
    document.heading("Settings", 3)
    for one in group.series:
        runs = [run for repeats in (*one.results.values(), *one.unfinished.values()) for run in repeats]
        document.text(f"{one.label}: {ran(one.variant, [run.header for run in runs], INCIDENTAL)}")
