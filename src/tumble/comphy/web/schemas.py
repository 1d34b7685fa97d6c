"""What the browser sends."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tumble.comphy.web.played_set import SET_ID

SetId = Annotated[str, Field(pattern=f"^{SET_ID}$")]
MOST_OPTIONS = 8
MOST_QUESTIONS = 32
Answer = (
    Annotated[str, Field(min_length=1, max_length=40)]
    | Annotated[list[Literal["correct", "wrong"]], Field(min_length=1, max_length=MOST_OPTIONS)]
)
"""A word (two with "and" between them for a pair), or a verdict on each option in their order."""


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerRequest(_Request):
    """An answer to one question of a set."""

    set: SetId
    question: Annotated[int, Field(ge=0, lt=MOST_QUESTIONS)]
    answer: Answer


class SummaryRequest(_Request):
    """Answers to all questions of a set, in their order."""

    set: SetId
    answers: Annotated[list[Answer], Field(min_length=1, max_length=MOST_QUESTIONS)]
