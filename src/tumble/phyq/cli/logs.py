"""What the commands of `tumble runs` and `tumble report` do with Phy-Q's logs."""

from collections.abc import Sequence

from tumble.output import console, counted, say, table
from tumble.phyq import report
from tumble.phyq.cli.evaluate import resumed
from tumble.phyq.cli.words import in_words
from tumble.phyq.evaluation.log_rows import STATUS_WORDS, shots_of
from tumble.phyq.evaluation.replay import verify
from tumble.phyq.evaluation.result import PROTOCOLS, Result, check, result_of
from tumble.report import Document
from tumble.runs.log import Log

__all__ = ["COLUMNS", "NEEDS_ALL_ATTEMPTS", "check", "compose", "resumed", "row", "show", "verify"]

COLUMNS = ("agent", "setting", "seed", "attempts", "tasks", "finished", "passed, %", "Phy-Q")
"""Of a table of logs."""
NEEDS_ALL_ATTEMPTS = True
"""The last attempt at a task doesn't tell how many passed."""
SHOWN_TASKS = 3
SHOWN_ATTEMPTS = 5


def row(log: Log) -> list[str]:
    """A log in a table."""
    result = result_of(log)
    header = log.header
    given = "".join(f" {name}={value}" for name, value in header["given"].items())
    setting = " ".join([result.setting, *header["only"]])
    passed = f"{100.0 * result.mean:.1f}" if result.passed else "-"
    score = "-" if result.phy_q is None else f"{result.phy_q:.1f}"
    place = [setting, str(header["seed"]), str(header["attempts"]), _tasks(result)]
    return [result.agent + given, *place, "yes" if log.finished else "no", passed, score]


def show(log: Log) -> None:
    """The pass rates and some attempts of a log."""
    result = result_of(log)
    state = "finished" if log.finished else "unfinished"
    say(f"\n{state}: {_tasks(result)} tasks, {counted(sum(1 for _ in log.rows()), 'attempt')}")
    if not result.passed:
        return
    say(result.words)
    rows = table("template", "tasks", *(f"{name}, %" for name in PROTOCOLS))
    rates = [result.template_rates(protocol) for protocol in PROTOCOLS]
    for key in rates[0]:
        count = sum(task_id.startswith(f"{key}:") for task_id in result.passed)
        rows.add_row(key, str(count), *(f"{100.0 * own[key]:.1f}" for own in rates))
    console().print(rows)
    _show_attempts(log)


def _tasks(result: Result) -> str:
    return str(result.task_count) if result.finished else f"{len(result.passed)} of {result.task_count}"


def _show_attempts(log: Log) -> None:
    rows = table("task", "attempt", "shots", "outcome", "steps")
    for task_id, attempts in list(log.tasks.items())[:SHOWN_TASKS]:
        for one in attempts[:SHOWN_ATTEMPTS]:
            shots = "; ".join(in_words(shot) for shot in shots_of(one["action"]))
            rows.add_row(task_id, str(one["attempt"]), shots, STATUS_WORDS[one["status"]], str(one["steps"]))
    console().print(rows)


def compose(logs: Sequence[Log], gifs: int) -> Document:
    """The report of some logs."""
    return report.compose(logs, gifs=gifs)
