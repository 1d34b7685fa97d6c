"""A study: what its file study.toml asks, what a benchmark brings for it, and where a participant is.

A benchmark says which tasks there are, what an attempt is, and how it is simulated. Steps and moves of participants
are plain data; so are the errors that they and the pages are told.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tumble.bounded import BoundError, check_toml, read_text
from tumble.errors import TumbleError
from tumble.runs.log import Row
from tumble.runs.spec import RunSpec


class StudyError(TumbleError):
    """A study that can't be read, or a request that does not fit it."""


class UnknownParticipantError(StudyError):
    """A code that no participant has."""


class ConflictError(StudyError):
    """A request that does not follow from what the participant did so far, as one from a second tab may not."""


class StudyFileError(OSError):
    """A study's database that can't be read or written just now, as where the disk is full; it can be tried again."""


Action = Sequence[float | None]
"""The numbers of an action, as in run logs."""


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt, or of its parts so far."""

    status: int
    """As in run logs."""
    steps: int
    solved: bool = False
    open: bool = False
    """Whether the attempt continues with a further part, as while birds are left."""
    further: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the row in a run log."""
    shown: Any = field(default=None, compare=False)
    """What the participant is shown, which is not stored: the motion."""


Simulate = Callable[[str, Action], Outcome]
"""Simulates the action of an attempt, all of its parts, at the task of an id. Equal calls give equal outcomes."""


