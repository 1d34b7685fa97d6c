"""What is shown beside the target after an answer: how it continues, or what would have happened.

The pictures of a world have an address that only the answer to the question tells.
"""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tumble.comphy.observation.clips import AnyClip, clip_on
from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.questions.programs.program import CHANGE_PREFIX
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.constants import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.question import Question
from tumble.comphy.tasks.video_set import Alteration
from tumble.comphy.web.played_set import PlayedSet
from tumble.comphy.web.set_data import track
from tumble.comphy.web.steps import CHANGES, event_data
from tumble.web.errors import WORDS, WebError


@dataclass(frozen=True, eq=False)
class World:
    """The motion that answers a question, from a frame of the target on."""

    title: str
    first: int
    motion: Motion
    frames: slice
    events: tuple[Event, ...]

    def clip(self, played: PlayedSet) -> AnyClip:
        """Its frames, to be rendered."""
        return clip_on(played.videos.bodies, self.motion, played.videos.stage, self.frames)


def world_of(played: PlayedSet, question: Question) -> World | None:
    """The world that a question is about; None for a factual one."""
    scene = played.interpreter.scene
    if question.kind == "predictive":
        future = slice(SHOWN_FRAMES, TARGET_FRAMES)
        return World("What happens next", SHOWN_FRAMES, played.videos.target, future, scene.future_events)
    if question.kind == "counterfactual":
        change = alteration_of(played, question)
        name, word = played.videos.bodies[change.body], CHANGES[CHANGE_PREFIX + change.change]
        shown = slice(SHOWN_FRAMES)
        return World(
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
        world = world_of(played, question)
        told = self.token(played, question).encode()
        if world is None or not hmac.compare_digest(told, token.encode("utf-8", "replace")):
            raise WebError(404, WORDS[404])
        return world.clip(played)

    def data(self, played: PlayedSet, question: Question) -> dict[str, Any] | None:
        """The world of a question for the page, once that is answered; `events` are its collisions in view."""
        world = world_of(played, question)
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
