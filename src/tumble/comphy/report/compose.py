"""The report of ComPhy's logs."""

from collections.abc import Iterable

from tumble.comphy.evaluation.result import result_of
from tumble.comphy.report import scores
from tumble.comphy.report.groups import Group, grouped
from tumble.report import Document
from tumble.report.grouping import extent
from tumble.report.variants import ran
from tumble.runs.log import Log

INTRODUCTION = (
    "In a ComPhy set a target video of five seconds and four short references show bodies whose mass and charge can't "
    "be seen. Factual questions ask what is there and what happens; predictive ones what will happen next; "
    "counterfactual ones what would happen if a body were heavier, lighter, uncharged or oppositely charged. The "
    "latter two have options: an accuracy per option counts each of them, one per question only questions of which all "
    "options are right."
)


def compose(logs: Iterable[Log], title: str = "Tumble: models on ComPhy") -> Document:
    """The report of some run logs."""
    results = [result_of(log) for log in logs]
    groups = grouped(results)
    document = Document(title)
    document.text(INTRODUCTION)
    text = extent(results)
    if len(groups) > 1:
        text += " Runs on different questions are not mixed: each kind has its own section."
    document.text(text)
    for group in groups:
        _add_group(document, group)
    return document


def _add_group(document: Document, group: Group) -> None:
    """Everything about runs that can be compared."""
    document.heading(group.conditions.title)
    _add_unfinished(document, group)
    if not group.finished:
        return
    scores.add_table(document, group)
    _add_unanswered(document, group)
    scores.add_found(document, group)
    scores.add_families(document, group)
    _add_settings(document, group)


def _add_unfinished(document: Document, group: Group) -> None:
    rows = [
        [one.label, f"{run.sets} of {run.set_count}", run.path.name] for one in group.series for run in one.unfinished
    ]
    if rows:
        document.table("Unfinished runs", ["model", "sets finished", "file"], rows)


def _add_unanswered(document: Document, group: Group) -> None:
    lacking = [(one.label, run.unanswered) for one in group.finished for run in one.results if run.unanswered]
    for label, count in lacking:
        document.text(f"{label} left {count:,} question{'s' * (count != 1)} unanswered; they count as wrong.")


def _add_settings(document: Document, group: Group) -> None:
    """With which settings everybody ran, and in how many runs."""
    document.heading("Settings", 3)
    for one in group.series:
        headers = [run.header for run in (*one.results, *one.unfinished)]
        seeds = ", ".join(sorted({str(header["seed"]) for header in headers}))
        document.text(f"{one.label}: {ran(one.variant, headers, also=f'; seed {seeds}')}")
