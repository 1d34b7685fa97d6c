"""The templates of multiple-choice questions and of their options."""

from tumble.comphy.questions import vocabulary
from tumble.comphy.questions.phrases import Phrase, Slot
from tumble.comphy.tasks.question import Kind

IF_WORDINGS = (
    "If the {a} were {change}, which event would {not} happen?",
    "If the {a} were {change}, what would {not} happen?",
    "Which event would {not} happen if the {a} were {change}?",
)
IF_PROGRAM = "all_events {a} counterfact_{change} filter_counterfact belong_to [{not}]"


def _if(change: Slot) -> Phrase:
    return Phrase(IF_WORDINGS, IF_PROGRAM, {"a": vocabulary.BODY, "change": change, "not": vocabulary.NOT})


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
    MASS_CHANGED: ("counterfactual", _if(vocabulary.HEAVIER)),
    CHARGE_CHANGED: ("counterfactual", _if(vocabulary.UNCHARGED)),
}
"""Kind and phrase of each question family."""
CHOICE_PROGRAM = "all_events {a} filter_collision {b} filter_collision unique"
CHOICE_SLOTS = {"a": vocabulary.BODY, "b": vocabulary.BODY}
CHOICES: dict[Kind, Phrase] = {
    "predictive": Phrase(
        ("The {a} collides with the {b}", "The {a} and the {b} collide"), CHOICE_PROGRAM, CHOICE_SLOTS
    ),
    "counterfactual": Phrase(
        ("The {a} would collide with the {b}", "The {a} and the {b} would collide"), CHOICE_PROGRAM, CHOICE_SLOTS
    ),
}
"""The wordings of an option, by the kind of its question."""
