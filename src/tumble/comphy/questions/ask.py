"""Asks questions about a block of sets, balanced together. They depend on the block's scenes and the seed alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tumble.checks import number, whole_number
from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.catalogue.video_set import Alteration, distinct_worlds
from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.selection import (
    TELLING_WEIGHTS,
    AnswerBalance,
    Candidate,
    ask_counterfactual,
    ask_factual,
    ask_predictive,
    counterfactual_candidates,
    predictive_candidates,
)
from tumble.comphy.questions.slot_values import shuffle, with_probability
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.draws import Draws

BLOCK_SIZE = 250
"""Successive sets of one split, whose questions are balanced together; each set's depend on the earlier ones only."""
FACTUAL_COUNT, EXTRA_FACTUAL_SHARE = 3, 0.04
"""Factual questions about a set, and the share of sets that have one more."""
FACTUAL_ONLY_COUNTS = range(6, 11)
"""Numbers of factual questions about a set that has no others."""
MOST_ALTERED = {"mass": 2, "charge": 5}
"""Counterfactual questions about a set without and with charges, as published; each about another world."""
PREDICTIVE_SHARE = 0.56
"""Predictive questions per set, as long as enough happens after the shown frames."""
NONE_CORRECT_SHARE = 0.26
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
    one_correct: bool = False
    """Whether exactly one option of every question with two is correct, as in the published diverse split."""

    def __post_init__(self) -> None:
        for count in (self.counterfactual, *self.predictive):
            whole_number("the number of options", count, 2, max(TELLING_WEIGHTS))
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


def ask_block(
    scenes: Mapping[int, SymbolicScene], seed: int, options: OptionSettings, repeat: int = 0
) -> list[QuestionSet]:
    """Questions about the sets of one block, in the order of their indices; other ones for each `repeat`."""
    balance = AnswerBalance()
    draws = f"comphy questions {seed}" + (f" repeat {repeat}" if repeat else "")
    return [_ask(index, scenes[index], Draws(f"{draws} {index}"), options, balance) for index in sorted(scenes)]


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
    """One question about each of several worlds, those with most telling pairs first."""
    worlds = _told_apart(scene)
    telling = {world: _telling_count(scene, world[0]) for world in worlds}
    ranked = sorted(
        shuffle(draws, [world for world in worlds if telling[world]]), key=lambda own: -min(telling[own], 2)
    )
    charged = any(body.is_charged for body in scene.symbolic.bodies)
    most = MOST_ALTERED["charge" if charged else "mass"]
    changes = [draws.one_of(world) for world in shuffle(draws, ranked[:most])]
    questions = [
        ask_counterfactual(scene, change, options.counterfactual, balance, draws, options.one_correct)
        for change in changes
    ]
    return [question for question in questions if question is not None]


def _told_apart(scene: DescribedScene) -> list[tuple[Alteration, ...]]:
    """The counterfactual worlds, without those in which the same happens as in another one.

    If two bodies touch only each other, it makes no difference which of them is changed so that their masses are equal.
    """
    altered = scene.symbolic.altered_events
    worlds = {altered[world[0]]: world for world in distinct_worlds(scene.symbolic.bodies) if world[0] in altered}
    return list(worlds.values())


def _telling_count(scene: DescribedScene, change: Alteration) -> int:
    return sum(candidate.is_telling for candidate in counterfactual_candidates(scene, change, negated=False))


def _predictive(scene: DescribedScene, options: OptionSettings, balance: AnswerBalance, draws: Draws) -> list[Question]:
    """One question where something happens after the shown frames, and sometimes one where nothing does."""
    balance.question_counts["set"] += 1
    if balance.question_counts["predictive"] >= PREDICTIVE_SHARE * balance.question_counts["set"]:
        return []
    candidates = predictive_candidates(scene)
    if not any(candidate.is_telling for candidate in candidates):
        return []
    coming = sum(candidate.verdict > 0 for candidate in candidates)
    count = _option_count(options.predictive, coming, len(candidates), balance, draws)
    correct = 1 if options.one_correct and count == 2 else _correct_count(candidates, count, balance, draws)
    question = None if correct is None else ask_predictive(scene, candidates, count, correct, balance, draws)
    if question is None:
        return []
    balance.question_counts["predictive"] += 1
    balance.question_counts["predictive", count] += 1
    balance.question_counts["nothing"] += correct == 0
    balance.question_counts["all"] += correct == count
    return [question]


def _option_count(shares: Mapping[int, float], coming: int, pairs: int, balance: AnswerBalance, draws: Draws) -> int:
    """A number of options below its share; more than the fewest only where half of them can be correct."""
    total = balance.question_counts["predictive"] + 1
    fewest = min(shares)
    allowed = [
        count
        for count, share in shares.items()
        if count == fewest
        or (2 * coming >= count <= pairs and balance.question_counts["predictive", count] < share * total)
    ]
    return draws.one_of(allowed)


def _correct_count(candidates: list[Candidate], options: int, balance: AnswerBalance, draws: Draws) -> int | None:
    """The number of correct options; None if no question is to be asked."""
    total = balance.question_counts["predictive"] + 1
    coming = sum(candidate.verdict > 0 for candidate in candidates)
    can_deceive = any(candidate.verdict < 0 and candidate.is_telling for candidate in candidates)
    if can_deceive and balance.question_counts["nothing"] < NONE_CORRECT_SHARE * total:
        return 0
    if coming == 0:
        return None
    if coming >= options and balance.question_counts["all"] < ALL_CORRECT_SHARE * total:
        return options
    return min(coming, draws.one_of((options // 2, (options + 1) // 2)))
