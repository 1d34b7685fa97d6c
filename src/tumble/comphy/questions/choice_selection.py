"""Asks multiple-choice questions: which collisions will happen, or would happen after a counterfactual change.

Options are drawn so that neither the wording of the question nor the change tells whether one is correct. That bodies
which are changed collide a little more often than others is not balanced.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb

from tumble.comphy.questions.answer_balance import AnswerBalance, weighted_choice
from tumble.comphy.questions.choice_templates import (
    CHARGE_CHANGED,
    CHOICES,
    MASS_CHANGED,
    PREDICTIVE,
    QUESTIONS,
)
from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.phrases import Values
from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.questions.slot_values import alteration_values, shuffle
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.question import CORRECT, WRONG, Choice, Kind, Question
from tumble.comphy.tasks.video_set import Alteration
from tumble.draws import Draws

Pair = tuple[int, ...]
TWO_OPTION_WEIGHTS = (1, 20, 2)
"""Weights of none, one or both of two options being correct."""


@dataclass(frozen=True)
class Candidate:
    """A pair of bodies that an option may name."""

    pair: Pair
    verdict: int
    """+1 if the option is correct, -1 if it is wrong."""
    features: tuple[Hashable, ...]
    """What should not correlate with the verdict."""
    differs_from_video: bool = False
    """Whether the change decides the verdict: what the video shows would be the wrong answer."""


def ask_counterfactual(
    scene: DescribedScene, alteration: Alteration, options: int, balance: AnswerBalance, draws: Draws
) -> Question | None:
    """Asks which collisions would, or would not, happen; None if there are not enough pairs."""
    negated = balance.question_counts["not"] + draws.between(-1.0, 1.0) < balance.question_counts["happen"]
    altered_pairs = collision_pairs(scene.symbolic.altered_events[alteration])
    shown_pairs = collision_pairs(scene.events)
    features = ("if", negated), ("if", negated, alteration.change)
    candidates = []
    for pair in _all_pairs(scene):
        happens = pair in altered_pairs
        verdict = +1 if happens != negated else -1
        candidates.append(Candidate(pair, verdict, features, happens != (pair in shown_pairs)))
    selected = _select(candidates, options, balance, draws)
    if len(selected) < 2:
        return None
    balance.question_counts["not" if negated else "happen"] += 1
    family = MASS_CHANGED if alteration.change in ("heavier", "lighter") else CHARGE_CHANGED
    values = alteration_values(scene, draws, alteration.body, alteration.change, negated)
    return _question(scene, family, values, selected, draws)


def ask_predictive(
    scene: DescribedScene, options: int, correct: int, balance: AnswerBalance, draws: Draws
) -> Question | None:
    """Asks which collisions will happen; None if there are not enough correct and wrong options."""
    future_pairs = collision_pairs(scene.interpreter.context.future_events)
    shown_pairs = collision_pairs(scene.events)
    candidates = [
        Candidate(
            pair,
            +1 if pair in future_pairs else -1,
            (("next", _shapes(scene, pair)), ("next", pair in shown_pairs)),
        )
        for pair in _all_pairs(scene)
    ]
    if not 0 <= correct <= len(future_pairs) or options - correct > len(candidates) - len(future_pairs):
        return None
    return _question(scene, PREDICTIVE, {}, _draw_options(candidates, options, correct, balance, draws), draws)


def collision_pairs(events: Sequence[Event | ProgramEvent]) -> set[Pair]:
    """The pairs that collide."""
    return {event.bodies for event in events if event.kind == "collision"}


def _all_pairs(scene: DescribedScene) -> list[Pair]:
    return [event.bodies for event in scene.interpreter.context.possible_events]


def _shapes(scene: DescribedScene, pair: Pair) -> tuple[str, ...]:
    return tuple(sorted(scene.words[body]["shape"] for body in pair))


def _select(candidates: list[Candidate], options: int, balance: AnswerBalance, draws: Draws) -> list[Candidate]:
    """Options whose number of correct ones is binomial, weighted towards balance of correct and wrong ones.

    Of two options, nearly always one is correct and one wrong, as published. Candidates that differ from the video are
    all selected where there is room for them.
    """
    correct_candidates = sum(candidate.verdict > 0 for candidate in candidates)
    options = min(options, len(candidates))
    counts = range(max(0, options - (len(candidates) - correct_candidates)), min(options, correct_candidates) + 1)
    differing = Counter(candidate.verdict for candidate in candidates if candidate.differs_from_video)
    if differing.total() <= options:
        counts = range(max(counts[0], differing[+1]), min(counts[-1], options - differing[-1]) + 1)
    shared_feature = candidates[0].features[:1]
    tilt = balance.option_weight(shared_feature, +1)
    weights = [
        (TWO_OPTION_WEIGHTS[count] if options == 2 else comb(options, count)) * tilt ** (count - options / 2)
        for count in counts
    ]
    return _draw_options(candidates, options, weighted_choice(draws, counts, weights), balance, draws)


def _draw_options(
    candidates: list[Candidate], options: int, correct: int, balance: AnswerBalance, draws: Draws
) -> list[Candidate]:
    """Draws a number of options with a number of correct ones, balanced over their features, and counts them."""
    selected: list[Candidate] = []
    for verdict, count in ((+1, correct), (-1, options - correct)):
        for _ in range(count):
            left = [candidate for candidate in candidates if candidate.verdict == verdict and candidate not in selected]
            preferred = [candidate for candidate in left if candidate.differs_from_video] or left
            weights = [balance.option_weight(candidate.features, verdict) for candidate in preferred]
            drawn = weighted_choice(draws, preferred, weights)
            balance.add_option(drawn.features, verdict)
            selected.append(drawn)
    return shuffle(draws, selected)


def _question(scene: DescribedScene, family: str, values: Values, selected: list[Candidate], draws: Draws) -> Question:
    kind, phrase = QUESTIONS[family]
    return Question(
        0,
        kind,
        family,
        phrase.text(values, draws),
        phrase.program_of(values),
        choices=tuple(_choice(scene, kind, number, candidate, draws) for number, candidate in enumerate(selected)),
    )


def _choice(scene: DescribedScene, kind: Kind, number: int, candidate: Candidate, draws: Draws) -> Choice:
    one, other = shuffle(draws, candidate.pair)
    values = {"a": scene.describe(one, draws, motion=False), "b": scene.describe(other, draws, motion=False)}
    phrase = CHOICES[kind]
    answer = CORRECT if candidate.verdict > 0 else WRONG
    return Choice(number, phrase.text(values, draws), phrase.program_of(values), answer)
