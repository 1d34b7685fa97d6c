"""`tumble comphy score --submission`: scores the answers in a file; and tables of scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Column

from tumble.comphy.dataset.submission import read_submission
from tumble.comphy.evaluation.answer_key import read_key
from tumble.comphy.evaluation.baseline import SHOWN, shown_marks
from tumble.comphy.evaluation.log_rows import MISSING
from tumble.comphy.evaluation.metrics import Tally, by_family, by_kind, error_answers, mark_all, missing_answers
from tumble.comphy.evaluation.result import ComPhyResult, left_out_text
from tumble.comphy.tasks.question import Kind
from tumble.output import console, print_error, print_line, reports_errors, spinner, table

MAX_LISTED = 5
"""Missing answers that are listed, and answers "error"."""
NOTE = (
    "A question is correct if all its options are. Errors: answers 'error' to options or factual questions. "
    "Options: number of options: number of questions. Given: the most that the model asked "
    "for. shown: as if nothing changed and motion went on straight."
)


@dataclass(frozen=True)
class Scored:
    """A row of scores for each kind of question."""

    name: str
    given: str
    kinds: Mapping[Kind, Tally]
    left_out: int = 0
    """Sets that could not be read."""

    @classmethod
    def of(cls, result: ComPhyResult) -> "Scored":
        """The scores of a run."""
        return cls(result.agent, result.given, result.kinds, result.left_out)


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
    with spinner("Scoring `shown` …"):
        shown, unreadable = shown_marks(data, key.sets)
    for fault in unreadable[:MAX_LISTED]:
        print_error(f"left out by {SHOWN}: {fault}")
    left_out = len(key.left_out)
    print_kinds(
        [
            Scored(path.name, MISSING, by_kind(marks), left_out),
            Scored(SHOWN, "tracks", by_kind(shown), left_out + len(unreadable)),
        ]
    )
    _print_rows([(path.name, by_family(marks)), (SHOWN, by_family(shown))])


def _print_wrong(what: str, messages: Sequence[str]) -> None:
    """Names the first of the answers that count as wrong."""
    for message in messages[:MAX_LISTED]:
        print_error(message)
    if messages:
        more = f" (and {len(messages) - MAX_LISTED} more)" if len(messages) > MAX_LISTED else ""
        print_error(f"{what} count as wrong{more}")


def print_kinds(scores: Sequence[Scored]) -> None:
    """Prints accuracies by kind of question, with what the models were given and the numbers of options."""
    tallies = [tally for one in scores for tally in one.kinds.values()]
    failures = [name for name in ("unanswered", "errors") if any(getattr(tally, name) for tally in tallies)]
    names = ("questions", "correct, %", "options correct, %", *failures, "options")
    rows = table(Column("model", no_wrap=True), Column("given", no_wrap=True), *names)
    for one in scores:
        for kind, tally in one.kinds.items():
            per_option = f"{tally.per_option:.1f}" if kind != "factual" else ""
            counts = (str(getattr(tally, name)) for name in failures)
            cells = f"{tally.questions:,}", f"{tally.per_question:.1f}", per_option, *counts
            rows.add_row(f"{one.name}, {kind}", one.given, *cells, tally.histogram)
    console().print(rows)
    for one in scores:
        if one.left_out:
            print_line(f"{one.name}: {left_out_text(one.left_out)}.")
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
