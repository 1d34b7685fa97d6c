"""What a participant of a study sees next, and the attempts that they make, between the pages and the store.

The store's calls block, so that they run in threads; it serialises them itself. Physics goes through the queue.
Requests are what the pages of a study send.
"""

from hashlib import sha256
from typing import Annotated, Any

from anyio import from_thread
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from tumble.studies.store import CODE_LENGTH, Made, Store
from tumble.studies.study import (
    LARGEST_NUMBER,
    LONGEST_ANSWER,
    MOST_NUMBERS,
    Action,
    ConflictError,
    Move,
    Outcome,
    Step,
)
from tumble.web.pages import StudyAttempt, StudyPages
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import Prepared


def tag_of_participant(code: str) -> str:
    """What a page knows of its participant: not the code, which its scripts can't read."""
    return sha256(f"participant {code}".encode()).hexdigest()[:16]


class StudyService:
    """A study that is served."""

    def __init__(self, store: Store, pages: StudyPages, physics: PhysicsQueue) -> None:
        self.store, self._pages, self._physics = store, pages, physics
        self._tasks = Prepared(pages.task)
        self._known = set(store.codes())

    def knows(self, code: str) -> bool:
        """Whether a code is that of a participant, as far as known without asking the store."""
        return code in self._known

    async def step(self, code: str) -> dict[str, Any]:
        """What a participant does next, with all that its page needs."""
        step = await run_in_threadpool(self.store.next_task, code, self._simulate)
        self._known.add(code)
        study = self.store.study
        found = {"participant": tag_of_participant(code), **_step_numbers(step)}
        if step.kind == "consent":
            return {**found, "consent": study.consent.strip()}
        if step.kind == "questions":
            questions = [question.model_dump() for question in study.questions]
            return {**found, "questions": questions}
        if step.kind == "finished":
            return {**found, "thanks": study.thanks.strip(), "code": code}
        shown = await run_in_threadpool(self._simulate, step.task, step.begun) if step.begun else None
        return {
            **found,
            "practice": len(study.practice),
            "attempts": step.attempts,
            "solved": step.solved,
            "ghosts": study.ghosts,
            "task": await self._tasks.get(step.task),
            "begun": list(step.begun),
            "shown": shown and shown.shown,
        }

    async def attempt(self, code: str, move: Move) -> dict[str, Any]:
        """Records a part of an attempt; what happened, and what comes next."""
        return _made_attempt(await run_in_threadpool(self.store.attempt, code, move, self._simulate))

    async def amend(self, code: str, move: Move) -> dict[str, Any]:
        """Replaces the last part while it is shown."""
        return _made_attempt(await run_in_threadpool(self.store.amend, code, move, self._simulate))

    def check_tag(self, code: str, tag: str) -> None:
        """Refuses a request from a page of another participant in the same browser."""
        if tag != tag_of_participant(code):
            raise ConflictError("another participant uses this browser now: load the page again")

    def _simulate(self, task_id: str, action: Action) -> Outcome:
        """In a thread of the store: waits for the queue of physics."""
        found: Outcome = from_thread.run(self._physics.submit, self._pages.outcomes, StudyAttempt(task_id, action))
        return found


def _made_attempt(made: Made) -> dict[str, Any]:
    """What is shown, what was recorded (status and steps, as in run logs), and what comes next."""
    recorded = [made.outcome.status, made.outcome.steps]
    return {**made.outcome.shown, "recorded": recorded, "step": _step_numbers(made.step), "counted": made.counted}


def _step_numbers(step: Step) -> dict[str, Any]:
    """A step without its task."""
    return {name: getattr(step, name) for name in ("kind", "position", "positions", "attempt", "part")}


MOST_CODES = 1000
"""Invited at once."""
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Number = Annotated[float, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0.0, le=LARGEST_NUMBER, allow_inf_nan=False)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class BeginRequest(_Request):
    """The code of a participant; none to begin as a new one, where the study is open."""

    code: Annotated[str, Field(max_length=4 * CODE_LENGTH)] | None = None


class ParticipantRequest(_Request):
    """A request from a page that was loaded for a participant, whose browser may have changed to another since."""

    participant: Annotated[str, Field(max_length=64)]


class SeenRequest(ParticipantRequest):
    """The task was shown, before an attempt."""

    position: Whole
    attempt: Whole


class MoveRequest(SeenRequest):
    """A part of an attempt, with the times at which the person touched and released it."""

    part: Whole
    action: Annotated[list[Number | None], Field(min_length=1, max_length=MOST_NUMBERS)]
    touched_ms: Milliseconds | None = None
    released_ms: Milliseconds | None = None

    def move(self) -> Move:
        """As the store takes it."""
        times = (self.touched_ms, self.released_ms)
        return Move(self.position, self.attempt, self.part, tuple(self.action), *times)


class GiveUpRequest(ParticipantRequest):
    """The participant continues with the next task."""

    position: Whole


class AnswersRequest(ParticipantRequest):
    """Answers to the questions at the end, by their ids."""

    answers: Annotated[dict[str, Annotated[str, Field(max_length=LONGEST_ANSWER)]], Field(max_length=200)]


class InviteRequest(_Request):
    """New codes."""

    count: Annotated[int, Field(ge=1, le=MOST_CODES)]
