"""Asks multiple-choice questions: which collisions will happen, or would if a body were different.

Options are drawn so that neither the wording of the question nor the change tells whether one is correct. That bodies
which are altered collide a little more often than others is left as it is.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb

from tumble.comphy.questions.balance import Balance, weighted
from tumble.comphy.questions.choice_templates import (
    CHARGE_CHANGED,
    CHOICES,
    MASS_CHANGED,
    PREDICTIVE,
    QUESTIONS,
)
from tumble.comphy.questions.filling import altered, shuffled
from tumble.comphy.questions.phrases import Values
from tumble.comphy.questions.programs.facts import Happening
from tumble.comphy.questions.scene import Scene
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.question import CORRECT, WRONG, Choice, Kind, Question
from tumble.comphy.tasks.video_set import Alteration
from tumble.draws import Draws

Pair = tuple[int, ...]
TWO = (1, 20, 2)
"""How likely none, one or both of two options are correct."""


@dataclass(frozen=True)
class Candidate:
    """A pair of bodies that an option may name."""

    pair: Pair
    verdict: int
    """+1 if the option is correct, -1 if it is wrong."""
    features: tuple[Hashable, ...]
    """What should not tell which."""
    is_telling: bool = False
    """Whether the change decides it: what is seen in the video would be the wrong answer."""


def ask_counterfactual(
    scene: Scene, alteration: Alteration, options: int, balance: Balance, draws: Draws
) -> Question | None:
    """Which collisions would, or would not, happen."""
    negated = balance.asked["not"] + draws.between(-1.0, 1.0) < balance.asked["happen"]
    happening = pairs_in(scene.story.altered[alteration])
    candidates = []
    for pair in _pairs(scene):
        seen = pair in pairs_in(scene.events)
        features = ("if", negated), ("if", negated, alteration.change)
        happens = pair in happening
        verdict = +1 if happens != negated else -1
        candidates.append(Candidate(pair, verdict, features, happens != seen))
    chosen = _chosen(candidates, options, balance, draws)
    if len(chosen) < 2:
        return None
    balance.asked["not" if negated else "happen"] += 1
    family = MASS_CHANGED if alteration.change in ("heavier", "lighter") else CHARGE_CHANGED
    values = altered(scene, draws, alteration.body, alteration.change, negated)
    return _question(scene, family, values, chosen, draws)


def ask_predictive(scene: Scene, options: int, correct: int, balance: Balance, draws: Draws) -> Question | None:
    """Which collisions will happen; None if there aren't as many correct and wrong options as wanted."""
    coming, seen = pairs_in(scene.executor.world.unseen), pairs_in(scene.events)
    candidates = [
        Candidate(
            pair,
            +1 if pair in coming else -1,
            (("next", _shapes(scene, pair)), ("next", pair in seen)),
        )
        for pair in _pairs(scene)
    ]
    if not 0 <= correct <= len(coming) or options - correct > len(candidates) - len(coming):
        return None
    return _question(scene, PREDICTIVE, {}, _drawn(candidates, options, correct, balance, draws), draws)


def pairs_in(events: Sequence[Event | Happening]) -> set[Pair]:
    """The pairs that collide."""
    return {event.bodies for event in events if event.kind == "collision"}


def _pairs(scene: Scene) -> list[Pair]:
    return [event.bodies for event in scene.executor.world.possible]


def _shapes(scene: Scene, pair: Pair) -> tuple[str, ...]:
    return tuple(sorted(scene.looks[body]["shape"] for body in pair))


def _chosen(candidates: list[Candidate], options: int, balance: Balance, draws: Draws) -> list[Candidate]:
    """Options of which as many are correct as if by coin flips, but rather so that correct and wrong ones even out.

    Of two, one is nearly always correct and one wrong, as published. Telling ones have a place, whichever they are.
    """
    right = sum(candidate.verdict > 0 for candidate in candidates)
    options = min(options, len(candidates))
    counts = range(max(0, options - (len(candidates) - right)), min(options, right) + 1)
    telling = Counter(candidate.verdict for candidate in candidates if candidate.is_telling)
    if telling.total() <= options:
        counts = range(max(counts[0], telling[+1]), min(counts[-1], options - telling[-1]) + 1)
    shared = candidates[0].features[:1]
    weights = [
        (TWO[own] if options == 2 else comb(options, own)) * balance.weigh(shared, +1) ** (own - options / 2)
        for own in counts
    ]
    return _drawn(candidates, options, weighted(draws, counts, weights), balance, draws)


def _drawn(candidates: list[Candidate], options: int, correct: int, balance: Balance, draws: Draws) -> list[Candidate]:
    """So many options, so many of them correct, each drawn so that its features tell nothing; counts them."""
    found: list[Candidate] = []
    for verdict, wanted in ((+1, correct), (-1, options - correct)):
        for _ in range(wanted):
            left = [own for own in candidates if own.verdict == verdict and own not in found]
            best = [own for own in left if own.is_telling] or left
            drawn = weighted(draws, best, [balance.weigh(own.features, verdict) for own in best])
            balance.count(drawn.features, verdict)
            found.append(drawn)
    return shuffled(draws, found)


def _question(scene: Scene, family: str, values: Values, chosen: list[Candidate], draws: Draws) -> Question:
    kind, phrase = QUESTIONS[family]
    return Question(
        0,
        kind,
        family,
        phrase.text(values, draws),
        phrase.program_of(values),
        choices=tuple(_choice(scene, kind, number, candidate, draws) for number, candidate in enumerate(chosen)),
    )


def _choice(scene: Scene, kind: Kind, number: int, candidate: Candidate, draws: Draws) -> Choice:
    one, other = shuffled(draws, candidate.pair)
    values = {"a": scene.name(one, draws, motion=False), "b": scene.name(other, draws, motion=False)}
    phrase = CHOICES[kind]
    answer = CORRECT if candidate.verdict > 0 else WRONG
    return Choice(number, phrase.text(values, draws), phrase.program_of(values), answer)
