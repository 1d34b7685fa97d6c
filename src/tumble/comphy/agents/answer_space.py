"""The possible answers of a factual question, by the last operator of its program."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations_with_replacement

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.catalogue.task import Question
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.questions.program import AND, final_operator
from tumble.comphy.simulation.events import DIRECTIONS

YES_NO = ("yes", "no")
COUNTS = tuple(map(str, range(6)))


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    """Pairs in one order, since the order does not count."""
    return tuple(AND.join(pair) for pair in combinations_with_replacement(words, 2))


@lru_cache
def answers_by_operator(world: ObjectWorld) -> Mapping[str, tuple[str, ...]]:
    """The possible answers in a world, by the last operator of a program."""
    return {
        "exist": YES_NO,
        "negate": YES_NO,
        "not": YES_NO,
        "belong_to": YES_NO,
        "is_heavier": YES_NO,
        "is_lighter": YES_NO,
        "equal_charge": YES_NO,
        "count": COUNTS,
        "query_color": world.colors,
        "query_material": world.materials,
        "query_shape": world.shapes,
        "query_direction": DIRECTIONS,
        "query_both_color": _pairs(world.colors),
        "query_both_material": _pairs(world.materials),
        "query_both_shape": _pairs(world.shapes),
    }


def answer_space(question: Question, world: ObjectWorld = PLAIN) -> tuple[str, ...]:
    """The possible answers of a factual question about a set of a world.

    >>> answer_space(Question(0, "factual", "object_query", "What shape is it?", ("objects", "unique", "query_shape")))
    ('cube', 'sphere', 'cylinder')
    """
    operator, answers = final_operator(question), answers_by_operator(world)
    if operator not in answers:
        raise AgentInputError(f"question {question.id}: the answers of programs that end in {operator!r} are not known")
    return answers[operator]


def answer_words(question: Question, world: ObjectWorld = PLAIN) -> tuple[tuple[str, ...], int]:
    """The words that a factual question is answered with, and how many of them: 1, or 2 for a pair.

    >>> answer_words(Question(0, "factual", "", "", ("objects", "filter_same", "unique", "query_both_material")))
    (('rubber', 'metal'), 2)
    """
    space = answer_space(question, world)
    if not final_operator(question).startswith("query_both_"):
        return space, 1
    return tuple(dict.fromkeys(word for pair in space for word in pair.split(AND))), 2
