"""A dialogue with any model about one puzzle: what it is told, what it answered, and what that led to.

An answer is the JSON object anywhere in what a model wrote. Text that can't be read as an action is sent back once
with the reason. If the next answer can't be read either, the attempt is counted as lost.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tumble.errors import TumbleError
from tumble.llm.puzzle import AnswerError, Message, Outcome, Puzzle, encodable_text
from tumble.llm.tools import NO_TOOLS, Toolbox, ToolSettings

MOST_ANSWER_CHARACTERS = 20_000
"""Of a longer text only the end is read: models think first and answer last."""
MOST_ANSWER_NUMBER = 1e30
"""Numbers of an answer are smaller, also without their sign."""
MOST_READING_WORK = 20 * MOST_ANSWER_CHARACTERS
"""Characters that are read without finding an object, after which only the last braces of a text are tried."""
WORK_OF_A_FAILURE = 1000
"""A brace that begins no object costs as much as reading this many characters, at least."""
LAST_BRACES = 50


def read_json_object(text: str) -> dict[str, Any]:
    """The last JSON object of a text that is not part of another one; fences, words before and after are ignored.

    >>> read_json_object('I think\\n```json\\n{"x": 0.5, "y": 1}\\n```')
    {'x': 0.5, 'y': 1}
    """
    if not text.strip():
        raise AnswerError("the answer is empty; answer with one JSON object")
    found = _last_object(text[-MOST_ANSWER_CHARACTERS:])
    if found is None:
        raise AnswerError("the answer has no JSON object; answer with one JSON object and nothing else")
    _check_numbers(found)
    return found


def _last_object(text: str) -> dict[str, Any] | None:
    found, position, work = None, text.find("{"), 0.0
    while position >= 0:
        try:
            found, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            end = position + 1
            work += getattr(error, "pos", len(text)) - position + WORK_OF_A_FAILURE
        if work > MOST_READING_WORK:  # braces in braces, which would take the square of their number
            end, work = max(end, _start_of_last_braces(text)), -math.inf
        position = text.find("{", end)
    return found


def _start_of_last_braces(text: str) -> int:
    start = len(text)
    for _ in range(LAST_BRACES):
        start = text.rfind("{", 0, start)
    return start


def _check_numbers(value: Any) -> None:
    values = [value]
    while values:
        one = values.pop()
        if isinstance(one, dict | list):
            values += one.values() if isinstance(one, dict) else one
        elif isinstance(one, int | float) and not abs(one) < MOST_ANSWER_NUMBER:
            raise AnswerError(f"a number is {'too large' if one > 0 else 'too small'}; give ordinary numbers")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


AnswerKind = Literal["valid", "repaired", "malformed", "refused", "empty"]
"""How an answer was: read at once, read after it was sent back once, or not read."""
REFUSALS = ("i can't", "i cannot", "i can not", "i won't", "i'm sorry", "i am sorry", "i'm unable", "i am unable")
"""Beginnings of sentences with which models refuse, in lower case."""
MOST_TURNS_AN_ATTEMPT = 3
"""Turns for each attempt, on average, after which a dialogue ends: actions that can't be made use up no attempt."""


@dataclass(frozen=True)
class Turn:
    """One answer, read or given up, and what it led to."""

    kind: AnswerKind
    status: str
    counts: bool
    solved: bool
    record: Mapping[str, Any]

    def json(self) -> dict[str, Any]:
        """Itself as JSON values."""
        return {**vars(self), "record": dict(self.record)}


class Dialogue:
    """Runs a puzzle until it is over; `messages` is what the model sees next, without tool calls and their results."""

    def __init__(self, puzzle: Puzzle, tools: ToolSettings = NO_TOOLS) -> None:
        self.puzzle = puzzle
        self.toolbox = Toolbox(puzzle, tools) if tools.chosen else None
        """The tools that may be called before an answer, if there are any."""
        opening = puzzle.opening()
        self.messages: list[Message] = list(self.toolbox.announced(opening) if self.toolbox else opening)
        self.turns: list[Turn] = []
        self._problem = ""

    @property
    def over(self) -> bool:
        """Whether nothing is left to answer."""
        return self.puzzle.over or len(self.turns) >= MOST_TURNS_AN_ATTEMPT * self.puzzle.attempts

    def reply(self, text: str, refused: bool = False) -> None:
        """Takes the model's next answer, and adds what it is told next.

        `refused` says that the provider marked it as a refusal, which the text may not show.
        """
        text = encodable_text(text)
        self.messages.append(Message("assistant", (text,)))
        try:
            action = self.puzzle.read(read_json_object(text))
        except TumbleError as problem:
            if not self._problem:
                self._problem = str(problem)
                self._tell(f"This could not be read: {problem}. Answer again, with the JSON object only.")
                return
            self._finish_turn("refused" if refused else unread_kind(text), self.puzzle.skip())
        else:
            self._finish_turn("repaired" if self._problem else "valid", self.puzzle.attempt(action))

    def _finish_turn(self, kind: AnswerKind, outcome: Outcome) -> None:
        self._problem = ""
        if self.toolbox is not None:
            self.toolbox.start_turn()
        self.turns.append(Turn(kind, outcome.status, outcome.counts, outcome.solved, outcome.record))
        if not self.over:
            self._tell(*outcome.feedback)

    def _tell(self, *parts: Any) -> None:
        self.messages.append(Message("user", parts))


def unread_kind(text: str) -> AnswerKind:
    """What an answer is that could not be read."""
    if not text.strip():
        return "empty"
    return "refused" if text.strip().lower().replace("\u2019", "'").startswith(REFUSALS) else "malformed"
