"""Accuracies of answers, by kind of question and by template, per option and per question; and of concepts.

Unanswered questions count as wrong, and so does the answer "error"; both are counted. An answer to a question that
does not exist is refused.

Concepts are looks, motion and events of bodies, mass and charge (the paper's table 7). A body that a model did not
find counts as wrong in everything. Charges are compared up to a common sign, which can't be observed: of the two
signs the better one counts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tumble.comphy.agents.agent import Explanation, concepts_of
from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.task import CORRECT, ERROR, KINDS, WRONG, Kind, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Pair
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.models.perceiver.perception import Perception, match_by_looks, match_by_place
from tumble.comphy.questions.program import Answer, Answers, SetAnswers, same_answer
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of, pairs_of
from tumble.errors import TumbleError


class ScoringError(TumbleError):
    """Answers that can't be scored."""


@dataclass(frozen=True)
class Mark:
    """The answers to one question, and whether they are correct."""

    index: int
    """Of the set."""
    question: int
    """Its id."""
    kind: Kind
    family: str
    answers: tuple[str | None, ...]
    """One for a factual question, else one for each option; None if it is missing."""
    correct: tuple[bool, ...]
    """For each answer."""

    @property
    def all_correct(self) -> bool:
        """Whether all options, or the answer, are correct."""
        return all(self.correct)

    @property
    def unanswered(self) -> bool:
        """Whether any answer is missing."""
        return None in self.answers

    @property
    def errors(self) -> int:
        """The number of answers "error"."""
        return self.answers.count(ERROR)

    @property
    def options(self) -> int:
        """The number of options; 0 for a factual question."""
        return 0 if self.kind == "factual" else len(self.correct)


@dataclass(frozen=True)
class Tally:
    """Counts over marks."""

    questions: int
    correct_questions: int
    parts: int
    """Options, and factual questions."""
    correct_parts: int
    unanswered: int
    """Questions with a missing answer."""
    errors: int
    """Options and factual questions that were answered with "error"."""
    options: Mapping[int, int]
    """The number of questions by number of options."""

    @property
    def per_question(self) -> float:
        """Percent of questions that are correct in all options."""
        return _percent(self.correct_questions, self.questions)

    @property
    def per_option(self) -> float:
        """Percent of options that are correct; for factual questions the same as per question."""
        return _percent(self.correct_parts, self.parts)

    @property
    def histogram(self) -> str:
        """The number of questions by number of options, as text: "2: 761, 3: 11"."""
        return ", ".join(f"{options}: {count:,}" for options, count in sorted(self.options.items()) if options)


def mark(questions: QuestionSet, answers: SetAnswers) -> list[Mark]:
    """Marks the answers to the questions about one set."""
    where = f"set {questions.index:05d}"
    ids = {question.id for question in questions.questions}
    unknown = next((number for number in answers if number not in ids), None)
    if unknown is not None:
        raise ScoringError(f"{where}: there is no question {unknown}; there are {_listed(ids)}")
    return [_mark(questions.index, question, answers.get(question.id), where) for question in questions.questions]


def mark_all(sets: Sequence[QuestionSet], answers: Answers) -> list[Mark]:
    """Marks the answers to the questions about several sets."""
    indices = {questions.index for questions in sets}
    unknown = next((index for index in answers if index not in indices), None)
    if unknown is not None:
        span = f"{min(indices):05d} to {max(indices):05d}" if indices else "none"
        raise ScoringError(f"set {unknown:05d}: there are no questions about it; the sets are {span}")
    return [one for questions in sets for one in mark(questions, answers.get(questions.index, {}))]


def missing_answers(sets: Sequence[QuestionSet], answers: Answers) -> list[str]:
    """Messages about sets, questions and options without an answer."""
    messages = []
    for questions in sets:
        if questions.index not in answers:
            messages.append(f"set {questions.index:05d}: not answered")
            continue
        for one in mark(questions, answers[questions.index]):
            where = f"set {one.index:05d}, question {one.question}"
            options = [str(k) for k, answer in enumerate(one.answers) if answer is None]
            if len(options) == len(one.answers):
                messages.append(f"{where}: not answered")
            elif options:
                messages.append(f"{where}: no answer to option {', '.join(options)}")
    return messages


def error_answers(marks: Iterable[Mark]) -> list[str]:
    """Messages about questions and options that were answered with "error"."""
    messages = []
    for one in marks:
        options = [str(k) for k, answer in enumerate(one.answers) if answer == ERROR]
        where = f"set {one.index:05d}, question {one.question}"
        if options:
            named = f", option {', '.join(options)}" if one.options else ""
            messages.append(f"{where}{named}: answered {ERROR!r}")
    return messages


def tally(marks: Iterable[Mark]) -> Tally:
    """Counts marks."""
    counted = list(marks)
    return Tally(
        questions=len(counted),
        correct_questions=sum(one.all_correct for one in counted),
        parts=sum(len(one.correct) for one in counted),
        correct_parts=sum(sum(one.correct) for one in counted),
        unanswered=sum(one.unanswered for one in counted),
        errors=sum(one.errors for one in counted),
        options=Counter(one.options for one in counted),
    )


