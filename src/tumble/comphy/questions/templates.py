"""The templates: factual questions, multiple-choice questions, and their options.

Factual ones are those of table 2 of the paper, and those on events that it takes from CLEVRER.
"""

from tumble.comphy.catalogue.task import Kind
from tumble.comphy.questions import slot_values
from tumble.comphy.questions.phrases import (
    ATTRIBUTE,
    ATTRIBUTES,
    BODY,
    CHARGE,
    ENTER,
    ENTERS,
    HEAVIER,
    KIND,
    KINDS,
    MASS,
    MOTION,
    NOT,
    ONE_BODY,
    ORDER,
    RELATION,
    SIDE,
    UNCHARGED,
    WHEN,
    Phrase,
    Slot,
)
from tumble.comphy.questions.program import Type
from tumble.comphy.questions.slot_values import SlotFiller, Template

WORD = {
    Type.COLOR: {"h": "color"},
    Type.MATERIAL: {"h": "material"},
    Type.SHAPE: {"h": "shape"},
}
YES_NO: dict[Type, dict[str, str]] = {Type.YES_NO: {}}
NUMBER: dict[Type, dict[str, str]] = {Type.NUMBER: {}}
SET = "objects {x} [{when} filter_{motion}] [filter_{physical}]"


def _about_objects(name: str, hidden: str | None, physical: Slot | None) -> list[Template]:
    """Exist, count and query templates on bodies, by motion and perhaps a hidden property."""
    shared = {"motion": MOTION, "when": WHEN} | ({"physical": physical} if physical else {})
    program = SET if physical else SET.replace(" [filter_{physical}]", "")
    attributive = "{physical} {motion}" if physical else "{motion}"
    predicate = "{physical}" if physical else "{motion}"
    subject = "{motion} {x}" if physical else "{x}"
    balanced = ("physical", "motion")
    exist = Phrase(
        (f"Are there any {attributive} {{x}} {{when}}?", f"Are any {subject} {predicate} {{when}}?"),
        f"{program} exist",
        {"x": KINDS, **shared},
    )
    count = Phrase(
        (
            f"How many {attributive} {{x}} are there {{when}}?",
            f"What is the number of {attributive} {{x}} {{when}}?",
            f"How many {subject} are {predicate} {{when}}?",
        ),
        f"{program} count",
        {"x": KINDS, **shared},
    )
    query = Phrase(
        (
            f"What is the {{h}} of the {subject} that is {predicate} {{when}}?",
            f"What is the {{h}} of the {attributive} {{x}} {{when}}?",
            f"What {{h}} is the {attributive} {{x}} {{when}}?",
        ),
        f"{program} unique query_{{h}}",
        {"x": KIND, "h": ATTRIBUTE, **shared},
    )
    return [
        Template(f"{name}_exist", "factual", exist, slot_values.body_group(hidden), YES_NO, balanced),
        Template(f"{name}_count", "factual", count, slot_values.body_group(hidden), NUMBER, balanced),
        Template(f"{name}_query", "factual", query, slot_values.single_body(hidden), WORD),
    ]


def _about_masses(family: str, wordings: tuple[str, ...], operator: str) -> Template:
    program = f"objects {{a}} filter_mass unique objects {{b}} filter_mass unique {operator}"
    phrase = Phrase(wordings, program, {"a": ONE_BODY, "b": ONE_BODY})
    return Template(family, "factual", phrase, slot_values.compared_masses, YES_NO)


def _about_charges(family: str, wordings: tuple[str, ...], program: str, fill: SlotFiller) -> Template:
    phrase = Phrase(wordings, program, {"a": BODY, "b": BODY})
    return Template(family, "factual", phrase, fill, YES_NO)


def _about_events(
    family: str, wordings: tuple[str, ...], program: str, fill: SlotFiller, answers: dict[Type, dict[str, str]]
) -> Template:
    slots: dict[str, Slot] = {
        "a": BODY,
        "b": BODY,
        "x": KINDS,
        "h": ATTRIBUTE,
        "order": ORDER,
        "passage": ENTERS if answers is WORD else ENTER,
        "side": SIDE,
        "when": WHEN,
    }
    return Template(family, "factual", Phrase(wordings, program, slots), fill, answers, ("passage", "order"))


