"""What a study asks of its participants: the file study.toml."""

import sys
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tumble.bounded import BoundError, check_toml, read_text
from tumble.errors import TumbleError
from tumble.studies.errors import StudyError
from tumble.studies.study_tasks import StudyTasks

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_BYTES = 1 << 19
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
        text = read_text(file, MOST_BYTES)
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


def example(benchmark: str, tasks: str) -> str:
    """The text of a new study; `tasks` are the benchmark's lines: attempts, practice and the table [tasks]."""
    return _EXAMPLE.format(benchmark=benchmark, tasks=tasks.strip())


_EXAMPLE = '''\
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
