"""Asks questions about a block of sets, balanced together. They depend on the block's scenes and the seed alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tumble.checks import number, whole_number
from tumble.comphy.questions.answer_balance import AnswerBalance
from tumble.comphy.questions.choice_selection import ask_counterfactual, ask_predictive, collision_pairs
from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.factual_selection import ask_factual
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.questions.slot_values import shuffle, with_probability
from tumble.comphy.tasks.question import Question, QuestionSet
from tumble.draws import Draws

BLOCK_SIZE = 250
"""Successive sets of one split, whose questions are balanced together; each set's depend on the earlier ones only."""
FACTUAL_COUNT, EXTRA_FACTUAL_SHARE = 3, 0.1
"""Factual questions about a set, and the share of sets that have one more."""
FACTUAL_ONLY_COUNTS = range(6, 11)
"""Numbers of factual questions about a set that has no others."""
ALTERED_SHARE = 0.9
"""Share of a set's counterfactual changes that are asked about …"""
MAX_ALTERED = 5
"""… up to this number."""
PREDICTIVE_SHARE = 0.56
"""Predictive questions per set, as long as enough happens after the shown frames."""
NONE_CORRECT_SHARE = 0.22
"""Share of the predictive questions without a correct option."""
ALL_CORRECT_SHARE = 0.14
"""Share of the predictive questions without a wrong option."""


@dataclass(frozen=True)
class OptionSettings:
    """How many options multiple-choice questions have, and the order of the questions."""

    counterfactual: int = 2
    """Fewer where there are not enough pairs."""
    predictive: Mapping[int, float] = field(default_factory=lambda: {2: 1.0})
    """Share of each number of options, as far as enough happens after the shown frames."""
    predictive_first: bool = False

    def __post_init__(self) -> None:
        for count in (self.counterfactual, *self.predictive):
            whole_number("the number of options", count, at_least=2)
        for count, share in self.predictive.items():
            number(f"the share of questions with {count} options", share, 0, 1)


SPLIT_OPTIONS = {
    "train": OptionSettings(),
    "validation": OptionSettings(),
    "test": OptionSettings(counterfactual=4, predictive={2: 0.78, 3: 0.01, 4: 0.21}, predictive_first=True),
}
"""As published."""


def blocks(indices: Iterable[int]) -> list[list[int]]:
    """The sets of one split, by their indices, grouped into blocks."""
    ordered = sorted(indices)
    return [ordered[first : first + BLOCK_SIZE] for first in range(0, len(ordered), BLOCK_SIZE)]


def ask_block(scenes: Mapping[int, SymbolicScene], seed: int, options: OptionSettings) -> list[QuestionSet]:
    """Questions about the sets of one block, in the order of their indices."""
    balance = AnswerBalance()
    return [
        _ask(index, scenes[index], Draws(f"comphy questions {seed} {index}"), options, balance)
        for index in sorted(scenes)
    ]


def _ask(
    index: int, symbolic: SymbolicScene, draws: Draws, options: OptionSettings, balance: AnswerBalance
) -> QuestionSet:
    scene = DescribedScene(symbolic)
    counterfactual = _counterfactual(scene, options, balance, draws)
    predictive = _predictive(scene, options, balance, draws)
    multiple = predictive + counterfactual if options.predictive_first else counterfactual + predictive
    if multiple:
        count = FACTUAL_COUNT + with_probability(draws, EXTRA_FACTUAL_SHARE)
    else:
        count = draws.one_of(FACTUAL_ONLY_COUNTS)
    questions = ask_factual(scene, count, balance, draws) + multiple
    return QuestionSet(index, tuple(replace(question, id=number) for number, question in enumerate(questions)))


def _counterfactual(
    scene: DescribedScene, options: OptionSettings, balance: AnswerBalance, draws: Draws
) -> list[Question]:
    """Questions about most changes; those that change no collision are left out first."""
    altered = scene.symbolic.altered_events
    seen = collision_pairs(scene.events)
    changes = shuffle(draws, altered)
    changes.sort(key=lambda change: collision_pairs(altered[change]) == seen)
    left_out = sum(with_probability(draws, 1.0 - ALTERED_SHARE) for _ in changes)
    kept = shuffle(draws, changes[: min(len(changes) - left_out, MAX_ALTERED)])
    questions = [ask_counterfactual(scene, change, options.counterfactual, balance, draws) for change in kept]
    return [question for question in questions if question is not None]


def _predictive(scene: DescribedScene, options: OptionSettings, balance: AnswerBalance, draws: Draws) -> list[Question]:
    """One question where something happens after the shown frames, and sometimes one where nothing does."""
    balance.question_counts["set"] += 1
    if balance.question_counts["predictive"] >= PREDICTIVE_SHARE * balance.question_counts["set"]:
        return []
    coming = len(collision_pairs(scene.interpreter.context.future_events))
    count = _option_count(options.predictive, coming, balance, draws)
    correct = _correct_count(coming, count, balance, draws)
    question = None if correct is None else ask_predictive(scene, count, correct, balance, draws)
    if question is None:
        return []
    balance.question_counts["predictive"] += 1
    balance.question_counts["predictive", count] += 1
    balance.question_counts["nothing"] += correct == 0
    balance.question_counts["all"] += correct == count
    return [question]


def _option_count(shares: Mapping[int, float], coming: int, balance: AnswerBalance, draws: Draws) -> int:
    """A number of options below its share; more than the fewest only where half of them can be correct."""
    total = balance.question_counts["predictive"] + 1
    fewest = min(shares)
    allowed = [
        count
        for count, share in shares.items()
        if count == fewest or (2 * coming >= count and balance.question_counts["predictive", count] < share * total)
    ]
    return draws.one_of(allowed)


def _correct_count(coming: int, options: int, balance: AnswerBalance, draws: Draws) -> int | None:
    """The number of correct options; None if no question is to be asked."""
    total = balance.question_counts["predictive"] + 1
    if coming == 0:
        return 0 if balance.question_counts["nothing"] < NONE_CORRECT_SHARE * total else None
    if coming >= options and balance.question_counts["all"] < ALL_CORRECT_SHARE * total:
        return options
    return min(coming, draws.one_of((options // 2, (options + 1) // 2)))
