"""Asks multiple-choice questions: which collisions will happen, or would happen after a counterfactual change.

Options are drawn so that neither the wording of the question, nor the change, nor a copy of the video tells whether one
is correct: about half of the options are telling, that is, what the video shows (for the future: what follows if motion
continues straight) would be the wrong answer. Pairs of which the videos don't tell the outcome are not asked about.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import product
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
from tumble.comphy.simulation.straight import straight_pairs
from tumble.comphy.tasks.question import CORRECT, WRONG, Choice, Kind, Question
from tumble.comphy.tasks.video_set import Alteration
from tumble.comphy.tasks.world import PLAIN, world_of
from tumble.draws import Draws

Pair = tuple[int, ...]
Group = tuple[int, bool]
"""The verdict of a candidate, and whether it is telling."""
GROUPS: tuple[Group, ...] = ((+1, True), (+1, False), (-1, True), (-1, False))
UNLIKELY = 0.01
"""Weight of a number of telling options that is drawn only where no other can be."""
TWO_OPTION_WEIGHTS = (1, 20, 2)
"""Weights of none, one or both of two options being correct."""
TELLING_WEIGHTS = {2: (1, 14, 2), 3: (0, 4, 5, 0), 4: (0, 2, 12, 3, 0)}
"""By the number of options: weights of the numbers of telling ones among them."""
HAPPENING_LEAN = -0.06
"""Excess of collisions that would happen among the options of counterfactual questions: most pairs don't collide."""
FEWEST_TELLING = {2: 1, 3: 1, 4: 2}
"""Telling pairs that a counterfactual question with a number of options needs."""


@dataclass(frozen=True)
class Candidate:
    """A pair of bodies that an option may name."""

    pair: Pair
    verdict: int
    """+1 if the option is correct, -1 if it is wrong."""
    features: tuple[Hashable, ...]
    """What should not correlate with the verdict."""
    is_telling: bool
    """Whether a copy of the video would give the wrong answer."""


def counterfactual_candidates(scene: DescribedScene, change: Alteration, negated: bool) -> list[Candidate]:
    """The pairs that a question about a change may name."""
    altered_pairs = collision_pairs(scene.symbolic.altered_events[change])
    shown_pairs = collision_pairs(scene.events)
    shared = ("if", negated), ("if", negated, change.change)
    return [
        Candidate(
            pair,
            +1 if (pair in altered_pairs) != negated else -1,
            (*shared, ("if", negated, "names the changed body", change.body in pair)),
            (pair in altered_pairs) != (pair in shown_pairs),
        )
        for pair in _told_pairs(scene, change)
    ]


def ask_counterfactual(
    scene: DescribedScene,
    change: Alteration,
    most_options: int,
    balance: AnswerBalance,
    draws: Draws,
    one_correct: bool = False,
) -> Question | None:
    """Asks which collisions would, or would not, happen; None if too few pairs are telling.

    With `one_correct`, exactly one option of a question with two is correct.
    """
    negated = balance.question_counts["not"] + draws.between(-1.0, 1.0) < balance.question_counts["happen"]
    candidates = counterfactual_candidates(scene, change, negated)
    telling = sum(candidate.is_telling for candidate in candidates)
    most = min(most_options, len(candidates))
    options = max((count for count, needed in FEWEST_TELLING.items() if telling >= needed and count <= most), default=0)
    lean = HAPPENING_LEAN if not negated else -HAPPENING_LEAN
    correct = 1 if one_correct and options == 2 else None
    counts = _option_counts(candidates, options, correct, balance, draws, lean) if options else None
    if counts is None:
        return None
    balance.question_counts["not" if negated else "happen"] += 1
    family = MASS_CHANGED if change.change in ("heavier", "lighter") else CHARGE_CHANGED
    values = alteration_values(scene, draws, change.body, change.change, negated)
    return _question(scene, family, values, _draw_options(candidates, counts, balance, draws), draws)


