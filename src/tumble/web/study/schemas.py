"""What the pages of a study send."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tumble.studies.progress import LARGEST, MOST_NUMBERS, Move
from tumble.studies.store import CODE_LENGTH
from tumble.studies.study import LONGEST_ANSWER

MOST_CODES = 1000
"""Invited at once."""
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0.0, le=LARGEST, allow_inf_nan=False)]


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
