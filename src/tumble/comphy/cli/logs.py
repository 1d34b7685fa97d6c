"""What `tumble runs list` and `tumble runs show` print about ComPhy's logs."""

from tumble.cli.logs import log_row, print_summary
from tumble.comphy.catalogue.task import KINDS
from tumble.comphy.cli.score import print_families
from tumble.comphy.evaluation.result import result_of
from tumble.runs.log import Log


def row(log: Log) -> list[str]:
    """A row of the table of logs; accuracies in percent, per option."""
    result = result_of(log)
    accuracies = [f"{result.kinds[kind].per_option:.1f}" if kind in result.kinds else "-" for kind in KINDS]
    return log_row(result, (result.spec.split, result.spec.seed), [result.given, *accuracies])


def show(log: Log) -> None:
    """Prints the accuracies of a log."""
    result = result_of(log)
    print_summary(result, len(result.marks), "set", "question")
    if result.marks:
        print_families([result])
