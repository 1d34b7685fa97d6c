"""The slots that templates share: descriptions of bodies, words, and clauses for times and events."""

from tumble.comphy.questions.descriptions import MOTIONS
from tumble.comphy.questions.phrases import BodySlot, ClauseSlot, Phrase, WordSlot, word_slot
from tumble.comphy.questions.programs.program import NULL, ORDERS

BODY = BodySlot()
ONE_BODY = BodySlot(unique=False)
"""One body too, but without the token "unique", which follows after `filter_mass`."""
KIND = BodySlot(unique=False, motion=False)
KINDS = BodySlot(unique=False, motion=False, plural=True)
ATTRIBUTE = word_slot("color", "material", "shape")
ATTRIBUTES = WordSlot({"color": ("colors",), "material": ("materials",), "shape": ("shapes",)})
MOTION = word_slot(*MOTIONS, optional=True)
MASS = word_slot("light", "heavy")
CHARGE = word_slot("charged", "uncharged")
ORDER = word_slot(*ORDERS)
ENTER = WordSlot({"in": ("enter",), "out": ("exit", "leave")})
ENTERS = WordSlot({"in": ("enters",), "out": ("exits", "leaves")})
NOT = word_slot("not", optional=True)
HEAVIER = word_slot("heavier", "lighter")
UNCHARGED = WordSlot({"uncharged": ("uncharged",), "opposite": ("oppositely charged",)})
RELATION = WordSlot(
    {"charged": ("charged",), "opposite": ("oppositely charged",), "same": ("charged with the same sign",)}
)

MOMENTS = {
    "start": Phrase(("the video begins", "the video starts"), "events filter_start"),
    "end": Phrase(("the video ends",), "events filter_end"),
    "in": Phrase(("the {a} enters the scene",), "events {a} filter_in unique", {"a": BODY}),
    "out": Phrase(("the {a} exits the scene", "the {a} leaves the scene"), "events {a} filter_out unique", {"a": BODY}),
    "collision": Phrase(
        ("the {a} collides with the {b}", "the {a} and the {b} collide"),
        "events {a} filter_collision {b} filter_collision unique",
        {"a": BODY, "b": BODY},
    ),
}
"""Clauses for events, by their kind."""
MOMENT = ClauseSlot(tuple(MOMENTS.values()))

WHENS = {
    "moment": Phrase(("when {moment}",), "{moment} query_frame", {"moment": MOMENT}),
    "start": Phrase(("when the video begins", "at the beginning of the video"), "events filter_start query_frame"),
    "end": Phrase(("when the video ends", "at the end of the video"), "events filter_end query_frame"),
}
WHEN = ClauseSlot(tuple(WHENS.values()), optional=True, empty_tokens=(NULL,))
"""A frame; where it is empty, the whole video."""

SIDES = {
    "before": Phrase(("before {moment}",), "{moment} filter_before", {"moment": MOMENT}),
    "after": Phrase(("after {moment}",), "{moment} filter_after", {"moment": MOMENT}),
}
SIDE = ClauseSlot(tuple(SIDES.values()), optional=True)
"""Restricts events to those before or after another one."""
