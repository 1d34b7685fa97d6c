"""`tumble comphy score --submission`: answers in a file are scored."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Column

from tumble.comphy.dataset.submission import read_submission
from tumble.comphy.evaluation.answer_key import read_key
from tumble.comphy.evaluation.metrics import Tally, by_family, by_kind, mark_all, missing
from tumble.comphy.evaluation.result import ComPhyResult
from tumble.comphy.tasks.question import Kind
from tumble.output import console, print_error, print_line, reports_errors, table

MOST_NAMED = 5
"""Missing answers that are named one by one."""
NOTE = "Per question: all options right. Options: how many questions have how many."


@reports_errors
def score_submission(data: Path, split: str, path: Path) -> None:
    """Score the answers in a file."""
    key = read_key(data, split)
    for fault in key.faults:
        print_error(f"left out: {fault}")
    answers = read_submission(path)
    marks = mark_all(key.sets, answers)
    lacking = missing(key.sets, answers)
    for words in lacking[:MOST_NAMED]:
        print_error(words)
    if lacking:
        more = f" ({len(lacking) - MOST_NAMED} more are not named)" if len(lacking) > MOST_NAMED else ""
        print_error(f"what is not answered counts as wrong{more}")
    print_kinds({path.name: by_kind(marks)})
    _print_rows([(path.name, by_family(marks))])


def print_kinds(tallies: Mapping[str, Mapping[Kind, Tally]]) -> None:
    """Accuracies by kind of question, with the options beside them."""
    rows = table("model", "questions", "right, %", "options right, %", "unanswered", "options")
    for name, kinds in tallies.items():
        for kind, own in kinds.items():
            option = f"{own.per_option:.1f}" if kind != "factual" else ""
            counts = f"{own.questions:,}", f"{own.per_question:.1f}", option, str(own.unanswered)
            rows.add_row(f"{name}, {kind}", *counts, own.histogram)
    console().print(rows)
    print_line(NOTE)


def print_families(results: Sequence[ComPhyResult]) -> None:
    """Accuracies by template."""
    _print_rows([(result.agent, result.families) for result in results])


def _print_rows(columns: Sequence[tuple[str, Mapping[tuple[Kind, str], Tally]]]) -> None:
    rows = table(Column("template", no_wrap=True), "questions", "options", *(f"{name}, %" for name, _ in columns))
    for key in dict.fromkeys(key for _, families in columns for key in families):
        first = next(families[key] for _, families in columns if key in families)
        cells = (_cell(families.get(key)) for _, families in columns)
        rows.add_row(f"{key[0]}: {key[1]}", f"{first.questions:,}", first.histogram, *cells)
    console().print(rows)


def _cell(own: Tally | None) -> str:
    if own is None:
        return "-"
    return f"{own.per_option:.1f} / {own.per_question:.1f}" if own.histogram else f"{own.per_question:.1f}"
