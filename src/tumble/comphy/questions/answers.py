"""What can be answered, and when two answers are the same."""

from tumble.comphy.bodies import COLORS, MATERIALS, SHAPES
from tumble.comphy.events import DIRECTIONS
from tumble.comphy.programs import Type, check
from tumble.comphy.questions.question import CORRECT, WRONG, Question

AND = " and "


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
VERDICTS = (CORRECT, WRONG)
"""Every answer to an option."""


def answer_type(question: Question) -> Type:
    """The type of a question's answer, or of the verdict on each of its options."""
    return check(question.program, given=() if question.kind == "factual" else (Type.EVENT,))


def same_answer(one: str | None, other: str | None) -> bool:
    """Whether two answers are the same; the order of a pair does not matter."""
    if one is None or other is None:
        return False
    return sorted(one.split(AND)) == sorted(other.split(AND))
