"""The possible answers of a factual question, by the last operator of its program."""

from itertools import combinations_with_replacement

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.questions.answers import AND, final_operator
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.question import Question

YES_NO = ("yes", "no")
COUNTS = tuple(map(str, range(6)))


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    """Pairs in one order, since the order does not count."""
    return tuple(AND.join(pair) for pair in combinations_with_replacement(words, 2))


ANSWERS_BY_OPERATOR: dict[str, tuple[str, ...]] = {
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


def answer_space(question: Question) -> tuple[str, ...]:
    """The possible answers of a factual question.

    >>> answer_space(Question(0, "factual", "object_query", "What shape is it?", ("objects", "unique", "query_shape")))
    ('cube', 'sphere', 'cylinder')
    """
    operator = final_operator(question)
    if operator not in ANSWERS_BY_OPERATOR:
        raise AgentInputError(f"question {question.id}: the answers of programs that end in {operator!r} are not known")
    return ANSWERS_BY_OPERATOR[operator]


def answer_words(question: Question) -> tuple[tuple[str, ...], int]:
    """The words that a factual question is answered with, and how many of them: 1, or 2 for a pair.

    >>> answer_words(Question(0, "factual", "", "", ("objects", "filter_same", "unique", "query_both_material")))
    (('rubber', 'metal'), 2)
    """
    space = answer_space(question)
    if not final_operator(question).startswith("query_both_"):
        return space, 1
    return tuple(dict.fromkeys(word for pair in space for word in pair.split(AND))), 2
