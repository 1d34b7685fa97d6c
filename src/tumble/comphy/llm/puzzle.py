"""A question about a set as a puzzle with one attempt."""

from collections.abc import Callable, Mapping
from typing import Any

from tumble.comphy.catalogue.task import Given, Question, QuestionSet, task_id
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.result import rows_of
from tumble.comphy.llm.answers import answer_schema, read_answer
from tumble.comphy.llm.frame_part import DESCRIPTION, LOOK_SCHEMA
from tumble.comphy.llm.prompts import question_text, system_text
from tumble.comphy.questions.program import Answer
from tumble.llm.prompt import Message, Part, Picture
from tumble.llm.puzzle import Outcome, Puzzle


def puzzle_id(index: int, question: int) -> str:
    """The id of a question about a set, as in 00042/3."""
    return f"{task_id(index)}/{question}"


class ComphyPuzzle(Puzzle):
    """A question with its true answer, by which the model's is marked; the prompt does not contain it."""

    attempts = 1
    look_description = DESCRIPTION
    look_schema = LOOK_SCHEMA

    def __init__(
        self,
        index: int,
        question: Question,
        shown: Callable[[], tuple[Part, ...]],
        look: Callable[[Mapping[str, Any]], Picture],
        given: Given,
        world: ObjectWorld = PLAIN,
    ) -> None:
        self.id, self.template = puzzle_id(index, question.id), question.family
        self.schema, self._world = answer_schema(question, world), world
        self._index, self._question, self._shown, self._look, self._given = index, question, shown, look, given
        self._over = False

    def opening(self) -> tuple[Message, ...]:
        parts = (*self._shown(), question_text(self._question, self._world))
        return Message("system", (system_text(self._world),)), Message("user", parts)

    def read(self, answer: Mapping[str, Any]) -> Answer:
        return read_answer(self._question, answer, self._world)

    def attempt(self, action: Answer) -> Outcome:
        return self._outcome({self._question.id: action})

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        return (self._look(wanted),)

    def skip(self) -> Outcome:
        return self._outcome({})

    def _outcome(self, answers: Mapping[int, Answer]) -> Outcome:
        """An answer's outcome; its record is the row of a run log, with the set."""
        self._over = True
        marks = mark(QuestionSet(self._index, (self._question,)), answers)
        right = marks[0].all_correct
        record = {"task": task_id(self._index), **rows_of(marks, "", self._given)[0]}
        return Outcome("right" if right else "wrong", counts=True, solved=right, record=record)

    @property
    def over(self) -> bool:
        return self._over
