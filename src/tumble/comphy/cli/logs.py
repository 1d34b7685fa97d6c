"""What the commands of `tumble runs` and `tumble report` do with ComPhy's logs."""

from collections.abc import Sequence

from tumble.comphy import report
from tumble.comphy.cli.evaluate import resumed
from tumble.comphy.cli.score import print_families
from tumble.comphy.evaluation.replay import verify
from tumble.comphy.evaluation.result import Result, check, result_of
from tumble.output import counted, say
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


def compose(logs: Sequence[Log], gifs: int) -> Document:
    """The report of some logs; there is nothing to animate."""
    return report.compose(logs)


def _sets(result: Result) -> str:
    return str(result.set_count) if result.finished else f"{result.sets} of {result.set_count}"