class StudyTasks(ABC):
    """The tasks of a study, as its benchmark selects them."""

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """The ids of the tasks, in the order of the run specification."""

    @property
    @abstractmethod
    def physics(self) -> str:
        """The id of the current physics."""

    @abstractmethod
    def check_task(self, task_id: str) -> None:
        """Raises a TumbleError unless this task can be attempted in this study, for practice too."""

    @abstractmethod
    def check_action(self, task_id: str, action: Action) -> None:
        """Raises a TumbleError for an action that is no attempt, and must not count as one; nothing is simulated."""

    @abstractmethod
    def simulate(self, task_id: str, action: Action) -> Outcome:
        """The outcome of an action that was checked."""

    @abstractmethod
    def is_over(self, statuses: Sequence[int]) -> bool:
        """Whether a task is over after attempts with these statuses."""

    def amends(self, before: Action, after: Action) -> bool:
        """Whether the action of a part may be replaced by another one while it is shown, as by a tap in flight."""
        return False

    @abstractmethod
    def spec(self, study: str, participant: int, folder: Path) -> RunSpec:
        """The run specification of a participant; `folder` is that of the log, for files that it depends on."""

    def rows_given_up(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a task that a participant gave up, where a run log needs more than its attempts."""
        return list(rows)


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_BYTES_OF_A_STUDY = 1 << 19
"""Of a study.toml."""
LONGEST_TEXT = 20_000
LONGEST_ANSWER = 1000
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class Question(BaseModel):
    """A question at the end; one without options is answered with a short text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    text: Text
    options: tuple[str, ...] = ()
    required: bool = False

    def check(self, answer: object) -> None:
        """Raises StudyError for an answer that is none to this question."""
        if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
            raise StudyError(f"question {self.id}: an answer is a text of at most {LONGEST_ANSWER} characters")
        if self.options and answer not in self.options:
            raise StudyError(f"question {self.id}: no option {answer!r}; there are {', '.join(self.options)}")


class Study(BaseModel):
    """A study; `tasks` is what its benchmark selects tasks by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    title: str = Field(min_length=1, max_length=200)
    attempts: int = Field(ge=1, le=1000)
    """At each task."""
    tasks: dict[str, Any]
    practice: tuple[str, ...] = ()
    """Ids of tasks that come first and don't count."""
    order: Literal["shuffled", "rotated", "listed"] = "shuffled"
    """Of the tasks: by chance for each participant, rotated by one from participant to participant, or as listed."""
    seed: int = Field(default=0, ge=0)
    """Of the shuffled orders."""
    consent: Text = ""
    """What participants agree to before they begin; empty for nothing."""
    ghosts: bool = False
    """Whether pages show earlier attempts at a task."""
    thanks: Text = "Thank you. You can close this page."
    questions: tuple[Question, ...] = ()

    @field_validator("practice")
    @classmethod
    def _distinct(cls, ids: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(ids)) < len(ids):
            raise ValueError("a task is listed twice")
        return ids

    @model_validator(mode="after")
    def _distinct_questions(self) -> "Study":
        names = [question.id for question in self.questions]
        if len(set(names)) < len(names):
            raise ValueError("questions: two have the same id")
        return self

    def check(self, tasks: StudyTasks) -> None:
        """Raises StudyError where the tasks don't fit."""
        for task_id in self.practice:
            try:
                tasks.check_task(task_id)
            except TumbleError as error:
                raise StudyError(f"practice: {error}") from None
            if task_id in tasks.ids:
                raise StudyError(f"practice: {task_id} is one of the study's tasks")
        if not tasks.ids:
            raise StudyError("tasks: none are selected")

    def check_answers(self, answers: dict[str, Any]) -> None:
        """Raises StudyError unless these are answers to the questions."""
        by_id = {question.id: question for question in self.questions}
        for name, answer in answers.items():
            if name not in by_id:
                raise StudyError(f"no question {name!r}")
            by_id[name].check(answer)
        missing = [name for name, question in by_id.items() if question.required and not answers.get(name)]
        if missing:
            raise StudyError(f"question {missing[0]} needs an answer")


class StudyFile:
    """A study with the file that it was read from."""

    def __init__(self, path: Path, text: str, study: Study) -> None:
        self.path, self.text, self.study = path, text, study

    @property
    def name(self) -> str:
        """The name of the study: that of its file."""
        return self.path.stem

    @property
    def digest(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def store_path(self) -> Path:
        """Where attempts are stored: beside the file."""
        return self.path.with_suffix(".sqlite")


def read_study(path: str | Path) -> StudyFile:
    """Reads a study.toml; errors name the field and what is allowed."""
    file = Path(path)
    try:
        text = read_text(file, MOST_BYTES_OF_A_STUDY)
        check_toml(text)
        return StudyFile(file, text, Study.model_validate(tomllib.loads(text)))
    except OSError as error:
        raise StudyError(f"{path}: {error.strerror}") from None
    except BoundError as error:
        raise StudyError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise StudyError(f"{path}: not a text in UTF-8") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        more = error.error_count() - 1
        text = f"{where}: {first['msg']}" if where else str(first["msg"])
        raise StudyError(f"{path}: {text}" + (f" (and {more} more)" if more else "")) from None
    except RecursionError:
        raise StudyError(f"{path}: it is nested too deeply") from None
    except ValueError as error:  # also of a number with too many digits
        raise StudyError(f"{path}: no valid TOML: {error}") from None


def example_study(benchmark: str, tasks: str) -> str:
    """The text of a new study; `tasks` are the benchmark's lines: attempts, practice and the table [tasks]."""
    return _EXAMPLE_STUDY.format(benchmark=benchmark, tasks=tasks.strip())


_EXAMPLE_STUDY = '''\
# A study with people. `tumble study report` and `tumble study export` read what they did.
benchmark = "{benchmark}"
title = "A pilot study"
order = "shuffled"  # by participant and seed; or "rotated", or "listed"
seed = 1
consent = """
You will be shown short puzzles about physics. Your attempts and their times are stored under a random code, and nothing
else: no name, no address. You can stop at any time by closing the page.
"""
thanks = "Thank you. You can close this page."

{tasks}

[[questions]]
id = "experience"
text = "How often do you play games of this kind?"
options = ["never", "sometimes", "often"]
required = true

[[questions]]
id = "remarks"
text = "Is there anything that you want to tell us? Please give no personal data."
'''


LARGEST_NUMBER = 1e9
"""Number of an action, and time in milliseconds."""
MOST_NUMBERS = 200
"""Of an action."""
StepKind = Literal["consent", "practice", "task", "questions", "finished"]


@dataclass(frozen=True)
class Step:
    """What a participant does next; all but `kind` is of tasks only."""

    kind: StepKind
    position: int = 0
    """Of the task, counted from 0, tasks for practice included."""
    positions: int = 0
    """The number of all tasks."""
    task: str = ""
    attempt: int = 0
    """The number of the next attempt, from 1."""
    part: int = 0
    """The number of its next part, from 1: of the next shot."""
    begun: tuple[float | None, ...] = ()
    """The action of its earlier parts."""
    attempts: int = 0
    """Allowed at the task."""
    solved: bool = False
    """Whether an earlier attempt solved the task."""

    @property
    def is_task(self) -> bool:
        return self.kind in ("practice", "task")


@dataclass(frozen=True)
class Move:
    """What a participant sends: a part of an attempt, with the numbers that make sure that it counts once."""

    position: int
    attempt: int
    part: int
    action: tuple[float | None, ...]
    touched_ms: float | None = None
    """From when the task was seen to the first touch, as the page measured it."""
    released_ms: float | None = None
    """To the release."""

    @property
    def place(self) -> tuple[int, int, int]:
        return self.position, self.attempt, self.part


def checked_move(move: Move) -> Move:
    """The move with its numbers as floats; raises StudyError for what no page sends."""
    if not 0 < len(move.action) <= MOST_NUMBERS:
        raise StudyError(f"an action has 1 to {MOST_NUMBERS} numbers, not {len(move.action)}")
    if not all(
        number is None or (type(number) in (int, float) and abs(number) <= LARGEST_NUMBER) for number in move.action
    ):
        raise StudyError(f"an action is made of numbers, at most {LARGEST_NUMBER:g}")
    if not all(
        type(place) is int and 0 <= place <= LARGEST_NUMBER for place in (move.position, move.attempt, move.part)
    ):
        raise StudyError("position, attempt and part are whole numbers")
    times = [ms for ms in (move.touched_ms, move.released_ms) if ms is not None]
    if not all(0 <= ms <= LARGEST_NUMBER for ms in times) or times != sorted(times):
        raise StudyError("times are milliseconds, the release not before the touch")
    return replace(move, action=tuple(None if number is None else float(number) for number in move.action))
