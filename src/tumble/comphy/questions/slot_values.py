"""Templates of questions, and the values of their slots, drawn from a scene.

The values may make a question that has no answer, such as the second object to enter where there is only one. The
program then gives an error, and the values are drawn again.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from tumble.comphy.catalogue.task import Kind, Question
from tumble.comphy.catalogue.video_set import Change
from tumble.comphy.questions.described_scene import VISIBLE_ATTRIBUTES, DescribedScene, minimal_expressions
from tumble.comphy.questions.phrases import MOMENTS, MOTIONS, SIDES, WHENS, Description, FilledPhrase, Phrase
from tumble.comphy.questions.program import Type
from tumble.comphy.questions.symbolic_scene import ProgramEvent
from tumble.draws import Draws

SlotFiller = Callable[[DescribedScene, Draws, Mapping[str, Any]], dict[str, Any] | None]
"""Draws the values of all slots, where those of some are fixed; None where nothing can be asked."""


@dataclass(frozen=True)
class Template:
    """A family of questions: their wordings, their program, and how their slots are filled from a scene."""

    family: str
    kind: Kind
    phrase: Phrase
    fill: SlotFiller
    answers: Mapping[Type, Mapping[str, Any]] = field(default_factory=dict)
    """The types of answers that can be asked for, each with the slot values that it fixes."""
    balanced: tuple[str, ...] = ()
    """Slots whose words should not give the answer away."""

    def question(self, values: Mapping[str, Any], draws: Draws) -> Question:
        """The question with these slot values, without an answer."""
        return Question(0, self.kind, self.family, self.phrase.text(values, draws), self.phrase.program_of(values))


Fixed = Mapping[str, Any]
"""Slot values that are fixed."""
Values = dict[str, Any]
TIME_SHARE = 0.7
"""Probability that a question about motion names a time."""
SIDE_SHARE = 0.6
"""Probability that a question about events names an event that they come before or after."""
MOTION_SHARE = 0.4
"""Probability that a question about a hidden property also names the motion."""
WORD_COUNTS = (0, 1, 1, 2)
"""Numbers of words for visible attributes in the description of a set, all equally likely."""
FEWEST_WORD_COUNTS = (1, 1, 2)
"""The same where a hidden property alone would make the answer constant: one body is heavy, or two are charged."""
ORDERS = ("first", "second", "last")
HIDDEN = {"mass": ("light", "heavy"), "charge": ("charged", "uncharged")}


def with_probability(draws: Draws, probability: float) -> bool:
    """True with this probability."""
    return draws.between(0.0, 1.0) < probability


def shuffle(draws: Draws, items: Any) -> list[Any]:
    """The items in random order."""
    return [item for _, _, item in sorted((draws.between(0.0, 1.0), k, item) for k, item in enumerate(items))]


def body_group(hidden: str | None) -> SlotFiller:
    """A set of bodies by their motion and, if one is named, by a hidden property."""

    def fill(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
        if not _asks_about(scene, hidden):
            return None
        motion = draws.one_of(MOTIONS) if hidden is None or with_probability(draws, MOTION_SHARE) else None
        when = draw_time(scene, draws) if motion and with_probability(draws, TIME_SHARE) else None
        physical = draws.one_of(HIDDEN[hidden]) if hidden else None
        described = draw_description(scene, draws, WORD_COUNTS if motion else FEWEST_WORD_COUNTS)
        return {"physical": physical, "motion": motion, "x": described, "when": when}

    return fill


def single_body(hidden: str | None) -> SlotFiller:
    """A body that only its motion or a hidden property tells from others of the same description."""

    def fill(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
        if not _asks_about(scene, hidden):
            return None
        when = draw_time(scene, draws) if hidden is None and with_probability(draws, TIME_SHARE) else None
        bodies = scene.words_at(frame_of(scene, when))
        attributes = (*VISIBLE_ATTRIBUTES, "motion", *([hidden] if hidden else []))
        body = draws.one_of(range(len(bodies)))
        expressions = minimal_expressions(bodies, body, [name for name in attributes if name != fixed["h"]])
        expressions = [words for words in expressions if (hidden or "motion") in words]
        if not expressions:
            return None
        words = draws.one_of(expressions)
        description = Description(**{name: word for name, word in words.items() if name in VISIBLE_ATTRIBUTES})
        physical = words[hidden] if hidden else None
        return {"physical": physical, "motion": words.get("motion"), "x": description, "when": when, **fixed}

    return fill


def entering_or_leaving(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Bodies that enter or leave the scene, with an order, and perhaps an event before or after which they do."""
    kind = draws.one_of(("in", "out"))
    if max(Counter(event.bodies for event in scene.events if event.kind == kind).values(), default=0) > 1:
        return None
    side = draw_before_or_after(scene, draws) if with_probability(draws, SIDE_SHARE) else None
    order = draws.one_of(ORDERS)
    return {"passage": kind, "x": draw_description(scene, draws), "side": side, "order": order, **fixed}


