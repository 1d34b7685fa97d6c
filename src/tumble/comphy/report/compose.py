"""ComPhy's report: the paper's tables 3 and 5 to 8 made from run logs, with published results."""

from collections.abc import Iterable

from tumble.comphy.evaluation.result import left_out_text, result_of
from tumble.comphy.report import scores
from tumble.comphy.report.groups import INCIDENTAL, Group, group_results
from tumble.report.document import Document
from tumble.report.sections import add_sections
from tumble.runs.log import Log

INTRODUCTION = (
    "In a ComPhy set a target video of five seconds and four short references show bodies whose mass and charge can't "
    "be seen. Factual questions ask what is there and what happens; predictive ones what will happen next; "
    "counterfactual ones what would happen if a body were heavier, lighter, uncharged or oppositely charged. The "
    "latter two have options: the accuracy per option counts each option, the accuracy per question only questions "
    "with all options correct."
)


def add_report(document: Document, logs: Iterable[Log], max_animated: int = 0) -> None:
    """Adds the report of run logs; it has no animations."""
    results = [result_of(log) for log in logs]
    add_sections(document, INTRODUCTION, results, group_results(results), _add_figures, incidental=INCIDENTAL)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    scores.add_table(document, group)
    _add_unanswered(document, group)
    _add_left_out(document, group)
    scores.add_ablations(document, group)
    scores.add_properties(document, group)
    scores.add_concepts(document, group)
    scores.add_families(document, group)
    return 0


def _add_left_out(document: Document, group: Group) -> None:
    for series in group.finished:
        for count in (run.left_out for run in series.results if run.left_out):
            document.text(f"{series.label}: {left_out_text(count)}.")


def _add_unanswered(document: Document, group: Group) -> None:
    for series in group.finished:
        for count in (run.unanswered for run in series.results if run.unanswered):
            document.text(
                f"{series.label} left {count:,} question{'s' * (count != 1)} unanswered, which count as wrong."
            )
        for count in (run.errors for run in series.results if run.errors):
            document.text(f"{series.label} answered 'error' {count:,} time{'s' * (count != 1)}, which counts as wrong.")