def by_kind(marks: Sequence[Mark]) -> dict[Kind, Tally]:
    """The tally of each kind of question, without kinds that have no questions."""
    tallies = {kind: tally(one for one in marks if one.kind == kind) for kind in KINDS}
    return {kind: of_kind for kind, of_kind in tallies.items() if of_kind.questions}


def by_family(marks: Sequence[Mark]) -> dict[tuple[Kind, str], Tally]:
    """The tally of each template, by kind and name of the template."""
    groups: dict[tuple[Kind, str], list[Mark]] = {}
    for one in marks:
        groups.setdefault((one.kind, one.family), []).append(one)
    return {key: tally(groups[key]) for key in sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1]))}


def _mark(index: int, question: Question, given: Answer | None, where: str) -> Mark:
    here = f"{where}, question {question.id}"
    check = _check_options if question.choices else _check_factual
    answers, correct = check(question, given, here)
    return Mark(index, question.id, question.kind, question.family, answers, correct)


def _check_factual(
    question: Question, given: Answer | None, here: str
) -> tuple[tuple[str | None, ...], tuple[bool, ...]]:
    if question.answer is None:
        raise ScoringError(f"{here}: its answer is withheld, so it can't be scored")
    if given is not None and not isinstance(given, str):
        raise ScoringError(f"{here} is factual and has no options; its answer must be text")
    return (given,), (given is not None and same_answer(given, question.answer),)


def _check_options(
    question: Question, given: Answer | None, here: str
) -> tuple[tuple[str | None, ...], tuple[bool, ...]]:
    if given == ERROR:
        given = dict.fromkeys((choice.id for choice in question.choices), ERROR)
    if isinstance(given, str):
        raise ScoringError(f"{here} has options; the answer to each must be {CORRECT!r} or {WRONG!r}, not {given!r}")
    by_option = given or {}
    ids = {choice.id for choice in question.choices}
    for number, answer in by_option.items():
        if number not in ids:
            raise ScoringError(f"{here}: there is no option {number}; there are {_listed(ids)}")
        if answer not in (CORRECT, WRONG, ERROR):
            raise ScoringError(f"{here}, option {number}: the answer must be {CORRECT!r} or {WRONG!r}, not {answer!r}")
    withheld = next((choice.id for choice in question.choices if choice.answer is None), None)
    if withheld is not None:
        raise ScoringError(f"{here}, option {withheld}: its answer is withheld, so it can't be scored")
    answers = tuple(by_option.get(choice.id) for choice in question.choices)
    return answers, tuple(answer == choice.answer for answer, choice in zip(answers, question.choices, strict=True))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")


LOOKS = ("color", "shape", "material")
EVENTS = ("moving", "stationary", "in", "out", "collision")
PROPERTIES = ("mass", "charge")
CONCEPTS = (*LOOKS, *EVENTS, *PROPERTIES)
"""As in the paper's table 7."""


class Count(NamedTuple):
    """How often a concept was judged, and correctly: where it holds (a body is heavy), and in all."""

    correct: int = 0
    total: int = 0
    correct_positive: int = 0
    positive: int = 0

    def plus(self, other: "Count") -> "Count":
        """The sum of two counts."""
        return Count(*map(sum, zip(self, other, strict=True)))

    @property
    def accuracy(self) -> float:
        """Percent of all judgements; NaN if there are none."""
        return 100.0 * self.correct / self.total if self.total else float("nan")

    @property
    def balanced(self) -> float:
        """Mean of the percentages where the concept holds and where it does not, so that "no" to all is 50."""
        negative = self.total - self.positive
        if not self.positive or not negative:
            return float("nan")
        return 50.0 * (self.correct_positive / self.positive + (self.correct - self.correct_positive) / negative)


@dataclass(frozen=True)
class ConceptCounts:
    """Counts by concept; as text in run logs: "mass 3/4 0/1" are 3 of 4 bodies, and none of the one heavy body."""

    counts: Mapping[str, Count] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{name} {one[0]}/{one[1]} {one[2]}/{one[3]}" for name, one in self.counts.items())

    @property
    def family(self) -> str:
        """The family of a set with these counts: which hidden properties it has; empty if that is not known."""
        has = [self.counts.get(name, Count()).positive > 0 for name in PROPERTIES]
        return "both" if all(has) else "mass" if has[0] else "charge" if has[1] else ""

    @classmethod
    def of_text(cls, text: str) -> "ConceptCounts":
        """Counts from their text.

        >>> ConceptCounts.of_text("mass 3/4 0/1").counts["mass"].accuracy
        75.0
        """
        found = re.findall(r"(\w+) (\d+)/(\d+) (\d+)/(\d+)", text)
        return cls({name: Count(*map(int, numbers)) for name, *numbers in found})