FACTUAL = (
    *_about_objects("object_mass", "mass", MASS),
    *_about_objects("object_charge", "charge", CHARGE),
    *_about_objects("object_motion", None, None),
    _about_masses(
        "mass_heavier", ("Is the {a} heavier than the {b}?", "Does the {a} weigh more than the {b}?"), "is_heavier"
    ),
    _about_masses(
        "mass_lighter", ("Is the {a} lighter than the {b}?", "Does the {a} weigh less than the {b}?"), "is_lighter"
    ),
    _about_charges(
        "charge_opposite",
        ("Are the {a} and the {b} oppositely charged?", "Do the {a} and the {b} have opposite charges?"),
        "{a} {b} equal_charge not",
        slot_values.charged_bodies,
    ),
    _about_charges(
        "charge_same",
        (
            "Are the {a} and the {b} with the same type of charge?",
            "Do the {a} and the {b} have the same type of charge?",
        ),
        "{a} {b} equal_charge",
        slot_values.compared_charges,
    ),
    Template(
        "charge_pair_query",
        "factual",
        Phrase(
            (
                "What are the {h} of the two objects that are {relation}?",
                "Which {h} do the two objects that are {relation} have?",
            ),
            "objects filter_{relation} unique query_both_{h}",
            {"h": ATTRIBUTES, "relation": RELATION},
        ),
        slot_values.charged_pair,
        {Type.COLORS: {"h": "color"}, Type.MATERIALS: {"h": "material"}, Type.SHAPES: {"h": "shape"}},
    ),
    _about_events(
        "direction_query",
        (
            "What is the direction of the {a} {when}?",
            "In which direction does the {a} move {when}?",
            "Which way does the {a} move {when}?",
        ),
        "{a} {when} query_direction",
        slot_values.any_body,
        {Type.DIRECTION: {}},
    ),
    _about_events(
        "passage_exist",
        ("Are there any {x} that {passage} the scene {side}?", "Do any {x} {passage} the scene {side}?"),
        "events objects {x} filter_{passage} {side} exist",
        slot_values.entering_or_leaving,
        YES_NO,
    ),
    _about_events(
        "passage_count",
        ("How many {x} {passage} the scene {side}?", "What is the number of {x} that {passage} the scene {side}?"),
        "events objects {x} filter_{passage} {side} count",
        slot_values.entering_or_leaving,
        NUMBER,
    ),
    _about_events(
        "passage_query",
        ("What is the {h} of the object that {passage} the scene {side}?",),
        "events objects filter_{passage} {side} unique query_object query_{h}",
        slot_values.entering_or_leaving,
        WORD,
    ),
    _about_events(
        "passage_order_query",
        (
            "What is the {h} of the {order} object that {passage} the scene {side}?",
            "What is the {h} of the object that {passage} the scene {order} {side}?",
        ),
        "events objects filter_{passage} {side} {order} filter_order query_object query_{h}",
        slot_values.entering_or_leaving,
        WORD,
    ),
    _about_events(
        "collision_exist",
        (
            "Does the {a} collide with the {b} {side}?",
            "Do the {a} and the {b} collide {side}?",
            "Is there a collision between the {a} and the {b} {side}?",
        ),
        "events {a} filter_collision {b} filter_collision {side} exist",
        slot_values.any_pair,
        YES_NO,
    ),
    _about_events(
        "collision_count",
        ("How many collisions happen {side}?", "How many collisions are there {side}?"),
        "events objects filter_collision {side} count",
        slot_values.any_pair,
        NUMBER,
    ),
    _about_events(
        "own_collision_count",
        ("How many times does the {a} collide {side}?", "How many collisions does the {a} have {side}?"),
        "events {a} filter_collision {side} count",
        slot_values.any_pair,
        NUMBER,
    ),
    _about_events(
        "partner_query",
        (
            "What is the {h} of the object that collides with the {a} {side}?",
            "What is the {h} of the object that the {a} collides with {side}?",
        ),
        "events {a} filter_collision {side} unique {a} query_collision_partner query_{h}",
        slot_values.colliding_body,
        WORD,
    ),
    _about_events(
        "partner_order_query",
        (
            "What is the {h} of the {order} object that collides with the {a} {side}?",
            "What is the {h} of the {order} object that the {a} collides with {side}?",
        ),
        "events {a} filter_collision {side} {order} filter_order {a} query_collision_partner query_{h}",
        slot_values.colliding_body,
        WORD,
    ),
)


IF_WORDINGS = (
    "If the {a} were {change}, which event would {not} happen?",
    "If the {a} were {change}, what would {not} happen?",
    "Which event would {not} happen if the {a} were {change}?",
)
IF_PROGRAM = "all_events {a} counterfact_{change} filter_counterfact belong_to [{not}]"


def _if(change: Slot) -> Phrase:
    return Phrase(IF_WORDINGS, IF_PROGRAM, {"a": BODY, "change": change, "not": NOT})


PREDICTIVE = "predictive"
MASS_CHANGED, CHARGE_CHANGED = "counterfactual_mass", "counterfactual_charge"
QUESTIONS: dict[str, tuple[Kind, Phrase]] = {
    PREDICTIVE: (
        "predictive",
        Phrase(
            ("What will happen next?", "Which event will happen next?", "Which of the following will happen next?"),
            "unseen_events belong_to",
        ),
    ),
    MASS_CHANGED: ("counterfactual", _if(HEAVIER)),
    CHARGE_CHANGED: ("counterfactual", _if(UNCHARGED)),
}
"""Kind and phrase of each question family."""
CHOICE_PROGRAM = "all_events {a} filter_collision {b} filter_collision unique"
CHOICE_SLOTS = {"a": BODY, "b": BODY}
CHOICES: dict[Kind, Phrase] = {
    "predictive": Phrase(
        ("The {a} collides with the {b}", "The {a} and the {b} collide"), CHOICE_PROGRAM, CHOICE_SLOTS
    ),
    "counterfactual": Phrase(
        ("The {a} would collide with the {b}", "The {a} and the {b} would collide"), CHOICE_PROGRAM, CHOICE_SLOTS
    ),
}
"""The wordings of an option, by the kind of its question."""
