"""Looks that agree with the questions: what a question speaks of exists, so that its words correct the perceiver's.

"The wood trophy" is one object of the target. If the only trophy was perceived as painted, it is the wood one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from tumble.comphy.catalogue.task import Appearance, Program, QuestionSet
from tumble.comphy.questions.program import argument_count

CHANGE_COSTS = {"material": 0.5, "color": 1.0, "shape": 1.5}
"""Of another word for a body: materials are perceived worst."""
UNMET_COST = 3.0
"""Of words by which no object, or not one alone, is found."""
SAME_COST = 2.0
"""Of two objects with the same looks: a set has no such objects."""
MOST_ROUNDS = 4
ATTRIBUTE_FILTERS = {f"filter_{name}": name for name in CHANGE_COSTS}


@dataclass(frozen=True)
class Reference:
    """Words that refer to one object."""

    words: frozenset[tuple[str, str]]
    """Attributes and their words."""
    is_complete: bool
    """Whether the words alone tell which object it is; else it is also told by its motion or hidden properties."""


def references_in(questions: QuestionSet) -> frozenset[Reference]:
    """The references in all programs."""
    programs = [
        program
        for question in questions.questions
        for program in ([choice.program + question.program for choice in question.choices] or [question.program])
    ]
    return frozenset(reference for program in programs for reference in _references(program))


def _references(program: Program) -> Iterator[Reference]:
    """The sets of objects of a program that `unique` is applied to."""
    stack: list[Any] = []
    for token in program:
        first = len(stack) - argument_count(token)
        arguments, stack = stack[first:], stack[:first]
        own = arguments[0] if arguments and isinstance(arguments[0], Reference) else None
        value: Any = token
        if token == "objects":
            value = Reference(frozenset(), True)
        elif own is not None and token in ATTRIBUTE_FILTERS:
            value = Reference(own.words | {(ATTRIBUTE_FILTERS[token], arguments[1])}, own.is_complete)
        elif own is not None and token.startswith("filter_"):
            value = Reference(own.words, False)
        elif own is not None and token == "unique" and own.words:
            yield own
        stack.append(value)


def agreeing_looks(looks: Sequence[Appearance], questions: QuestionSet) -> tuple[Appearance, ...]:
    """The looks, with the fewest and most likely changes with which the references in the questions are met."""
    references = references_in(questions)
    words = sorted({word for reference in references for word in reference.words})
    found = tuple(looks)

    def cost(tried: tuple[Appearance, ...]) -> float:
        return _cost(tried, looks, references)

    for _ in range(MOST_ROUNDS):
        best = min((found, *_changed(found, words)), key=cost)
        if cost(best) >= cost(found):
            best = _best_pair(found, words, cost)
        if cost(best) >= cost(found):
            return found
        found = best
    return found


def _cost(tried: tuple[Appearance, ...], looks: Sequence[Appearance], references: frozenset[Reference]) -> float:
    changes = sum(
        CHANGE_COSTS[name]
        for one, other in zip(tried, looks, strict=True)
        for name in CHANGE_COSTS
        if getattr(one, name) != getattr(other, name)
    )
    same = len(tried) - len(set(tried))
    unmet = 0
    for reference in references:
        matches = sum(all(getattr(look, name) == word for name, word in reference.words) for look in tried)
        unmet += matches != 1 if reference.is_complete else matches == 0
    return changes + SAME_COST * same + UNMET_COST * unmet


def _changed(looks: tuple[Appearance, ...], words: Sequence[tuple[str, str]]) -> Iterator[tuple[Appearance, ...]]:
    """All looks with another word for one body."""
    for (body, look), (name, word) in product(enumerate(looks), words):
        if getattr(look, name) != word:
            yield (*looks[:body], look._replace(**{name: word}), *looks[body + 1 :])


def _best_pair(
    looks: tuple[Appearance, ...],
    words: Sequence[tuple[str, str]],
    cost: Callable[[tuple[Appearance, ...]], float],
) -> tuple[Appearance, ...]:
    """The best looks with other materials of two bodies."""
    materials = sorted({word for name, word in words if name == "material"} | {look.material for look in looks})
    tried = [looks]
    for one, other in combinations(range(len(looks)), 2):
        for first, second in product(materials, materials):
            changed = list(looks)
            changed[one] = looks[one]._replace(material=first)
            changed[other] = looks[other]._replace(material=second)
            tried.append(tuple(changed))
    return min(tried, key=cost)
