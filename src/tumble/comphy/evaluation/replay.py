"""Answers of a log scored again."""

from itertools import zip_longest

from tumble.comphy.evaluation.log_rows import answers_of, marks_of, task_name
from tumble.comphy.evaluation.metrics import mark_all
from tumble.comphy.evaluation.run_spec import check_unchanged, from_header
from tumble.progress import Advance
from tumble.runs.log import Log


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
