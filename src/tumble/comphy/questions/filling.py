"""Draws what a question is about: fills the slots of templates from a scene.

A filling may give what can't be answered, such as the second object to enter where there is but one; such questions
are found when their programs are run, and drawn again.
"""

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

from tumble.comphy.questions.descriptions import MOTIONS, Description
from tumble.comphy.questions.language import MOMENTS, SIDES, WHENS
from tumble.comphy.questions.phrases import Said
from tumble.comphy.questions.programs.facts import Happening
from tumble.comphy.questions.referring import minimal
from tumble.comphy.questions.scene import STATIC, Scene
from tumble.comphy.questions.template import Filling
from tumble.comphy.tasks.video_set import Change
from tumble.draws import Draws

Given = Mapping[str, Any]
Values = dict[str, Any]
TIMED_SHARE = 0.7
"""How often a question about motion names a time."""
SIDED_SHARE = 0.6
"""How often a question about events names one that they come before or after."""
WORD_COUNTS = (0, 1, 1, 2)
"""How many words for what can be seen narrow a set down."""
HIDDEN = {"mass": ("light", "heavy"), "charge": ("charged", "uncharged")}


def chance(draws: Draws, share: float) -> bool:
    """True in that share of all cases."""
    return draws.between(0.0, 1.0) < share


def shuffled(draws: Draws, items: Any) -> list[Any]:
    """The items in a drawn order."""
    return [item for _, _, item in sorted((draws.between(0.0, 1.0), k, item) for k, item in enumerate(items))]


def group(hidden: str | None) -> Filling:
    """A set of bodies by their motion and, if one is named, by a hidden property."""

    def fill(scene: Scene, draws: Draws, given: Given) -> Values | None:
        if not _askable(scene, hidden):
            return None
        motion = draws.one_of(MOTIONS) if hidden is None or chance(draws, 0.4) else None
        when = drawn_when(scene, draws) if motion and chance(draws, TIMED_SHARE) else None
        physical = draws.one_of(HIDDEN[hidden]) if hidden else None
        return {"physical": physical, "motion": motion, "x": drawn_kind(scene, draws), "when": when}

    return fill


def alone(hidden: str | None) -> Filling:
    """A body that is the only one of its kind, thanks to its motion or to a hidden property."""

    def fill(scene: Scene, draws: Draws, given: Given) -> Values | None:
        if not _askable(scene, hidden):
            return None
        when = drawn_when(scene, draws) if hidden is None and chance(draws, TIMED_SHARE) else None
        looks = scene.looks_at(frame_of(scene, when))
        about = [name for name in (*STATIC, "motion", *([hidden] if hidden else [])) if name != given["h"]]
        body = draws.one_of(range(len(looks)))
        found = [words for words in minimal(looks, body, about) if (hidden or "motion") in words]
        if not found:
            return None
        words = draws.one_of(found)
        seen = {name: word for name, word in words.items() if name in STATIC}
        physical = words[hidden] if hidden else None
        return {"physical": physical, "motion": words.get("motion"), "x": Description(**seen), "when": when, **given}

    return fill


def passing(scene: Scene, draws: Draws, given: Given) -> Values | None:
    """Bodies that come or go, with an order and perhaps a moment before or after which they do."""
    kind = draws.one_of(("in", "out"))
    if max(Counter(event.bodies for event in scene.events if event.kind == kind).values(), default=0) > 1:
        return None
    side = drawn_side(scene, draws) if chance(draws, SIDED_SHARE) else None
    order = draws.one_of(("first", "second", "last"))
    return {"passage": kind, "x": drawn_kind(scene, draws), "side": side, "order": order, **given}


def meeting(scene: Scene, draws: Draws, given: Given) -> Values | None:
    """A body that collides, each time with another one."""
    body = draws.one_of(range(len(scene.looks)))
    met = Counter(event.bodies for event in scene.events if event.kind == "collision" and body in event.bodies)
    if not met or max(met.values()) > 1:
        return None
    side = drawn_side(scene, draws) if chance(draws, SIDED_SHARE) else None
    order = draws.one_of(("first", "second", "last"))
    return {"a": scene.name(body, draws), "side": side, "order": order, **given}


