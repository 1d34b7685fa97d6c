"""Answers: which there are, how they are stored, and when two of them are the same."""

from collections.abc import Mapping
from functools import lru_cache

from tumble.comphy.questions.programs.program import Type, check_program
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.comphy.tasks.question import Question
from tumble.comphy.tasks.world import PLAIN, ObjectWorld

AND = " and "
Answer = str | Mapping[int, str]
"""A word for a factual question, or "correct" and "wrong" by the ids of options."""
SetAnswers = Mapping[int, Answer]
"""By the ids of questions."""
Answers = Mapping[int, SetAnswers]
"""By the indices of sets."""


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one + AND + other for one in words for other in words)


@lru_cache
def answers_by_type(world: ObjectWorld) -> Mapping[Type, tuple[str, ...]]:
    """All answers to factual questions in a world, by their type."""
    return {
        Type.YES_NO: ("yes", "no"),
        Type.NUMBER: tuple(map(str, range(6))),
        Type.COLOR: world.colors,
        Type.MATERIAL: world.materials,
        Type.SHAPE: world.shapes,
        Type.DIRECTION: DIRECTIONS,
        Type.COLORS: _pairs(world.colors),
        Type.MATERIALS: _pairs(world.materials),
        Type.SHAPES: _pairs(world.shapes),
    }


ANSWERS_BY_TYPE = answers_by_type(PLAIN)
"""All answers to factual questions in the plain world, by their type."""


def answer_type(question: Question) -> Type:
    """The type of a question's answer, or of the verdict on each of its options."""
    return check_program(question.program, () if question.kind == "factual" else (Type.EVENT,))


def final_operator(question: Question) -> str:
    """The last operator of a question's program, which says what is asked for, such as "query_color"."""
    return question.program[-1] if question.program else ""


def canonical_answer(answer: str) -> str:
    """An answer with the words of a pair sorted, since their order does not count.

    >>> canonical_answer("red and blue")
    'blue and red'
    """
    return AND.join(sorted(answer.split(AND)))


def same_answer(one: str, other: str) -> bool:
    """Whether two answers to a factual question are the same."""
    return canonical_answer(one) == canonical_answer(other)
