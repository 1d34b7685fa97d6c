"""What a benchmark brings for language models: tasks as puzzles, posed, answered and attempted in turns.

A puzzle is one task with its attempts. It is asked for its opening messages, then given one answer after the other
until it is over: each is read into an action, or refused with the reason, and attempted. What a model is told after
an attempt is the feedback of its outcome. A `Dialogue` runs the conversation; scores and run logs come from the
records of the attempts. Where puzzles can simulate an action without making it, or show a part of a scene enlarged,
models may have tools for it (see `tools`).

Messages are plain data, texts and pictures: the same bytes for the same task and settings. What they depend on
besides the mode are the options of a selection, one text in the settings of a run.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from tumble.errors import TumbleError
from tumble.runs.log import Row
from tumble.runs.spec import RunSpec

Mode = Literal["text", "picture", "both"]
"""How a scene is shown: in exact words, as a picture, or as both."""
MODES: tuple[Mode, ...] = ("text", "picture", "both")
Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Picture:
    """A picture in a message."""

    png: bytes
    caption: str
    """What it shows, in a few words; it stands before the picture."""


Part = str | Picture


@dataclass(frozen=True)
class Message:
    """A message of a dialogue."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its texts and the captions of its pictures, each on lines of its own."""
        return "\n".join(part if isinstance(part, str) else f"[{part.caption}]" for part in self.parts)