def colliding_body(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """A body that collides, with no other body more than once."""
    body = draws.one_of(range(len(scene.words)))
    counts = Counter(event.bodies for event in scene.events if event.kind == "collision" and body in event.bodies)
    if not counts or max(counts.values()) > 1:
        return None
    side = draw_before_or_after(scene, draws) if with_probability(draws, SIDE_SHARE) else None
    order = draws.one_of(ORDERS)
    return {"a": scene.describe(body, draws), "side": side, "order": order, **fixed}


def any_pair(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Any two bodies, whether they collide or not, and perhaps an event before or after."""
    one, other = shuffle(draws, range(len(scene.words)))[:2]
    side = draw_before_or_after(scene, draws, {one, other}) if with_probability(draws, SIDE_SHARE) else None
    return {"a": scene.describe(one, draws), "b": scene.describe(other, draws), "side": side}


def any_body(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Any body, and perhaps a time."""
    body = draws.one_of(range(len(scene.words)))
    when = draw_time(scene, draws) if with_probability(draws, TIME_SHARE) else None
    return {"a": scene.describe(body, draws, motion=False), "when": when}


def compared_masses(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Two bodies that interact, preferably one of them heavy."""
    pairs = _interacting(scene, "mass", "heavy", 1) + _interacting(scene, "mass", "heavy", 0)
    return _two_bodies(scene, draws, pairs) if scene.asks_about_mass else None


def compared_charges(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Two bodies that interact, preferably one of them charged."""
    pairs = _interacting(scene, "charge", "charged", 1) + _interacting(scene, "charge", "charged", 0)
    return _two_bodies(scene, draws, pairs) if scene.asks_about_charge else None


def charged_bodies(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """Two charged bodies that interact. Of others the published interpreter says that they are oppositely charged."""
    return _two_bodies(scene, draws, _interacting(scene, "charge", "charged", 2))


def _interacting(scene: DescribedScene, hidden: str, word: str, least: int) -> list[tuple[int, int]]:
    """Interacting pairs of which at least a number of bodies have a property."""
    pairs = sorted(scene.symbolic.interacting_pairs)
    return [pair for pair in pairs if sum(scene.words[k][hidden] == word for k in pair) >= least]


def _two_bodies(scene: DescribedScene, draws: Draws, pairs: list[tuple[int, int]]) -> Values | None:
    if not pairs:
        return None
    one, other = shuffle(draws, draws.one_of(pairs))
    return {"a": scene.describe(one, draws), "b": scene.describe(other, draws)}


def charged_pair(scene: DescribedScene, draws: Draws, fixed: Fixed) -> Values | None:
    """The two charged bodies, with or without naming the relation of their charges."""
    charges = [body.charge for body in scene.symbolic.bodies if body.is_charged]
    if len(charges) != 2:
        return None
    relation = "same" if charges[0] == charges[1] else "opposite"
    return {"relation": draws.one_of(("charged", relation)), **fixed}


def alteration_values(scene: DescribedScene, draws: Draws, body: int, change: Change, negated: bool) -> Values:
    """The slots of a counterfactual question."""
    return {"a": scene.describe(body, draws, motion=False), "change": change, "not": "not" if negated else None}


def draw_description(scene: DescribedScene, draws: Draws, counts: Sequence[int] = WORD_COUNTS) -> Description:
    """Words for visible attributes of some body, which may match others too; their number is one of `counts`."""
    words = draws.one_of(scene.words)
    names = shuffle(draws, VISIBLE_ATTRIBUTES)[: draws.one_of(counts)]
    return Description(**{name: words[name] for name in names})


def draw_time(scene: DescribedScene, draws: Draws) -> FilledPhrase:
    """The start, the end, or the time of an event."""
    kind = draws.one_of(("start", "end", "event"))
    events = _unique_events(scene)
    if kind == "event" and events:
        return FilledPhrase(WHENS["moment"], {"moment": _event_clause(scene, draws, draws.one_of(events))})
    return FilledPhrase(WHENS["start" if kind == "start" else "end"], {})


def draw_before_or_after(scene: DescribedScene, draws: Draws, excluded: Set[int] = frozenset()) -> FilledPhrase | None:
    """Draws before or after an event, whose bodies must not be exactly the excluded ones."""
    events = [event for event in _unique_events(scene) if set(event.bodies) != excluded]
    if not events:
        return None
    side = SIDES[draws.one_of(("before", "after"))]
    return FilledPhrase(side, {"moment": _event_clause(scene, draws, draws.one_of(events))})


def frame_of(scene: DescribedScene, when: FilledPhrase | None) -> int | None:
    """The frame that a time clause refers to."""
    return None if when is None else int(scene.interpreter.execute(when.program))


def _unique_events(scene: DescribedScene) -> list[ProgramEvent]:
    """Events that happen only once."""
    counts = Counter(event.key for event in scene.events)
    return [event for event in scene.events if counts[event.key] == 1]


def _event_clause(scene: DescribedScene, draws: Draws, event: ProgramEvent) -> FilledPhrase:
    slots = zip("ab", shuffle(draws, event.bodies), strict=False)
    return FilledPhrase(MOMENTS[event.kind], {slot: scene.describe(body, draws, motion=False) for slot, body in slots})


def _asks_about(scene: DescribedScene, hidden: str | None) -> bool:
    return {None: True, "mass": scene.asks_about_mass, "charge": scene.asks_about_charge}[hidden]
