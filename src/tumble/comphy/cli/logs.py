"""What `tumble runs list` and `show` print about ComPhy's logs."""

from tumble.comphy.cli.score import print_families
from tumble.comphy.evaluation.result import result_of
from tumble.comphy.tasks.question import KINDS
from tumble.output import plural, print_line
from tumble.runs.log import Log


def row(log: Log) -> list[str]:
    """A log in a table; accuracies in percent, per option."""
    result = result_of(log)
    given = "".join(f" {name}={value}" for name, value in log.header.given_settings.items())
    cells = [f"{result.kinds[kind].per_option:.1f}" if kind in result.kinds else "-" for kind in KINDS]
    place = [result.spec.split, str(result.spec.seed), result.tasks]
    return [result.agent + given, *place, "yes" if log.finished else "no", *cells]


def show(log: Log) -> None:
    """Prints the accuracies of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    print_line(f"\n{state}: {result.tasks} sets, {plural(len(result.marks), 'question')}")
    if result.marks:
        print_line(result.summary)
        print_families([result])
