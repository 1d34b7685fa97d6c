"""What `tumble runs list` and `tumble runs show` print about Phy-Q's logs."""

from tumble.cli.logs import log_row, print_attempts, print_summary
from tumble.output import console, table
from tumble.phyq.catalogue.tasks import selection_text
from tumble.phyq.cli.describe import shot_text
from tumble.phyq.evaluation.metrics import PROTOCOLS
from tumble.phyq.evaluation.result import PhyQResult, result_of
from tumble.phyq.simulation.attempt import STATUS_NAMES, shots_of
from tumble.runs.log import Log


def row(log: Log) -> list[str]:
    """A row of the table of logs."""
    result = result_of(log)
    spec = result.spec
    passed = f"{100.0 * result.mean:.1f}" if result.passed else "-"
    score = "-" if result.phy_q is None else f"{result.phy_q:.1f}"
    return log_row(
        result, (f"{spec.setting} {selection_text(spec.only, ' ')}".strip(), spec.seed, spec.attempts), [passed, score]
    )


def show(log: Log) -> None:
    """Prints the pass rates and some attempts of a log."""
    result = result_of(log)
    print_summary(result, sum(1 for _ in log.rows()))
    if result.passed:
        _print_templates(result)
        print_attempts(
            log, "shots", lambda action: "; ".join(map(shot_text, shots_of(action))), STATUS_NAMES.__getitem__
        )


def _print_templates(result: PhyQResult) -> None:
    rows = table("template", "tasks", *(f"{protocol}, %" for protocol in PROTOCOLS))
    rates = [result.template_rates(protocol) for protocol in PROTOCOLS]
    for template in rates[0]:
        count = sum(task_id.startswith(f"{template}:") for task_id in result.passed)
        rows.add_row(template, str(count), *(f"{100.0 * by_template[template]:.1f}" for by_template in rates))
    console().print(rows)
