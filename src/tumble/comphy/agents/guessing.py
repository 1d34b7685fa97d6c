"""The possible answers of a factual question, and agents that guess among them: Random and Frequent.

Neither looks at a set: their accuracy is what the distribution of answers gives away.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, Task
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.questions.program import AND, Answer, SetAnswers, canonical_answer, final_operator
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.draws import Draws

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


class Random(Agent):
    """Guesses; the guess depends on the seed and the ids of set and question only."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def answer(self, task: Task) -> SetAnswers:
        return {
            question.id: self._guess(task.questions.index, question, task.world)
            for question in task.questions.questions
        }

    def _guess(self, index: int, question: Question, world: ObjectWorld) -> Answer:
        draws = Draws(f"comphy random {self.seed} {index} {question.id}")
        if question.choices:
            return {choice.id: draws.one_of((CORRECT, WRONG)) for choice in question.choices}
        return draws.one_of(answer_space(question, world))


QuestionType = tuple[str, ...]


class Frequent(Agent):
    """Counts the answers, or the verdicts on options, of each type; for an unseen type the first possible answer."""

    learns = True

    def __init__(self) -> None:
        self.counts: dict[QuestionType, Counter[str]] = {}

    def train(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            for question in task.questions.questions:
                counts = self.counts.setdefault(question_type(question), Counter())
                answers = [choice.answer for choice in question.choices] or [question.answer]
                counts.update(canonical_answer(answer) for answer in answers if answer is not None)

    def answer(self, task: Task) -> SetAnswers:
        return {question.id: self._most_frequent(question, task.world) for question in task.questions.questions}

    def _most_frequent(self, question: Question, world: ObjectWorld) -> Answer:
        counts = self.counts.get(question_type(question), Counter())
        possible = (WRONG, CORRECT) if question.choices else answer_space(question, world)
        best = max((*counts, *possible), key=lambda answer: counts[answer])
        return {choice.id: best for choice in question.choices} if question.choices else best


def question_type(question: Question) -> QuestionType:
    """What counts as one type: the kind, the template, and the last operator of the program."""
    return question.kind, question.family, final_operator(question)
