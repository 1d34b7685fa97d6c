"""What the commands of `tumble runs` and `tumble report` do with ComPhy's logs."""

from collections.abc import Sequence
from itertools import zip_longest

from tumble.comphy import report
from tumble.comphy.answer_rows import answers_of, marks_of, task_name
from tumble.comphy.cli.scoring import print_families, resumed
from tumble.comphy.experiment import check_unchanged, from_header
from tumble.comphy.results import Result, check, result_of
from tumble.comphy.scoring import mark_all
from tumble.output import counted, say
from tumble.progress import Advance
from tumble.report import Document
from tumble.runs.log import Log

__all__ = ["COLUMNS", "NEEDS_ALL_ATTEMPTS", "check", "compose", "resumed", "row", "show", "verify"]

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
    """The accuracies of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    say(f"\n{state}: {_sets(result)} sets, {counted(len(result.marks), 'question')}")
    if result.marks:
        say(result.words)
        print_families([result])


def verify(log: Log, advance: Advance) -> str:
    """Score all answers of a log again, against the data: the first difference, or nothing."""
    check_unchanged(log)
    asked = [own for own in from_header(log.header).key() if task_name(own.index) in log.tasks]
    again = mark_all(asked, answers_of(log, asked))
    said = sorted(marks_of(log), key=lambda one: (one.index, one.question))
    for one, other in zip_longest(said, sorted(again, key=lambda one: (one.index, one.question))):
        advance(1)
        if one != other:
            found = one or other
            assert found is not None
            return f"set {found.index:05d}, question {found.question}: scored again, its answer comes out different"
    return ""


def compose(logs: Sequence[Log], gifs: int) -> Document:
    """The report of some logs; there is nothing to animate."""
    return report.compose(logs)


def _sets(result: Result) -> str:
    return str(result.set_count) if result.finished else f"{result.sets} of {result.set_count}"