def colliding(scene: Scene, draws: Draws, given: Given) -> Values | None:
    """Any one or two bodies, which may or may not collide."""
    one, other = shuffled(draws, range(len(scene.looks)))[:2]
    side = drawn_side(scene, draws, other_than={one, other}) if chance(draws, SIDED_SHARE) else None
    return {"a": scene.name(one, draws), "b": scene.name(other, draws), "side": side}


def going(scene: Scene, draws: Draws, given: Given) -> Values | None:
    """A body, and perhaps a time."""
    body = draws.one_of(range(len(scene.looks)))
    when = drawn_when(scene, draws) if chance(draws, TIMED_SHARE) else None
    return {"a": scene.name(body, draws, motion=False), "when": when}


def compared(hidden: str) -> Filling:
    """Two bodies that have met, one of them heavy or charged."""

    def fill(scene: Scene, draws: Draws, given: Given) -> Values | None:
        marked = {"mass": "heavy", "charge": "charged"}[hidden]
        pairs = sorted(
            pair for pair in scene.story.interacted if any(scene.looks[k][hidden] == marked for k in pair)
        ) + sorted(scene.story.interacted)
        if not pairs or not _askable(scene, hidden):
            return None
        one, other = shuffled(draws, draws.one_of(pairs))
        return {"a": scene.name(one, draws), "b": scene.name(other, draws)}

    return fill


def charged_pair(scene: Scene, draws: Draws, given: Given) -> Values | None:
    """The two charged bodies, with or without saying how their charges are related."""
    charges = [body.charge for body in scene.story.bodies if body.is_charged]
    if len(charges) != 2:
        return None
    related = "same" if charges[0] == charges[1] else "opposite"
    return {"relation": draws.one_of(("charged", related)), **given}


def altered(scene: Scene, draws: Draws, body: int, change: Change, negated: bool) -> Values:
    """A body that is different."""
    return {"a": scene.name(body, draws, motion=False), "change": change, "not": "not" if negated else None}


def drawn_kind(scene: Scene, draws: Draws) -> Description:
    """Words for what can be seen of some body, and perhaps of others."""
    looks = draws.one_of(scene.looks)
    names = shuffled(draws, STATIC)[: draws.one_of(WORD_COUNTS)]
    return Description(**{name: looks[name] for name in names})


def drawn_when(scene: Scene, draws: Draws) -> Said:
    """The start, the end, or when something happens."""
    kind = draws.one_of(("start", "end", "event"))
    events = _single_events(scene)
    if kind == "event" and events:
        return Said(WHENS["moment"], {"moment": _said(scene, draws, draws.one_of(events))})
    return Said(WHENS["start" if kind == "start" else "end"], {})


def drawn_side(scene: Scene, draws: Draws, other_than: Set[int] = frozenset()) -> Said | None:
    """Before or after something that happens, but not to just these bodies."""
    events = [event for event in _single_events(scene) if set(event.bodies) != other_than]
    if not events:
        return None
    return Said(SIDES[draws.one_of(("before", "after"))], {"moment": _said(scene, draws, draws.one_of(events))})


def frame_of(scene: Scene, when: Said | None) -> int | None:
    """The frame that is meant."""
    return None if when is None else int(scene.executor.execute(when.program))


def _single_events(scene: Scene) -> list[Happening]:
    """Events that happen but once."""
    counts = Counter(event.what for event in scene.events)
    return [event for event in scene.events if counts[event.what] == 1]


def _said(scene: Scene, draws: Draws, event: Happening) -> Said:
    names = zip("ab", shuffled(draws, event.bodies), strict=False)
    return Said(MOMENTS[event.kind], {slot: scene.name(body, draws, motion=False) for slot, body in names})


def _askable(scene: Scene, hidden: str | None) -> bool:
    return {None: True, "mass": scene.asks_masses, "charge": scene.asks_charges}[hidden]