def total_counts(parts: Iterable[ConceptCounts]) -> dict[str, Count]:
    """The sums over sets, in the order of CONCEPTS."""
    sums: dict[str, Count] = {}
    for part in parts:
        for name, count in part.counts.items():
            sums[name] = sums.get(name, Count()).plus(count)
    return {name: sums[name] for name in CONCEPTS if name in sums}


@dataclass(frozen=True, eq=False)
class TrueTarget:
    """The bodies of a target with their hidden properties, and their motion."""

    bodies: tuple[Body, ...]
    motion: Motion


def count_concepts(explanation: Explanation, truth: TrueTarget) -> ConceptCounts:
    """How often a model is right about the bodies and events of a set; empty if it has no notion of bodies."""
    if explanation.bodies is None:
        return ConceptCounts()
    matched = _matched(explanation.bodies, truth, explanation.perception)
    found = [None if body is None else explanation.bodies[body] for body in matched]
    pairs = list(zip(truth.bodies, found, strict=True))
    counts = {}
    for name in LOOKS:
        same = [one is not None and getattr(one, name) == getattr(true, name) for true, one in pairs]
        counts[name] = Count(sum(same), len(same))
    counts |= _event_counts(explanation, matched, truth)
    counts["mass"] = _binary((true.is_heavy, None if one is None else one.is_heavy) for true, one in pairs)
    counts["charge"] = _charges(pairs)
    return ConceptCounts(counts)


def correct_properties(found: tuple[Body, ...], truth: TrueTarget, perception: Perception | None = None) -> str:
    """The hidden properties that are right for all bodies of a set: masses, charges, both or neither."""
    matched = _matched(found, truth, perception)
    if None in matched:
        return "neither"
    extra = [body for k, body in enumerate(found) if k not in matched]
    pairs: list[tuple[Body, Body | None]] = [
        (true, found[k]) for true, k in zip(truth.bodies, matched, strict=True) if k is not None
    ]
    masses = all(one is not None and true.mass == one.mass for true, one in pairs)
    masses = masses and not any(body.is_heavy for body in extra)
    count = _charges(pairs)
    charges = count.correct == count.total and not any(body.is_charged for body in extra)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"


def _matched(found: tuple[Body, ...], truth: TrueTarget, perception: Perception | None) -> tuple[int | None, ...]:
    return match_by_looks(found, truth.bodies) if perception is None else match_by_place(perception, truth.motion)


def _event_counts(explanation: Explanation, matched: tuple[int | None, ...], truth: TrueTarget) -> dict[str, Count]:
    """Counts for bodies that are seen in the target, and for pairs of them for collisions."""
    believed = explanation.visible_concepts()
    if believed is None:
        return {}
    shown = events_of(truth.bodies, truth.motion, 0, SHOWN_FRAMES)
    true = concepts_of(SymbolicScene(truth.bodies, truth.motion, shown, (), {}))
    seen = [k for k in range(len(truth.bodies)) if truth.motion.in_view[:SHOWN_FRAMES, k].any()]
    members = {"moving": "moving", "stationary": "stationary", "in": "enters", "out": "leaves"}
    counts = {}
    for name, member in members.items():
        holds, thought = getattr(true, member), getattr(believed, member)
        counts[name] = _binary((bool(holds[k]), _at(thought, matched[k])) for k in seen)
    seen_pairs = [(first, second) for first, second in pairs_of(len(truth.bodies)) if first in seen and second in seen]
    counts["collision"] = _binary(
        (pair in true.collisions, _collide(believed.collisions, matched[pair[0]], matched[pair[1]]))
        for pair in seen_pairs
    )
    return counts


def _collide(collisions: Collection[Pair], one: int | None, other: int | None) -> bool | None:
    if one is None or other is None:
        return None
    return (min(one, other), max(one, other)) in collisions


def _at(values: Iterable[bool], body: int | None) -> bool | None:
    return None if body is None else bool(list(values)[body])


def _binary(judgements: Iterable[tuple[bool, bool | None]]) -> Count:
    """Counts pairs of truth and judgement; None is a body that was not found."""
    all_judgements = list(judgements)
    correct = [true == judged for true, judged in all_judgements]
    positive = [true for true, _ in all_judgements]
    both = sum(one and other for one, other in zip(correct, positive, strict=True))
    return Count(sum(correct), len(correct), both, sum(positive))


def _charges(pairs: Iterable[tuple[Body, Body | None]]) -> Count:
    """Bodies whose charge is right, up to a common sign."""
    known = list(pairs)
    counts = []
    for sign in (1, -1):
        correct = [one is not None and sign * one.charge == true.charge for true, one in known]
        charged = [true.is_charged for true, _ in known]
        both = sum(one and other for one, other in zip(correct, charged, strict=True))
        counts.append(Count(sum(correct), len(correct), both, sum(charged)))
    return max(counts)
