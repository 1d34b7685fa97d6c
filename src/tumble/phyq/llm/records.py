"""Records of attempts: what an outcome keeps as JSON values, and the rows of a run log that they make."""

from collections.abc import Mapping, Sequence
from typing import Any

from tumble.phyq.evaluation.log_rows import GAVE_UP, WON, row_of
from tumble.phyq.simulation.attempt import Attempt
from tumble.runs.log import Row

Record = Mapping[str, Any]
ROW_FIELDS = ("attempt", "action", "status", "steps")


def record_of(number: int, attempt: Attempt, read: bool = True) -> dict[str, Any]:
    """An attempt as far as it was made: the fields of a row of a run log, and what scores and tables show besides.

    `read` says whether the answer could be read; if not, the attempt ended with it.
    """
    more = {"pigs_left": attempt.pigs_left, "kills": list(attempt.kills), "shots": len(attempt.shots), "read": read}
    return {**row_of(number, attempt), **more}


def is_won(record: Record) -> bool:
    """Whether an attempt won its level."""
    return bool(record["status"] == WON)


def run_log_rows(records: Sequence[Record], attempts: int) -> list[Row]:
    """The rows of a run log for a task, from the records of the attempts that counted.

    A run log has all attempts at a task. A model stops at its first win: it would make the same shots again, which win
    again. Attempts that were never made, as after an error of the provider, are episodes without a shot.
    """
    rows: list[Row] = [{name: record[name] for name in ROW_FIELDS} for record in records]
    last = rows[-1] if rows and is_won(rows[-1]) else {"action": [], "status": GAVE_UP, "steps": 0}
    return [*rows, *({**last, "attempt": number} for number in range(len(rows) + 1, attempts + 1))]
