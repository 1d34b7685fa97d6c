"""The slots that templates share: names of bodies, words for what is asked, and clauses for times and events."""

from tumble.comphy.questions.descriptions import MOTIONS
from tumble.comphy.questions.phrases import Clause, Named, Phrase, Words, words
from tumble.comphy.questions.programs.program import NULL, ORDERS

BODY = Named()
KIND = Named(unique=False)
KINDS = Named(unique=False, plural=True)
ATTRIBUTE = words("color", "material", "shape")
ATTRIBUTES = Words({"color": ("colors",), "material": ("materials",), "shape": ("shapes",)})
MOTION = words(*MOTIONS, optional=True)
MASS = words("light", "heavy")
CHARGE = words("charged", "uncharged")
ORDER = words(*ORDERS)
ENTER = Words({"in": ("enter",), "out": ("exit", "leave")})
ENTERS = Words({"in": ("enters",), "out": ("exits", "leaves")})
NOT = words("not", optional=True)
HEAVIER = words("heavier", "lighter")
UNCHARGED = Words({"uncharged": ("uncharged",), "opposite": ("oppositely charged",)})
RELATION = Words(
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
"""Events that a question can name, by their kinds."""
MOMENT = Clause(tuple(MOMENTS.values()))

WHENS = {
    "moment": Phrase(("when {moment}",), "{moment} query_frame", {"moment": MOMENT}),
    "start": Phrase(("when the video begins", "at the beginning of the video"), "events filter_start query_frame"),
    "end": Phrase(("when the video ends", "at the end of the video"), "events filter_end query_frame"),
}
WHEN = Clause(tuple(WHENS.values()), optional=True, absent=(NULL,))
"""A frame, or none for the whole video."""

SIDES = {
    "before": Phrase(("before {moment}",), "{moment} filter_before", {"moment": MOMENT}),
    "after": Phrase(("after {moment}",), "{moment} filter_after", {"moment": MOMENT}),
}
SIDE = Clause(tuple(SIDES.values()), optional=True)
"""What narrows events down to those before or after another."""
