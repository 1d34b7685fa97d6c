"""Scores the answers of ComPhy's run logs again."""

from collections.abc import Sequence

from tumble.comphy.catalogue.task import task_id
from tumble.comphy.evaluation.metrics import mark_all
from tumble.comphy.evaluation.result import answers_of, rows_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.progress import Advance
from tumble.runs.evaluate import check_unchanged
from tumble.runs.log import Log, Row
from tumble.runs.replay import first_replay_difference

COMPARED = ("correct", "status", "kind", "family", "answer")


def replay(log: Log, advance: Advance = lambda _: None) -> str:
    """Describes the first difference between a log and its answers scored again; empty if there is none."""
    spec = check_unchanged(log, ComPhyRunSpec)
    answered = log.tasks.keys() - log.given_up.keys()
    key = [questions for questions in spec.key() if task_id(questions.index) in answered]
    scored = {
        (task_id(one.index), row["attempt"]): {name: row[name] for name in COMPARED}
        for one in mark_all(key, answers_of(log, key))
        for row in rows_of([one], "")
    }

    def problem(task: str, rows: Sequence[Row]) -> str:
        numbers = sorted(number for own_task, number in scored if own_task == task)
        return "" if sorted(row["attempt"] for row in rows) == numbers else "has other questions than the dataset"

    def score(rows: Sequence[Row]) -> list[Row]:
        return [scored[row["task"], row["attempt"]] for row in rows]

    return first_replay_difference(log, spec.task_ids(), problem, score, len(scored) or 1, advance)
