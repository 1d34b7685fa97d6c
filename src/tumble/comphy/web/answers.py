"""What is told after an answer: whether it is right, by the marks of models, and why.

The steps of a question's program are told in words, with what each of them selects. Beside the target is shown how
it continues, or what would have happened; the pictures of such a world have an address that only the answer to the
question tells.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tumble.comphy.agents.guessing import answer_words
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import ERROR, Program, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Alteration
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.evaluation.metrics import Mark, mark
from tumble.comphy.observation.clips import AnyClip, clip_on
from tumble.comphy.questions.interpreter import BodyPair, Interpreter
from tumble.comphy.questions.program import CHANGE_PREFIX, LITERALS, NULL, Type, argument_count, result_types
from tumble.comphy.questions.symbolic_scene import ProgramEvent
from tumble.comphy.report.set_page import CHARGE_NAMES, EVENT_VERBS, MASS_NAMES
from tumble.comphy.simulation.events import Event
from tumble.comphy.web.played_set import PlayedSet, track
from tumble.errors import TumbleError
from tumble.output import plural
from tumble.web.responses import STATUS_WORDS, WebError

STEP_WORDS = {
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
    text = STEP_WORDS.get(token, token.replace("_", " "))
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


@dataclass(frozen=True, eq=False)
class AnswerWorld:
    """The motion that answers a question, from a frame of the target on."""

    title: str
    first: int
    motion: Motion
    frames: slice
    events: tuple[Event, ...]

    def clip(self, played: PlayedSet) -> AnyClip:
        """Its frames, to be rendered."""
        return clip_on(played.videos.bodies, self.motion, played.videos.stage, self.frames)


def answer_world(played: PlayedSet, question: Question) -> AnswerWorld | None:
    """The world that a question is about; None for a factual one."""
    scene = played.interpreter.scene
    if question.kind == "predictive":
        future = slice(SHOWN_FRAMES, TARGET_FRAMES)
        return AnswerWorld("What happens next", SHOWN_FRAMES, played.videos.target, future, scene.future_events)
    if question.kind == "counterfactual":
        change = alteration_of(played, question)
        name, word = played.videos.bodies[change.body], CHANGES[CHANGE_PREFIX + change.change]
        shown = slice(SHOWN_FRAMES)
        return AnswerWorld(
            f"If the {name} were {word}", 0, played.videos.altered[change], shown, scene.altered_events[change]
        )
    return None


def alteration_of(played: PlayedSet, question: Question) -> Alteration:
    """The change that a counterfactual question is about, as its program says it."""
    program = question.choices[0].program + question.program
    at = next(k for k, token in enumerate(program) if token in CHANGES)
    body = played.interpreter.values(program)[at - 1]
    kinds = {change.change for change in played.videos.altered}
    return Alteration(body, next(kind for kind in kinds if CHANGE_PREFIX + kind == program[at]))


class WorldAddresses:
    """Addresses of worlds that can't be guessed, as long as the server runs."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def token(self, played: PlayedSet, question: Question) -> str:
        """The part of the address that belongs to a question."""
        text = f"{played.key} {question.id}".encode("ascii")
        return hmac.new(self._secret, text, sha256).hexdigest()[:32]

    def checked_clip(self, played: PlayedSet, question: Question, token: str) -> AnyClip:
        """The clip of a question's world; a WebError with status 404 if the token is not the one of its address."""
        world = answer_world(played, question)
        told = self.token(played, question).encode()
        if world is None or not hmac.compare_digest(told, token.encode("utf-8", "replace")):
            raise WebError(404, STATUS_WORDS[404])
        return world.clip(played)

    def data(self, played: PlayedSet, question: Question) -> dict[str, Any] | None:
        """The world of a question for the page, once that is answered; `events` are its collisions in view."""
        world = answer_world(played, question)
        if world is None:
            return None
        every = tuple(range(len(played.videos.bodies)))
        found = [ProgramEvent(event.kind, event.frame, event.bodies) for event in world.events]
        return {
            "title": world.title,
            "first": world.first,
            "frames": world.frames.stop - world.first,
            "sheets": f"/comphy/worlds/{played.key}/{question.id}/{self.token(played, question)}/",
            "track": track(every, world.motion, world.frames),
            "events": [event_data(played.interpreter, event) for event in found if event.kind == "collision"],
        }


Answer = str | Sequence[str]


class AnswerError(TumbleError):
    """An answer of another form than the question's."""


def marked_answer(played: PlayedSet, question: Question, answer: Answer) -> Mark:
    """The mark of an answer, as a model's would be; an AnswerError if it does not fit the question."""
    if isinstance(answer, str):
        if question.choices:
            raise AnswerError(f"question {question.id} has options: send correct or wrong for each of them")
        words, pick = answer_words(question, played.world)
        given = answer.split(" and ")
        if len(given) != pick or any(word not in words for word in given):
            several = "one of" if pick == 1 else "two, with 'and' between them, of"
            raise AnswerError(f"question {question.id}: the answer is {several} {', '.join(words)}")
        return mark(QuestionSet(played.key.number, (question,)), {question.id: answer})[0]
    if len(answer) != len(question.choices):
        raise AnswerError(f"question {question.id} has {len(question.choices)} options, not {len(answer)}")
    by_option = {choice.id: given for choice, given in zip(question.choices, answer, strict=True)}
    return mark(QuestionSet(played.key.number, (question,)), {question.id: by_option})[0]


def explanation(played: PlayedSet, question: Question, answer: Answer, worlds: WorldAddresses) -> dict[str, Any]:
    """Whether an answer is right, and why: the steps of the program, and the world that the question is about."""
    interpreter, told = played.interpreter, marked_answer(played, question, answer)
    data: dict[str, Any] = {
        "set": str(played.key),
        "question": question.id,
        "kind": question.kind,
        "family": question.family,
        "right": told.all_correct,
        "correct": list(told.correct),
        "world": worlds.data(played, question),
    }
    if not question.choices:
        return {**data, "answer": question.answer, "steps": steps_of(interpreter, question.program)}
    options = [
        {
            "text": choice.text,
            "answer": choice.answer,
            "steps": steps_of(interpreter, choice.program + question.program),
        }
        for choice in question.choices
    ]
    return {**data, "options": options}


def summary(played: PlayedSet, answers: Sequence[Answer]) -> dict[str, Any]:
    """How many questions of a set were answered right, its hidden properties and its events: when all are answered."""
    questions, interpreter = played.questions.questions, played.interpreter
    if len(answers) != len(questions):
        raise AnswerError(f"set {played.key} has {len(questions)} questions; {len(answers)} are answered")
    marks = [marked_answer(played, question, answer) for question, answer in zip(questions, answers, strict=True)]
    events = (ProgramEvent(event.kind, event.frame, event.bodies) for event in interpreter.scene.shown_events)
    return {
        "set": str(played.key),
        "right": [one.all_correct for one in marks],
        "family": played.videos.family,
        "bodies": [
            {"name": str(body), "mass": MASS_NAMES[body.mass], "charge": CHARGE_NAMES[body.charge]}
            for body in played.videos.bodies
        ],
        "events": [event_data(interpreter, event) for event in events],
    }
