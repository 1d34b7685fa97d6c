"""What can be answered, how answers are kept, and when two of them are the same."""

from collections.abc import Mapping

from tumble.comphy.questions.programs.program import Type, check
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.question import Question

AND = " and "
Given = str | Mapping[int, str]
"""An answer: a word to a factual question, or "correct" and "wrong" by the ids of options."""
SetAnswers = Mapping[int, Given]
"""By the ids of questions."""
Answers = Mapping[int, SetAnswers]
"""By the indices of sets."""


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one + AND + other for one in words for other in words)


ANSWERS: dict[Type, tuple[str, ...]] = {
    Type.YES_NO: ("yes", "no"),
    Type.NUMBER: tuple(map(str, range(6))),
    Type.COLOR: COLORS,
    Type.MATERIAL: MATERIALS,
    Type.SHAPE: SHAPES,
    Type.DIRECTION: DIRECTIONS,
    Type.COLORS: _pairs(COLORS),
    Type.MATERIALS: _pairs(MATERIALS),
    Type.SHAPES: _pairs(SHAPES),
}
"""Every answer to factual questions, by their type."""


def answer_type(question: Question) -> Type:
    """The type of a question's answer, or of the verdict on each of its options."""
    return check(question.program, given=() if question.kind == "factual" else (Type.EVENT,))


def in_order(answer: str) -> str:
    """A pair in one order, as the order does not count: "red and blue" is "blue and red"."""
    return AND.join(sorted(answer.split(AND)))


def same_answer(one: str, other: str) -> bool:
    """Whether two answers to a factual question are the same."""
    return in_order(one) == in_order(other)
