"""The report of Phy-Q's logs."""

from collections.abc import Iterable

from tumble.phyq.evaluation.result import result_of
from tumble.phyq.report import animations, scores
from tumble.phyq.report.groups import INCIDENTAL, Group, grouped
from tumble.report import Document
from tumble.report.grouping import extent
from tumble.report.variants import ran
from tumble.runs.log import Log

MOST_ANIMATED = 15

INTRODUCTION = (
    "In a Phy-Q task an agent shoots birds with a slingshot so that all pigs die. There are 15 scenarios, each with a "
    "physical rule that solves its tasks, and 75 templates of tasks. The pass rate of a task is the share of attempts "
    "that pass; those of a template's tasks, then of a scenario's templates are averaged. The Phy-Q score sets these "
    "rates in scenarios 3 to 15 against those of humans, who have 100; random shots have 0."
)


def compose(logs: Iterable[Log], title: str = "Tumble: agents on Phy-Q", gifs: int = MOST_ANIMATED) -> Document:
    """The report of some run logs, with animations for so many scenarios."""
    results = [result_of(log) for log in logs]
    groups = grouped(results)
    document = Document(title)
    document.text(INTRODUCTION)
    text = extent(results)
    if len(groups) > 1:
        text += " Runs of different tasks or physics are not mixed: each kind has its own section."
    document.text(text)
    left = gifs
    for group in groups:
        left -= _add_group(document, group, left)
    return document


def _add_group(document: Document, group: Group, gifs: int) -> int:
    """Everything about runs that can be compared; for how many scenarios there are animations."""
    document.heading(group.conditions.title)
    document.text(f"Physics {group.conditions.physics}.")
    _add_unfinished(document, group)
    if not group.finished:
        return 0
    scores.add_scenarios(document, group)
    scores.add_line(document, group)
    scores.add_protocols(document, group)
    scores.add_templates(document, group)
    animated = animations.add_animations(document, group, gifs)
    _add_settings(document, group)
    return animated


def _add_unfinished(document: Document, group: Group) -> None:
    rows = [
        [one.label, f"{len(run.passed)} of {run.task_count}", run.path.name]
        for one in group.series
        for run in one.unfinished
    ]
    if rows:
        document.table("Unfinished runs", ["agent", "tasks finished", "file"], rows)


def _add_settings(document: Document, group: Group) -> None:
    """With which settings everybody ran, and in how many runs."""
    document.heading("Settings", 3)
    for one in group.series:
        headers = [run.header for run in (*one.results, *one.unfinished)]
        attempts = ", ".join(sorted({str(header["attempts"]) for header in headers}))
        also = f"; {attempts} attempts at each task"
        document.text(f"{one.label}: {ran(one.variant, headers, INCIDENTAL, also)}")
