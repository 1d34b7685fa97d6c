"""Asks questions about a block of sets, balanced together; what is asked hangs on the block's stories and the seed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from tumble.comphy.questions.balance import Balance
from tumble.comphy.questions.choosing import ask_counterfactual, ask_predictive, pairs_in
from tumble.comphy.questions.factual import ask_factual
from tumble.comphy.questions.filling import chance, shuffled
from tumble.comphy.questions.programs.story import Story
from tumble.comphy.questions.scene import Scene
from tumble.comphy.tasks.question import Question, QuestionSet
from tumble.draws import Draws

BLOCK = 250
"""Sets, by their indices, whose questions are balanced together."""
FACTUAL, ONE_MORE = 3, 0.1
"""Factual questions about a set, and how often there is one more."""
FACTUAL_ALONE = range(6, 11)
"""Factual questions where there are no others."""
ALTERED_SHARE = 0.9
"""Share of the changes to a set that are asked about …"""
MOST_ALTERED = 5
"""… but no more than these."""
PREDICTIVE_SHARE = 0.56
"""Predictive questions for each set, as long as enough happens after the shown part."""
NOTHING_SHARE = 0.22
"""Share of the predictive questions without a correct option …"""
ALL_SHARE = 0.14
"""… and without a wrong one."""


@dataclass(frozen=True)
class Options:
    """How many options multiple-choice questions have, and in which order they come."""

    counterfactual: int = 2
    """Fewer where there are not so many pairs."""
    predictive: Mapping[int, float] = field(default_factory=lambda: {2: 1.0})
    """Numbers of options and their shares, as far as enough happens after the shown part."""
    predictive_first: bool = False


SPLIT_OPTIONS = {
    "train": Options(),
    "validation": Options(),
    "test": Options(counterfactual=4, predictive={2: 0.78, 3: 0.01, 4: 0.21}, predictive_first=True),
}
"""As published."""


def blocks(indices: Iterable[int]) -> list[list[int]]:
    """Indices of sets, block by block."""
    return [list(own) for _, own in groupby(sorted(indices), key=lambda index: index // BLOCK)]


def ask_block(stories: Mapping[int, Story], seed: int, options: Options) -> list[QuestionSet]:
    """Questions about the sets of one block, in the order of their indices."""
    balance = Balance()
    return [
        _ask(index, stories[index], Draws(f"comphy questions {seed} {index}"), options, balance)
        for index in sorted(stories)
    ]


def _ask(index: int, story: Story, draws: Draws, options: Options, balance: Balance) -> QuestionSet:
    scene = Scene(story)
    counterfactual = _counterfactual(scene, options, balance, draws)
    predictive = _predictive(scene, options, balance, draws)
    chosen = predictive + counterfactual if options.predictive_first else counterfactual + predictive
    count = FACTUAL + chance(draws, ONE_MORE) if chosen else draws.one_of(FACTUAL_ALONE)
    questions = ask_factual(scene, count, balance, draws) + chosen
    return QuestionSet(index, tuple(replace(question, id=number) for number, question in enumerate(questions)))


def _counterfactual(scene: Scene, options: Options, balance: Balance, draws: Draws) -> list[Question]:
    """Questions about most changes; those that make no difference are the first to be left out."""
    seen = pairs_in(scene.events)
    changes = shuffled(draws, scene.story.altered)
    changes.sort(key=lambda change: pairs_in(scene.story.altered[change]) == seen)
    left_out = sum(chance(draws, 1.0 - ALTERED_SHARE) for _ in changes)
    kept = shuffled(draws, changes[: min(len(changes) - left_out, MOST_ALTERED)])
    asked = [ask_counterfactual(scene, change, options.counterfactual, balance, draws) for change in kept]
    return [question for question in asked if question is not None]


def _predictive(scene: Scene, options: Options, balance: Balance, draws: Draws) -> list[Question]:
    """One question where something happens later, and, now and then, one where nothing does."""
    balance.asked["set"] += 1
    if balance.asked["predictive"] >= PREDICTIVE_SHARE * balance.asked["set"]:
        return []
    coming = len(pairs_in(scene.executor.world.unseen))
    count = _option_count(options.predictive, coming, balance, draws)
    correct = _correct(coming, count, balance, draws)
    question = None if correct is None else ask_predictive(scene, count, correct, balance, draws)
    if question is None:
        return []
    balance.asked["predictive"] += 1
    balance.asked["predictive", count] += 1
    balance.asked["nothing"] += correct == 0
    balance.asked["all"] += correct == count
    return [question]


def _option_count(shares: Mapping[int, float], coming: int, balance: Balance, draws: Draws) -> int:
    """A number of options that is still wanted; more than the fewest only where half of them can be correct."""
    asked = balance.asked["predictive"] + 1
    fewest = min(shares)
    wanted = [
        own
        for own, share in shares.items()
        if own == fewest or (2 * coming >= own and balance.asked["predictive", own] < share * asked)
    ]
    return draws.one_of(wanted)


def _correct(coming: int, options: int, balance: Balance, draws: Draws) -> int | None:
    """How many options are to be correct; None if there is no use for a question here."""
    asked = balance.asked["predictive"] + 1
    if coming == 0:
        return 0 if balance.asked["nothing"] < NOTHING_SHARE * asked else None
    if coming >= options and balance.asked["all"] < ALL_SHARE * asked:
        return options
    return min(coming, draws.one_of((options // 2, (options + 1) // 2)))
