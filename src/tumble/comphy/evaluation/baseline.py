"""The score of `shown`, which is shown beside every other score: what the video alone answers."""

from collections.abc import Sequence
from pathlib import Path

from tumble.comphy import agents
from tumble.comphy.evaluation.answer_key import evaluation_tasks
from tumble.comphy.evaluation.metrics import Mark, mark
from tumble.comphy.tasks.question import QuestionSet
from tumble.errors import TumbleError

SHOWN = "shown"
"""The agent's name."""


def shown_marks(root: Path, sets: Sequence[QuestionSet]) -> tuple[list[Mark], list[str]]:
    """The marks of `shown` on these questions, and messages about sets that can't be read, which are left out."""
    agent = agents.make(SHOWN)
    marks: list[Mark] = []
    unreadable = []
    for questions, task in zip(sets, evaluation_tasks(root, sets), strict=True):
        try:
            marks += mark(questions, agent.answer(task))
        except TumbleError as error:
            if error is not task.fault:
                raise
            unreadable.append(f"set {task.id}: {error}")
    return marks, unreadable
