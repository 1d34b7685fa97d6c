"""Selects questions: draws templates, slot values and options until the answers keep a block of sets balanced.

Balanced answers keep the words of a question alone from giving its answer away. Multiple-choice questions ask which
collisions will happen, or would happen after a counterfactual change. Their options are drawn so that neither the
wording of the question, nor the change, nor a copy of the video tells whether one is correct: about half of the
options are telling, that is, what the video shows (for the future: what follows if motion continues straight) would
be the wrong answer. Pairs of which the videos don't tell the outcome are not asked about.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, product
from math import comb, exp
from typing import TypeVar

from tumble.comphy.catalogue.body import world_of_bodies
from tumble.comphy.catalogue.task import CORRECT, WRONG, Choice, Kind, Program, Question
from tumble.comphy.catalogue.video_set import Alteration
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, COLORS, PLAIN, world_of
from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.phrases import Values
from tumble.comphy.questions.program import Type, answers_by_type
from tumble.comphy.questions.slot_values import Template, alteration_values, shuffle
from tumble.comphy.questions.symbolic_scene import ProgramEvent
from tumble.comphy.questions.templates import CHARGE_CHANGED, CHOICES, FACTUAL, MASS_CHANGED, PREDICTIVE, QUESTIONS
from tumble.comphy.simulation.events import Event
from tumble.comphy.simulation.outcomes import straight_pairs
from tumble.draws import Draws

T = TypeVar("T")
SLACK = 2
"""An answer may be given this many times more often than the rarest common one."""
MAX_ODDS = 3
"""An answer to questions of one pattern may be given this many times as often as all others together."""
COMMON_SHARE = 0.08
"""Share of the draws from which on an answer counts as common, that is, can be given as often as others."""
BALANCE_STRENGTH = 0.35
"""How strongly the choice of options prefers those that even out correct and wrong ones."""
MAX_EXCESS = 12
"""Excess of correct or wrong options beyond which the preference grows no stronger."""


@dataclass
class AnswerBalance:
    """Counts of what has been asked in a block. Keys and features are what should not correlate with the answer."""

    given_answers: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers given, by key."""
    drawn_answers: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers drawn, accepted or not, by key."""
    question_counts: Counter[Hashable] = field(default_factory=Counter)
    """Questions, by what they are counted by: kind, type of answer, template, …"""
    correct_excess: dict[Hashable, int] = field(default_factory=dict)
    """Number of correct options minus that of wrong ones, by feature."""
    option_counts: Counter[Hashable] = field(default_factory=Counter)
    """Options, by feature."""

    def accepts(self, keys: Sequence[Hashable], answer: str) -> bool:
        """Whether an answer is not yet too frequent for any of the keys; counts it as drawn."""
        verdicts = [self._accepts(key, answer) for key in keys]
        return all(verdicts)

    def varies(self, pattern: Hashable, answer: str) -> bool:
        """Whether questions of a pattern have other answers too; counts the answer as drawn.

        Another answer must have been drawn, and this one not be given much more often than MAX_ODDS to one.
        """
        drawn = self.drawn_answers.setdefault(pattern, Counter())
        drawn[answer] += 1
        given = self.given_answers.setdefault(pattern, Counter())
        return len(drawn) > 1 and given[answer] < MAX_ODDS * (given.total() - given[answer]) + SLACK

    def add_answer(self, keys: Sequence[Hashable], answer: str) -> None:
        """Counts an answer as given."""
        for key in keys:
            self.given_answers.setdefault(key, Counter())[answer] += 1

    def _accepts(self, key: Hashable, answer: str) -> bool:
        drawn = self.drawn_answers.setdefault(key, Counter())
        drawn[answer] += 1
        given = self.given_answers.setdefault(key, Counter())
        common = [other for other, count in drawn.items() if count >= COMMON_SHARE * drawn.total()]
        return given[answer] < min((given[other] for other in common), default=0) + SLACK

    def option_weight(self, features: Sequence[Hashable], verdict: int, lean: float = 0.0) -> float:
        """Weight of drawing an option with these features that is correct (+1) or wrong (-1).

        `lean` is the excess of correct options, per option, that is aimed at.
        """
        excess = sum(
            _clipped(self.correct_excess.get(feature, 0) - lean * self.option_counts[feature]) for feature in features
        )
        return exp(-BALANCE_STRENGTH * verdict * excess)

    def add_option(self, features: Sequence[Hashable], verdict: int) -> None:
        """Counts an option that is correct (+1) or wrong (-1)."""
        self.option_counts.update(features)
        for feature in features:
            self.correct_excess[feature] = self.correct_excess.get(feature, 0) + verdict


def weighted_choice(draws: Draws, items: Sequence[T], weights: Sequence[float]) -> T:
    """One of the items, drawn in proportion to the weights."""
    remaining = draws.between(0.0, sum(weights))
    for item, weight in zip(items, weights, strict=True):
        remaining -= weight
        if remaining < 0.0:
            return item
    return items[-1]


def _clipped(excess: float) -> float:
    return max(-MAX_EXCESS, min(MAX_EXCESS, excess))


SHARES = {
    Type.YES_NO: 0.21,
    Type.NUMBER: 0.17,
    Type.COLOR: 0.21,
    Type.MATERIAL: 0.13,
    Type.SHAPE: 0.16,
    Type.DIRECTION: 0.04,
    Type.COLORS: 0.03,
    Type.MATERIALS: 0.02,
    Type.SHAPES: 0.03,
}
"""Share of each type of answer, as in the published answers of the test split."""
JITTER = 2.0
"""Questions by which chance shifts a type or a template in the order in which they are tried."""
TRIES = 10
"""Draws from one template."""
ATTRIBUTE_MARK = "…"
ATTRIBUTE_TOKENS = frozenset((*COLORS, *ALL_MATERIALS, *ALL_SHAPES, "filter_color", "filter_material", "filter_shape"))


def ask_factual(scene: DescribedScene, count: int, balance: AnswerBalance, draws: Draws) -> list[Question]:
    """Asks a number of factual questions that are not alike; fewer where no more can be found."""
    questions: list[Question] = []
    while len(questions) < count:
        question = _next_question(scene, questions, balance, draws)
        if question is None:
            break
        questions.append(question)
    return questions


def _next_question(
    scene: DescribedScene, questions: list[Question], balance: AnswerBalance, draws: Draws
) -> Question | None:
    used = {question.family for question in questions}
    kinds = sorted(SHARES, key=lambda kind: (balance.question_counts[kind] + draws.between(0.0, JITTER)) / SHARES[kind])
    for kind in kinds:
        unused = [template for template in FACTUAL if kind in template.answers and template.family not in used]
        for template in sorted(
            unused, key=lambda own: balance.question_counts[kind, own.family] + draws.between(0.0, JITTER)
        ):
            question = _ask(scene, template, kind, questions, balance, draws)
            if question:
                balance.question_counts[kind] += 1
                balance.question_counts[kind, template.family] += 1
                return question
    return None


def _ask(
    scene: DescribedScene,
    template: Template,
    kind: Type,
    questions: list[Question],
    balance: AnswerBalance,
    draws: Draws,
) -> Question | None:
    answers = answers_by_type(world_of_bodies(scene.symbolic.bodies))
    for _ in range(TRIES):
        values = template.fill(scene, draws, template.answers[kind])
        if values is None:
            continue
        program = template.phrase.program_of(values)
        if any(_alike(scene, program, other.program) for other in questions):
            continue
        answer = scene.interpreter.execute(program)
        words = tuple(values.get(name) for name in template.balanced)
        keys: list[Hashable] = [kind, (template.family, kind), (template.family, kind, words)]
        pattern = template.family, program_pattern(program)
        if answer not in answers[kind] or not scene.clear_answers.is_clear(program):
            continue
        accepted = balance.accepts(keys, answer)
        if kind in (Type.YES_NO, Type.NUMBER) and not balance.varies(pattern, answer):
            continue
        if accepted:
            balance.add_answer([*keys, pattern], answer)
            return replace(template.question(values, draws), answer=answer)
    return None


def program_pattern(program: Program) -> Program:
    """A program with one mark for the visible attributes of each body.

    >>> program_pattern(("objects", "red", "filter_color", "cube", "filter_shape", "unique", "query_material"))
    ('objects', '…', 'unique', 'query_material')
    """
    marked = [ATTRIBUTE_MARK if token in ATTRIBUTE_TOKENS else token for token in program]
    return tuple(token for token, _ in groupby(marked))


def _alike(scene: DescribedScene, one: Program, other: Program) -> bool:
    """Whether two programs use the same words, or ask for the same kind of thing about the same bodies or events."""
    if sorted(one[:-1]) == sorted(other[:-1]):
        return True
    if one[-1].split("_")[0] != other[-1].split("_")[0]:
        return False
    subjects = [scene.interpreter.subject(program) for program in (one, other)]
    return bool(subjects[0]) and subjects[0] == subjects[1]


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
