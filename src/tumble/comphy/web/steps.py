"""The steps of a question's program in words, with what each of them selects."""

from typing import Any

from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.operators import BodyPair
from tumble.comphy.questions.programs.program import LITERALS, NULL, Type, argument_count, result_types
from tumble.comphy.report.set_page import EVENT_VERBS
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND
from tumble.comphy.tasks.question import ERROR, Program
from tumble.output import plural

WORDS = {
    "objects": "all bodies",
    "events": "all events of the video",
    "unseen_events": "what happens after the video",
    "all_events": "every pair might collide",
    "unique": "the only one",
    "exist": "is there any?",
    "count": "how many?",
    "not": "the opposite",
    "negate": "the opposite",
    "belong_to": "is it among these?",
    "filter_start": "the beginning",
    "filter_end": "the end",
    "filter_order": "the {} one",
    "filter_before": "those before it",
    "filter_after": "those after it",
    "filter_ancestor": "those that led to it",
    "filter_color": "those that are {}",
    "filter_material": "those of {}",
    "filter_shape": "those that are a {}",
    "filter_light": "those that are light",
    "filter_heavy": "those that are heavy",
    "filter_charged": "those that are charged",
    "filter_uncharged": "those that are uncharged",
    "filter_opposite": "those with opposite charges",
    "filter_same": "those with the same charge",
    "filter_moving": "those that move",
    "filter_stationary": "those that do not move",
    "filter_resting": "those that do not move",
    "filter_in": "when they come in",
    "filter_out": "when they go out",
    "filter_collision": "collisions of it",
    "filter_mass": "the mass",
    "filter_counterfact": "what happens if it is {}",
    "counterfact_events": "what happens if it is {}",
    "query_frame": "when that is",
    "query_object": "the body of it",
    "query_collision_partner": "the other body",
    "query_direction": "the direction",
    "query_color": "its colour",
    "query_material": "its material",
    "query_shape": "its shape",
    "query_both_color": "their colours",
    "query_both_material": "their materials",
    "query_both_shape": "their shapes",
    "is_heavier": "is the first heavier?",
    "is_lighter": "is the first lighter?",
    "equal_charge": "have both the same charge?",
}
"""What operators do, for people; {} is the word that they take."""
CHANGES = {
    "counterfact_heavier": "heavier",
    "counterfact_lighter": "lighter",
    "counterfact_uncharged": "uncharged",
    "counterfact_opposite": "oppositely charged",
}


def steps_of(interpreter: Interpreter, program: Program) -> list[dict[str, Any]]:
    """The steps that compute something: operator, words, depth on the stack, and items with bodies and frames.

    Words that an operator takes stand with it and are no steps of their own. Of all bodies or all events there is only
    the number, since they would tell the answers to other questions.
    """
    steps: list[dict[str, Any]] = []
    words: list[str] = []
    depth = 0
    for token, value, kind in zip(program, interpreter.values(program), result_types(program), strict=True):
        if token in LITERALS:
            words.append(token)
            continue
        depth += 1 - (argument_count(token) - len(words))
        told = [CHANGES.get(word, word) for word in words if word != NULL]
        operator = " ".join([token, *words])
        items = _items(interpreter, value, kind) if argument_count(token) else [_number(value, kind)]
        text = "both" if isinstance(value, BodyPair) else _words(token, told)
        steps.append({"operator": operator, "words": text, "depth": depth, "items": items})
        words = []
    return steps


def _words(token: str, told: list[str]) -> str:
    text = WORDS.get(token, token.replace("_", " "))
    return text.format(*told) if told else text


def _number(value: Any, kind: Type) -> dict[str, Any]:
    return {"text": f"{len(value)} bodies" if kind == Type.OBJECTS else plural(len(value), "event")}


def _items(interpreter: Interpreter, value: Any, kind: Type) -> list[dict[str, Any]]:
    if isinstance(value, str):
        return [{"text": "no answer" if value == ERROR else value}]
    if kind in (Type.OBJECT, Type.OBJECTS):
        bodies = (value,) if isinstance(value, int) else value
        return [{"text": str(interpreter.scene.bodies[k]), "bodies": [k]} for k in bodies]
    if kind in (Type.EVENT, Type.EVENTS):
        events = (value,) if isinstance(value, ProgramEvent) else value
        return [event_data(interpreter, event) for event in events]
    if kind == Type.FRAME:
        return [{"text": seconds(value), "frame": value}]
    if isinstance(value, tuple):
        return [{"text": str(one)} for one in value]
    return [{"text": ("yes" if value else "no") if isinstance(value, bool) else str(value)}]


def event_data(interpreter: Interpreter, event: ProgramEvent) -> dict[str, Any]:
    """An event in words, with its bodies and its frame; a possible one has no frame."""
    names = " and ".join(str(interpreter.scene.bodies[k]) for k in event.bodies)
    text = f"{names} {EVENT_VERBS[event.kind]}" if event.bodies else f"the {event.kind}"
    data: dict[str, Any] = {"text": text, "bodies": list(event.bodies)}
    if event.frame is not None:
        data |= {"text": f"{text} at {seconds(event.frame)}", "frame": event.frame}
    return data


def seconds(frame: int) -> str:
    """The time of a frame.

    >>> seconds(30)
    '1.20 s'
    """
    return f"{frame / FRAMES_PER_SECOND:.2f} s"
