"""`tumble comphy score --submission`: scores the answers in a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Column

from tumble.comphy.dataset.submission import read_submission
from tumble.comphy.evaluation.answer_key import read_key
from tumble.comphy.evaluation.metrics import Tally, by_family, by_kind, error_answers, mark_all, missing_answers
from tumble.comphy.evaluation.result import ComPhyResult
from tumble.comphy.tasks.question import Kind
from tumble.output import console, print_error, print_line, reports_errors, table

MAX_LISTED = 5
"""Missing answers that are listed, and answers "error"."""
NOTE = (
    "A question is correct if all its options are. Errors: answers 'error' to options or factual questions. "
    "Options: number of options: number of questions."
)


@reports_errors
def score_submission(data: Path, split: str, path: Path) -> None:
    """Scores the answers in a file."""
    key = read_key(data, split)
    for fault in key.faults:
        print_error(f"skipped: {fault}")
    answers = read_submission(path)
    marks = mark_all(key.sets, answers)
    _print_wrong("missing answers", missing_answers(key.sets, answers))
    _print_wrong("answers 'error'", error_answers(marks))
    print_kinds({path.name: by_kind(marks)})
    _print_rows([(path.name, by_family(marks))])


def _print_wrong(what: str, messages: Sequence[str]) -> None:
    """Names the first of the answers that count as wrong."""
    for message in messages[:MAX_LISTED]:
        print_error(message)
    if messages:
        more = f" (and {len(messages) - MAX_LISTED} more)" if len(messages) > MAX_LISTED else ""
        print_error(f"{what} count as wrong{more}")


def print_kinds(tallies: Mapping[str, Mapping[Kind, Tally]]) -> None:
    """Prints accuracies by kind of question, with the numbers of options."""
    rows = table("model", "questions", "correct, %", "options correct, %", "unanswered", "errors", "options")
    for name, kinds in tallies.items():
        for kind, tally in kinds.items():
            per_option = f"{tally.per_option:.1f}" if kind != "factual" else ""
            cells = (
                f"{tally.questions:,}",
                f"{tally.per_question:.1f}",
                per_option,
                str(tally.unanswered),
                str(tally.errors),
            )
            rows.add_row(f"{name}, {kind}", *cells, tally.histogram)
    console().print(rows)
    print_line(NOTE)


def print_families(results: Sequence[ComPhyResult]) -> None:
    """Prints accuracies by template."""
    _print_rows([(result.agent, result.families) for result in results])


def _print_rows(columns: Sequence[tuple[str, Mapping[tuple[Kind, str], Tally]]]) -> None:
    rows = table(Column("template", no_wrap=True), "questions", "options", *(f"{name}, %" for name, _ in columns))
    for key in dict.fromkeys(key for _, families in columns for key in families):
        first = next(families[key] for _, families in columns if key in families)
        cells = (_cell(families.get(key)) for _, families in columns)
        rows.add_row(f"{key[0]}: {key[1]}", f"{first.questions:,}", first.histogram, *cells)
    console().print(rows)


def _cell(tally: Tally | None) -> str:
    if tally is None:
        return "-"
    return f"{tally.per_option:.1f} / {tally.per_question:.1f}" if tally.histogram else f"{tally.per_question:.1f}"
