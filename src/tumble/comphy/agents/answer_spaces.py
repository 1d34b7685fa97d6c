"""Which answers a factual question can have: its type is the last operator of its program."""

from itertools import combinations_with_replacement

from tumble.comphy.agents.agent import ModelError
from tumble.comphy.questions.answers import AND
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.question import Question

YES_NO = ("yes", "no")
COUNTS = tuple(map(str, range(6)))


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    """Two words in one order, as the order does not count."""
    return tuple(AND.join(pair) for pair in combinations_with_replacement(words, 2))


SPACES: dict[str, tuple[str, ...]] = {
    "exist": YES_NO,
    "negate": YES_NO,
    "not": YES_NO,
    "belong_to": YES_NO,
    "is_heavier": YES_NO,
    "is_lighter": YES_NO,
    "equal_charge": YES_NO,
    "count": COUNTS,
    "query_color": COLORS,
    "query_material": MATERIALS,
    "query_shape": SHAPES,
    "query_direction": DIRECTIONS,
    "query_both_color": _pairs(COLORS),
    "query_both_material": _pairs(MATERIALS),
    "query_both_shape": _pairs(SHAPES),
}
"""By the last operator of the program."""


def asked_for(question: Question) -> str:
    """What is asked for: the last operator of the program."""
    return question.program[-1] if question.program else ""


def answer_space(question: Question) -> tuple[str, ...]:
    """The answers that a factual question of its type can have."""
    last = asked_for(question)
    if last not in SPACES:
        raise ModelError(f"question {question.id}: a program that ends in {last!r} has no answers that are known")
    return SPACES[last]
