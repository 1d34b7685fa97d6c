"""What the commands of `tumble runs` and `tumble report` do with ComPhy's logs."""

from collections.abc import Sequence

from tumble.comphy import report
from tumble.comphy.cli.scoring import print_families, resumed
from tumble.comphy.experiment import check_unchanged, from_header
from tumble.comphy.questions.question import Question
from tumble.comphy.results import Result, check, result_of
from tumble.comphy.scoring import Given, Mark, mark
from tumble.output import counted, say
from tumble.progress import bar
from tumble.report import Document
from tumble.runs.log import Log
from tumble.runs.side_by_side import resume_all

__all__ = ["COLUMNS", "NEEDS_ALL_ATTEMPTS", "check", "compose", "resume", "row", "show", "verify"]

COLUMNS = ("model", "split", "seed", "sets", "finished", "factual", "predictive", "counterfactual")
"""Of a table of logs; accuracies in percent, per option."""
NEEDS_ALL_ATTEMPTS = True
"""The last question about a set does not tell how the others were answered."""


def row(log: Log) -> list[str]:
    """A log in a table."""
    result = result_of(log)
    given = "".join(f" {name}={value}" for name, value in log.header["given"].items())
    cells = []
    for kind in ("factual", "predictive", "counterfactual"):
        own = next((tally for name, tally in result.kinds.items() if name == kind), None)
        cells.append(f"{own.per_option:.1f}" if own else "-")
    place = [str(log.header["split"]), str(log.header["seed"]), _sets(result)]
    return [result.model + given, *place, "yes" if log.finished else "no", *cells]


def show(log: Log) -> None:
    """The header and the accuracies of a log."""
    result = result_of(log)
    for name, value in log.header.items():
        words = (
            ", ".join(f"{key} {part}" for key, part in value.items()) or "none" if isinstance(value, dict) else value
        )
        say(f"{name}: {'none' if words is None else words}")
    state = "finished" if log.finished else "unfinished"
    say(f"\n{state}: {_sets(result)} sets, {counted(len(result.marks), 'question')}")
    if result.marks:
        say(result.words)
        print_families([result])


def resume(logs: Sequence[Log], workers: int | None, executor: str) -> int:
    """Go on with runs that ended early; how many failed."""
    return resume_all([resumed(log, from_header(log.header)) for log in logs], logs, workers, executor)


def verify(log: Log) -> str:
    """Score all answers of a log again, against the data: the first difference, or nothing."""
    check_unchanged(log)
    result = result_of(log)
    by_set: dict[int, list[Mark]] = {}
    for one in result.marks:
        by_set.setdefault(one.index, []).append(one)
    key = {own.index: own for own in from_header(log.header).key()}
    with bar("Sets", len(by_set)) as advance:
        for index, marks in by_set.items():
            if index not in key:
                return f"set {index:05d} is none of this experiment"
            asked = {question.id: question for question in key[index].questions}
            if [one.question for one in marks] != list(asked):
                return f"set {index:05d} has other questions"
            again = mark(
                key[index], {one.question: _given(asked[one.question], one) for one in marks if any(one.given)}
            )
            wrong = next((one for one, same in zip(marks, again, strict=True) if one != same), None)
            if wrong is not None:
                return f"set {index:05d}, question {wrong.question}: scored again, its answer comes out different"
            advance(1)
    return ""


def compose(logs: Sequence[Log], gifs: int) -> Document:
    """The report of some logs; there is nothing to animate."""
    return report.compose(logs)


def _given(question: Question, one: Mark) -> Given:
    if not question.choices:
        return str(one.given[0])
    words = zip(question.choices, one.given, strict=True)
    return {choice.id: word for choice, word in words if word is not None}


def _sets(result: Result) -> str:
    return str(result.set_count) if result.finished else f"{result.sets} of {result.set_count}"