def predictive_candidates(scene: DescribedScene) -> list[Candidate]:
    """The pairs that a question about the future may name."""
    future_pairs = collision_pairs(scene.interpreter.context.future_events)
    shown_pairs = collision_pairs(scene.events)
    straight = straight_pairs(scene.symbolic.bodies, scene.symbolic.motion)
    return [
        Candidate(
            pair,
            +1 if pair in future_pairs else -1,
            (*_shape_features(scene, pair), ("next", pair in shown_pairs)),
            (pair in future_pairs) != (pair in straight),
        )
        for pair in _told_pairs(scene, None)
    ]


def ask_predictive(
    scene: DescribedScene,
    candidates: list[Candidate],
    options: int,
    correct: int,
    balance: AnswerBalance,
    draws: Draws,
) -> Question | None:
    """Asks which collisions will happen; None if there are not enough correct and wrong options."""
    counts = _option_counts(candidates, options, correct, balance, draws)
    if counts is None:
        return None
    return _question(scene, PREDICTIVE, {}, _draw_options(candidates, counts, balance, draws), draws)


def collision_pairs(events: Sequence[Event | ProgramEvent]) -> set[Pair]:
    """The pairs that collide."""
    return {event.bodies for event in events if event.kind == "collision"}


def _told_pairs(scene: DescribedScene, change: Alteration | None) -> list[Pair]:
    """All pairs of which the videos tell whether they collide after a change, or (None) after the shown frames."""
    undetermined = scene.symbolic.undetermined.get(change, frozenset())
    return [event.bodies for event in scene.interpreter.context.possible_events if event.bodies not in undetermined]


def _shape_features(scene: DescribedScene, pair: Pair) -> list[Hashable]:
    """The shapes of a pair: both together, or each alone where there are too many pairs of shapes."""
    shapes = tuple(sorted(scene.words[body]["shape"] for body in pair))
    return [("next", shapes)] if world_of(shapes[0]) is PLAIN else [("next", shape) for shape in shapes]


def _option_counts(
    candidates: list[Candidate],
    options: int,
    correct: int | None,
    balance: AnswerBalance,
    draws: Draws,
    lean: float = 0.0,
) -> Counter[Group] | None:
    """How many options to draw from each group, by weights of the numbers of correct and of telling ones.

    Where `correct` is None, the number of correct ones is binomial, weighted towards `lean` (see `option_weight`); of
    two options, nearly always one is correct and one wrong, as published.
    """
    available = Counter((candidate.verdict, candidate.is_telling) for candidate in candidates)
    tilt = balance.option_weight(candidates[0].features[:1], +1, lean) if candidates else 1.0
    choices, weights = [], []
    for counts in product(*(range(min(available[group], options) + 1) for group in GROUPS)):
        chosen = Counter(dict(zip(GROUPS, counts, strict=True)))
        right, telling = chosen[+1, True] + chosen[+1, False], chosen[+1, True] + chosen[-1, True]
        if chosen.total() != options or correct not in (None, right):
            continue
        weight = float(TELLING_WEIGHTS[options][telling]) or UNLIKELY
        if correct is None:
            mixes = TWO_OPTION_WEIGHTS[right] if options == 2 else comb(options, right)
            weight *= mixes * tilt ** (right - options / 2)
        choices.append(chosen)
        weights.append(weight)
    return weighted_choice(draws, choices, weights) if choices else None


def _draw_options(
    candidates: list[Candidate], counts: Counter[Group], balance: AnswerBalance, draws: Draws
) -> list[Candidate]:
    """Draws a number of options from each group, balanced over their features, and counts them."""
    selected: list[Candidate] = []
    for (verdict, is_telling), count in counts.items():
        for _ in range(count):
            group = [
                candidate
                for candidate in candidates
                if (candidate.verdict, candidate.is_telling) == (verdict, is_telling) and candidate not in selected
            ]
            weights = [balance.option_weight(candidate.features, verdict) for candidate in group]
            drawn = weighted_choice(draws, group, weights)
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
