"""Tools that a model may call before it answers: a simulator with a budget, an enlarged view, and notes.

They are off unless they are asked for. Every call is counted, and whatever is wrong with one is told to the model.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tumble.checks import shown, whole_number
from tumble.errors import TumbleError
from tumble.llm.puzzle import AnswerError, Message, Part, Puzzle, PuzzleSet, encodable_text, options_text

SIMULATE, LOOK, NOTE = "simulate", "look", "note"
REFUSED = "refused"
"""In counts: calls of tools that there are not, beyond a budget, or beyond the limit of a turn."""
OTHER_CALLS_A_TURN = 10
"""Calls before an answer, beside as many as the budget of simulations."""
MOST_NOTE_CHARACTERS = 2000
MOST_NUMBER = 1e30
"""Numbers of arguments are smaller, also without their sign."""
MOST_CHARACTERS = 10_000
"""Of a text in arguments; the rest is cut off."""
MOST_DEPTH = 8
"""Of lists and objects in arguments."""


class ToolError(TumbleError):
    """Tools that can't be had."""


@dataclass(frozen=True)
class ToolSettings:
    """Which tools a model has."""

    simulate: int = 0
    """Simulations in each task; 0: it has no simulator."""
    look: bool = False
    note: bool = False

    def __post_init__(self) -> None:
        whole_number(SIMULATE, self.simulate, at_least=0, error=ToolError)
        for name in (LOOK, NOTE):
            if not isinstance(getattr(self, name), bool):
                raise ToolError(f"{name} must be true or false, not {shown(getattr(self, name))}")

    @property
    def chosen(self) -> dict[str, Any]:
        """The settings of the tools that a model has."""
        return {name: value for name, value in vars(self).items() if value}

    @property
    def options(self) -> str:
        """The tools in words, for the settings of a run; empty without tools.

        >>> ToolSettings(simulate=5, note=True).options
        'simulate 5, note true'
        """
        return options_text({name: "true" if value is True else value for name, value in self.chosen.items()})

    @property
    def calls_a_turn(self) -> int:
        """The most calls before an answer."""
        return self.simulate + OTHER_CALLS_A_TURN

    def check(self, puzzles: PuzzleSet) -> None:
        """Raises a ToolError unless the puzzles have all tools that are chosen."""
        there = [*puzzles.tools, NOTE]
        missing = next((name for name in self.chosen if name not in there), None)
        if missing is not None:
            raise ToolError(f"there is no tool {missing} for these tasks; there {_are(there)}")


NO_TOOLS = ToolSettings()


