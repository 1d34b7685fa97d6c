"""What `tumble runs list` and `show` print about Phy-Q's logs."""

from tumble.output import console, plural, print_line, table
from tumble.phyq.cli.words import in_words
from tumble.phyq.evaluation.log_rows import STATUS_WORDS, shots_of
from tumble.phyq.evaluation.result import PROTOCOLS, result_of
from tumble.runs.log import Log

SHOWN_TASKS = 3
SHOWN_ATTEMPTS = 5


def row(log: Log) -> list[str]:
    """A log in a table."""
    result = result_of(log)
    spec = result.spec
    given = "".join(f" {name}={value}" for name, value in log.header.given_settings.items())
    passed = f"{100.0 * result.mean:.1f}" if result.passed else "-"
    score = "-" if result.phy_q is None else f"{result.phy_q:.1f}"
    place = [" ".join([spec.setting, *spec.only]), str(spec.seed), str(spec.attempts), result.tasks]
    return [result.agent + given, *place, "yes" if log.finished else "no", passed, score]


def show(log: Log) -> None:
    """Prints the pass rates and some attempts of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    print_line(f"\n{state}: {result.tasks} tasks, {plural(sum(1 for _ in log.rows()), 'attempt')}")
    if not result.passed:
        return
    print_line(result.summary)
    rows = table("template", "tasks", *(f"{name}, %" for name in PROTOCOLS))
    rates = [result.template_rates(protocol) for protocol in PROTOCOLS]
    for key in rates[0]:
        count = sum(task_id.startswith(f"{key}:") for task_id in result.passed)
        rows.add_row(key, str(count), *(f"{100.0 * own[key]:.1f}" for own in rates))
    console().print(rows)
    _show_attempts(log)


def _show_attempts(log: Log) -> None:
    rows = table("task", "attempt", "shots", "outcome", "steps")
    for task_id, attempts in list(log.tasks.items())[:SHOWN_TASKS]:
        for one in attempts[:SHOWN_ATTEMPTS]:
            shots = "; ".join(in_words(shot) for shot in shots_of(one["action"]))
            rows.add_row(task_id, str(one["attempt"]), shots, STATUS_WORDS[one["status"]], str(one["steps"]))
    console().print(rows)
