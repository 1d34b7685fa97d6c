"""A dialogue with any model about one puzzle: what it is told, what it answered, and what that led to.

Text that can't be read as an action is sent back once with the reason. If the next answer can't be read either, the
attempt is counted as lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tumble.errors import TumbleError
from tumble.llm.answers import read_object
from tumble.llm.prompt import Message, encodable
from tumble.llm.puzzle import Outcome, Puzzle
from tumble.llm.tools import NO_TOOLS, Toolbox, ToolSettings

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
        text = encodable(text)
        self.messages.append(Message("assistant", (text,)))
        try:
            action = self.puzzle.read(read_object(text))
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