@dataclass(frozen=True)
class Tool:
    """A tool as plain data, and what it does."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """The JSON schema of its arguments, an object."""
    call: Callable[[Mapping[str, Any]], tuple[Part, ...]]
    """What the model is told; a TumbleError says what is wrong with the arguments."""


class Toolbox:
    """The tools for one puzzle; it keeps what was called and noted."""

    def __init__(self, puzzle: Puzzle, settings: ToolSettings) -> None:
        self.puzzle, self.settings = puzzle, settings
        self.tools = {tool.name: tool for tool in self._chosen_tools()}
        self.calls = {**dict.fromkeys(self.tools, 0), REFUSED: 0}
        """How often each tool was called, with whatever arguments."""
        self._notes: list[str] = []
        self._calls_of_turn = 0

    @property
    def exhausted(self) -> bool:
        """Whether no call is left before the next answer."""
        return self._calls_of_turn >= self.settings.calls_a_turn

    def start_turn(self) -> None:
        """Calls may be made again, since an answer was given."""
        self._calls_of_turn = 0

    def announced(self, opening: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages of an opening, with a sentence about the tools at the end of the first."""
        budget = {SIMULATE: f" (at most {_times(self.settings.simulate)} in all)"}
        names = ", ".join(f"{name}{budget.get(name, '')}" for name in self.tools)
        sentence = (
            f"Before an answer you may call tools, at most {_times(self.settings.calls_a_turn)}: {names}. "
            "An answer itself is written, not called."
        )
        return Message(opening[0].role, (*opening[0].parts, sentence)), *opening[1:]

    def call(self, name: str, arguments: object, problem: str = "") -> tuple[Part, ...]:
        """What the model is told after a call; `problem` says why the arguments could not be read, if so."""
        if self.exhausted:
            return self._refuse("no calls are left before your answer: answer now")
        self._calls_of_turn += 1
        if name not in self.tools:
            return self._refuse(f"there is no tool {shown(name)}; there {_are(list(self.tools))}")
        if name == SIMULATE and not self._simulations_left:
            return self._refuse(f"the budget of {_simulations(self.settings.simulate)} is used up: answer without")
        self.calls[name] += 1
        try:
            if problem or not isinstance(arguments, Mapping):
                raise AnswerError("the arguments are no JSON object" + (f" ({shown(problem)})" if problem else ""))
            told = self.tools[name].call(plain_arguments(arguments))
        except TumbleError as error:
            told = (f"Error: {error}.",)
        return (*told, f"{_simulations(self._simulations_left)} left.") if name == SIMULATE else told

    @property
    def _simulations_left(self) -> int:
        return self.settings.simulate - self.calls[SIMULATE]

    def _refuse(self, reason: str) -> tuple[Part, ...]:
        self.calls[REFUSED] += 1
        return (f"Error: {reason}.",)

    def _chosen_tools(self) -> Iterator[Tool]:
        if self.settings.simulate:
            yield Tool(
                SIMULATE,
                "Tries what you could answer next, and tells what would happen. It uses up no attempt. The arguments "
                "are those of an answer.",
                self.puzzle.schema,
                self._simulate,
            )
        if self.settings.look:
            yield Tool(LOOK, self.puzzle.look_description, self.puzzle.look_schema, self.puzzle.look)
        if self.settings.note:
            yield Tool(NOTE, "Keeps a note, and gives back all notes so far.", _NOTE_SCHEMA, self._note)

    def _simulate(self, arguments: Mapping[str, Any]) -> tuple[Part, ...]:
        return self.puzzle.imagine(self.puzzle.read(arguments)).feedback

    def _note(self, arguments: Mapping[str, Any]) -> tuple[Part, ...]:
        text = arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            raise AnswerError('"text" must be a text that is not empty')
        if len(text) > MOST_NOTE_CHARACTERS:
            raise AnswerError(f'"text" must have at most {MOST_NOTE_CHARACTERS} characters')
        self._notes.append(text)
        return ("\n".join(["Notes so far:", *(f"{number}. {note}" for number, note in enumerate(self._notes, 1))]),)


_NOTE_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": MOST_NOTE_CHARACTERS}},
    "required": ["text"],
    "additionalProperties": False,
}


def plain_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as values that any log can store: without endless numbers, texts and nesting, or broken characters.

    >>> plain_arguments({"x": float("nan"), "y": 2})
    {'x': 'nan', 'y': 2}
    """
    return {encodable_text(str(name)): _plain(value, 1) for name, value in arguments.items()}


def _plain(value: object, depth: int) -> Any:
    if isinstance(value, str):
        return encodable_text(value[:MOST_CHARACTERS])
    if isinstance(value, int | float):
        if abs(value) < MOST_NUMBER:
            return value
        return str(value) if isinstance(value, float) and not math.isfinite(value) else "a huge number"
    if value is None:
        return value
    if depth < MOST_DEPTH and isinstance(value, Mapping):
        return {encodable_text(str(name)): _plain(one, depth + 1) for name, one in value.items()}
    if depth < MOST_DEPTH and isinstance(value, list | tuple):
        return [_plain(one, depth + 1) for one in value]
    return "..."


def _are(names: list[str]) -> str:
    """The names of tools, as in "are look and note"."""
    if len(names) == 1:
        return f"is only {names[0]}"
    return f"are {', '.join(names[:-1])} and {names[-1]}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _simulations(count: int) -> str:
    return "1 simulation" if count == 1 else f"{count} simulations"
