"""How often a model is right about concepts: looks, motion and events of bodies, mass and charge (the paper's table 7).

A body that a model did not find counts as wrong in everything. Charges are compared up to a common sign, which can't be
observed: of the two signs the better one counts.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tumble.comphy.agents.explanation import Explanation, concepts_of
from tumble.comphy.models.perceiver.matching import match_by_looks, match_by_place
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of, pairs_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Pair

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