def prompt_digest(messages: Sequence[Message]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of all bytes of messages."""
    total = hashlib.sha256()
    for message in messages:
        total.update(f"{message.role} {len(message.parts)}\n".encode())
        for part in message.parts:
            content = part.encode() if isinstance(part, str) else part.caption.encode() + b"\0" + part.png
            total.update(f"{type(part).__name__} {len(content)}\n".encode() + content)
    return total.hexdigest()[:16]


def encodable_text(text: str) -> str:
    """A text without halves of surrogate pairs, which have no bytes."""
    return text.encode("utf-8", "replace").decode()


class PuzzleError(TumbleError):
    """A set of puzzles that can't be used in this way."""


class AnswerError(TumbleError):
    """An answer that is no action; its text tells the model what is wrong and what would be right."""


@dataclass(frozen=True)
class Outcome:
    """What an answer led to."""

    status: str
    """In one word: "solved", "not solved", "invalid", "open" (the attempt continues), "right", "wrong"."""
    counts: bool
    """Whether it used up an attempt; an action that can't be made, or a part of an attempt, does not."""
    solved: bool = False
    feedback: tuple[Part, ...] = ()
    """What the model is told, if the puzzle is not over."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """JSON values: the action, and what a run log needs to replay it."""


class Puzzle(ABC):
    """One task, posed to a model; it keeps what has been attempted."""

    id: str
    """Of the task, as in run logs."""
    template: str
    """Tasks with the same one are alike."""
    attempts: int
    """The most that are made."""
    schema: Mapping[str, Any]
    """The JSON schema of an answer, an object."""
    look_description: str = ""
    """What `look` shows, for a model."""
    look_schema: Mapping[str, Any] = {"type": "object", "properties": {}}
    """The JSON schema of what `look` takes, an object."""

    @abstractmethod
    def opening(self) -> tuple[Message, ...]:
        """The system message, and the first message of the user."""

    @abstractmethod
    def read(self, answer: Mapping[str, Any]) -> Any:
        """The action that an answer means; raises an AnswerError if it means none."""

    @abstractmethod
    def attempt(self, action: Any) -> Outcome:
        """Makes an action."""

    @abstractmethod
    def skip(self) -> Outcome:
        """Counts an attempt without an action, after an answer that could not be read."""

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether it is solved, or the attempts are used up."""

    def imagine(self, action: Any) -> Outcome:
        """What `attempt` would lead to now, with as much feedback, also if it would solve the puzzle.

        It is not an attempt and has no record, and the puzzle stays as it is.
        """
        raise PuzzleError("there is no simulator for this task")

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        """A part of the scene as it is before the next answer, enlarged; an AnswerError if it can't be shown."""
        raise PuzzleError("there is nothing to look at in this task")


class PuzzleSet(ABC):
    """The tasks of a selection, as puzzles."""

    prompt_version: str
    """Changes whenever any byte of a prompt changes."""
    ids: Sequence[str]
    tools: Sequence[str] = ()
    """Which of the tools "simulate" and "look" a model can have: whether puzzles have `imagine` and `look`."""

    @abstractmethod
    def puzzle(self, task_id: str) -> Puzzle:
        """The puzzle of a task, before its first attempt."""

    @abstractmethod
    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        """Scores by name, from the records of the attempts that counted, by task."""

    def template(self, task_id: str) -> str:
        """The template of a task; to be overridden where it is known without making the puzzle."""
        return self.puzzle(task_id).template

    def cluster(self, task_id: str) -> str:
        """Standard errors are clustered by it: tasks with the same one are not independent; by default the template."""
        return self.template(task_id)

    def spec(self, model: str, settings: Mapping[str, Any]) -> RunSpec:
        """The run specification of a model's attempts at these tasks, for a run log; its agent is `llm`.

        `settings` are those of the model that were given: temperature, max_tokens, schema, … The benchmark adds
        model, mode, prompts (their version) and, in `options` (`llm.options`), what else its prompts depend on.
        """
        raise PuzzleError("a model's attempts at these tasks can't be written as a run log: they have no specification")

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows of a run log for a task, from the records of the attempts that counted, in their order."""
        raise PuzzleError("a model's attempts at these tasks can't be written as a run log: they have no rows")

    def puzzle_ids(self, task_id: str) -> Sequence[str]:
        """The puzzles of a task of the specification; to be overridden where there are several."""
        return (task_id,)

    def task_rows(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Row]]:
        """The rows of a run log by task of the specification, from the records by puzzle.

        To be overridden where several puzzles are one task of a run; tasks that are not complete are left out.
        """
        return {task_id: self.rows(own) for task_id, own in records.items()}


def options_text(options: Mapping[str, Any]) -> str:
    """Options as a text.

    >>> options_text({"frames": 8, "width": 160})
    'frames 8, width 160'
    """
    return ", ".join(f"{name} {value}" for name, value in options.items())


def read_options(text: str) -> dict[str, Any]:
    """The options of a text; whole numbers are numbers.

    >>> read_options("grid 5x5x5, frames 8")
    {'grid': '5x5x5', 'frames': 8}
    """
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, mark, value = part.partition(" ")
        if not mark or name in found:
            raise PuzzleError(f"options are names with a value each, as in frames 8, width 160, not {text!r}")
        found[name] = int(value) if value.strip().isdigit() else value.strip()
    return found


def selection_problem(error: ValidationError, selection: type[BaseModel]) -> str:
    """What is wrong with a selection, in words."""
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"there is no setting {name!r}; there are {', '.join(selection.model_fields)}"
    return f"{name}: {first['msg']}" if name else str(first["msg"])


def stratified_order(ids: Sequence[str], template_of: Callable[[str], str], seed: int = 0) -> list[str]:
    """All tasks in turns: one of each template, then a second one of each, and so on.

    With seed 0 templates and their tasks keep their order, so that the first n are those that `runs.task_limit.spread`
    takes for a limit of n; other seeds shuffle the templates, and the tasks of each.

    >>> stratified_order(["a1", "a2", "a3", "b1", "b2", "c1"], lambda name: name[0])
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']
    """
    groups: dict[str, list[str]] = {}
    for task_id in ids:
        groups.setdefault(template_of(task_id), []).append(task_id)
    ordered = list(groups.values())
    if seed:
        rng = random.Random(seed)
        for group in ordered:
            rng.shuffle(group)
        rng.shuffle(ordered)
    rounds = max(map(len, ordered), default=0)
    return [group[k] for k in range(rounds) for group in ordered if k < len(group)]
