"""Participants: who makes attempts, what each of them was given, and how agents are found by their names.

A participant is an agent of a benchmark or of a user's file, a person of a study, or a language model. What it was
given of its tasks, of its attempts and in training is part of the header of every run log and stands beside every
score. An agent's class declares it, as agents of a user's file can do, too; of those that do not, a log says what
their interface could have shown them. Errors of users' agents report the line that failed.
"""

import dataclasses
import importlib
import importlib.util
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from tumble.errors import TumbleError, error_with_line

OfTasks = Literal[
    "template",
    "text",
    "questions",
    "picture",
    "videos",
    "boxes",
    "tracks",
    "shapes and states",
    "platforms and masses",
    "exact physics",
    "truth",
    "solutions",
]
"""What was given of a task before the first attempt.

| word | what it is |
| --- | --- |
| template | from which template the task is |
| text | a description in words |
| questions | questions without their answers |
| picture, videos | pixels |
| boxes | a box and a kind for each visible body |
| tracks | looks, exact positions and boxes of bodies in view, by frame |
| shapes and states | exact shapes, positions and velocities of all bodies |
| platforms and masses | also what can't be moved, and what bodies weigh |
| exact physics | a simulator of the task with the true constants |
| truth | all of it, hidden properties included |
| solutions | actions that solve the task |
"""
OfAttempts = Literal["status", "pictures", "states", "contacts", "distances"]
"""What was given of the participant's own attempts: whether they solved; pictures, exact states or contacts of their
course; exact distances between bodies."""
InTraining = Literal[
    "simulated actions",
    "mutations",
    "stored solutions",
    "questions",
    "videos",
    "tracks",
    "truth",
]
"""What was given of training tasks: outcomes of actions on them; the same on variants of them; solutions that come with
the package; or, where there are questions, what their answers and labels were made from."""


ColumnType = Literal["whole", "whole?", "number", "number?", "text", "text?", "numbers", "flags"]
"""Of a column of a log: a whole number, a number, a text, each with ? if it may be None; numbers, of which each may be
None; flags."""


class Given(BaseModel):
    """What a participant was given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: tuple[OfTasks, ...] = ()
    attempts: tuple[OfAttempts, ...] = ()
    training: tuple[InTraining, ...] = ()
    actions_per_task: int | None = None
    """Actions on each training task whose outcomes it learned from; None where it is not known, or there were none."""
    learns_online: bool = False
    """Whether it learned from test tasks that it had attempted before."""
    declared: bool = True
    """Whether its class says this; if not, it is what the interface could have shown it."""

    @property
    def is_oracle(self) -> bool:
        """Whether it was given what it is asked for, so that it bounds others and is not ranked with them."""
        return "solutions" in self.tasks or "truth" in self.tasks

    @property
    def text(self) -> str:
        """In words, for tables.

        >>> Given(tasks=("picture",), attempts=("status",), training=("simulated actions",), actions_per_task=1000).text
        'picture; of attempts: status; trained with simulated actions (1,000 a task)'
        >>> Given().text
        'nothing'
        """
        parts = [", ".join(self.tasks)] if self.tasks else []
        parts += [f"of attempts: {', '.join(self.attempts)}"] if self.attempts else []
        if self.training:
            count = "" if self.actions_per_task is None else f" ({self.actions_per_task:,} a task)"
            trained = [f"{name}{count if name == 'simulated actions' else ''}" for name in self.training]
            parts.append(f"trained with {', '.join(trained)}")
        parts += ["learns from earlier test tasks"] if self.learns_online else []
        if not self.declared:
            return f"not declared, at most: {'; '.join(parts)}" if parts else "not known"
        return "; ".join(parts) or "nothing"


UNDECLARED = Given(declared=False)


class Participant(ABC):
    """Who makes the attempts of a run: an agent, a person of a study, or a language model.

    Logs, reports and pages ask its class, which `participant_class` finds by the name in a log.
    """

    columns: ClassVar[Mapping[str, ColumnType]] = {}
    """Of its rows in a log, beside those of the benchmark."""
    settings_without_effect: ClassVar[tuple[str, ...]] = ()
    """The settings in which its runs may differ."""
    takes_seed: ClassVar[bool] = True
    """Whether the seed of a run is a setting of it, if it has one."""

    @abstractmethod
    def given(self) -> Given:
        """What it is given of tasks, of its attempts and in training, which is recorded with its scores."""

    @classmethod
    def label(cls, name: str, settings: Mapping[str, Any]) -> str:
        """Its name in tables: a built-in name, or the class of FILE.py:CLASS."""
        return name.rpartition(":")[2]

    @classmethod
    def further_settings(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings that its name in tables does not say."""
        return dict(settings)


T = TypeVar("T")
P = TypeVar("P")


class BaseAgent(Participant, Generic[T, P]):
    """An agent that attempts tasks T and may learn from its attempts P at each."""

    learns_online: bool = False
    """Whether it learns from test tasks, which it then attempts one by one, in its own order."""
    repeatable: bool = False
    """Whether it is quick, and makes the same attempts with the same settings and seed on every machine, so that a
    leaderboard runs it again to check that a log is its own."""

    def given(self) -> Given:
        """What it is given of tasks, of its attempts and in training, which is recorded with its scores."""
        return UNDECLARED

    def order(self, tasks: Sequence[T]) -> Sequence[T]:
        """The order in which it attempts test tasks; only called if `learns_online`."""
        return tasks

    def learn(self, task: T, past: P) -> None:
        """Learns from the attempts at a finished test task; only called if `learns_online`."""


class AgentError(TumbleError):
    """A participant that can't be created, or an agent that violates the agent interface."""


@dataclass(frozen=True)
class Person(Participant):
    """A person who took part in a study."""

    study: str = ""
    """Its name."""

    columns = {"seen": "number?", "touched_ms": "numbers", "released_ms": "numbers"}  # noqa: RUF012 (constant)
    """When the task was first seen, in seconds since 1970; and of each part of an attempt, such as a shot, the
    milliseconds from then until the first touch and until the release."""

    def given(self) -> Given:
        return Given(tasks=("picture",), attempts=("status", "pictures"))


@dataclass(frozen=True)
class LanguageModel(Participant):
    """A language model with its settings; a benchmark leads it through the dialogues of its puzzles."""

    model: str = ""
    """PROVIDER/NAME, as inspect_ai names it."""
    mode: str = "text"
    """How tasks are shown."""
    prompts: str = ""
    options: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    seed: int | None = None
    base_url: str | None = None
    schema: bool = False
    cache: bool = True

    settings_without_effect = ("cache",)
    takes_seed = False  # the seed of a model is its provider's
    SAID: ClassVar[tuple[str, ...]] = ("model", "mode", "options")
    """The settings that its name in tables says."""
    SHOWN_BY_MODE: ClassVar[Mapping[str, tuple[OfTasks, ...]]] = {"text": ("text",), "picture": ("picture",)}
    """What prompts show of a task, by mode; all others show both."""

    def __post_init__(self) -> None:
        if not all(str(self.model).partition("/")):
            given = f", not {self.model!r}" if self.model else ""
            raise AgentError(
                f"name the model as inspect_ai does, PROVIDER/NAME{given}: --set model=openai/gpt-5, "
                "--set model=anthropic/claude-sonnet-4-5"
            )

    def given(self) -> Given:
        seen = self.SHOWN_BY_MODE.get(self.mode, ("text", "picture"))
        return Given(tasks=seen, attempts=("status",), declared=False)  # what it was trained with is not known

    @classmethod
    def label(cls, name: str, settings: Mapping[str, Any]) -> str:
        """The name of the model with how it was shown its tasks.

        >>> LanguageModel.label("llm", {"model": "openai/gpt-5", "mode": "text", "options": "grid 8x8x8"})
        'openai/gpt-5 (text, grid 8x8x8)'
        """
        model, *shown = (str(settings.get(part) or "") for part in cls.SAID)
        return f"{model or name} ({', '.join(filter(None, shown)) or 'text'})" if settings else name

    @classmethod
    def further_settings(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in settings.items() if name not in cls.SAID}


PEOPLE, MODEL = "people", "llm"
"""The names of participants that are not agents, in specifications and logs."""
NOT_AGENTS: Mapping[str, type[Participant]] = {PEOPLE: Person, MODEL: LanguageModel}


def participant_class(name: str) -> type[Participant]:
    """The class of participants of a name: people, language models, and for all other names agents."""
    return NOT_AGENTS.get(name, BaseAgent)


A = TypeVar("A")


@dataclass(frozen=True)
class AgentRegistry(Generic[A]):
    """The agents of a benchmark."""

    package: str
    """The package of the built-in agents' modules."""
    built_in: Mapping[str, str | type[A]]
    """Classes by name; "rand:Rand" names a module and its class, imported when needed."""
    base: type[A]
    """The class that agents derive from."""
    method: str
    """The signature of the method that they must override, as in "propose(self, task, past)"."""

    def make(self, name: str, **settings: Any) -> A:
        """Creates an agent by its name or by its file and class, as in "my_agent.py:MyAgent", with settings."""
        participant: A = self._created(name, self.class_of(name), settings)
        return participant

    def make_participant(self, name: str, **settings: Any) -> Participant:
        """Creates an agent, or what the name says instead: a person, or a language model."""
        participant: Participant = self._created(name, self.participant_class(name), settings)
        return participant

    def participant_class(self, name: str) -> type[Any]:
        """The class of an agent, of people, or of language models."""
        return NOT_AGENTS[name] if name in NOT_AGENTS else self.class_of(name)

    def _created(self, name: str, kind: type[Any], settings: Mapping[str, Any]) -> Any:
        known = settings_of(kind)
        unknown = next((setting for setting in settings if setting not in known), None)
        if unknown is not None:
            raise AgentError(f"agent {name} has no setting {unknown!r}; it has {', '.join(known) or 'none'}")
        try:
            return kind(**settings)
        except AgentError:
            raise
        except (Exception, SystemExit) as error:
            problem = error_with_line(error, self.file_of(name))
            raise AgentError(f"agent {name} can't be created: {problem}") from error

    def class_of(self, name: str) -> type[A]:
        """The class of an agent."""
        if name in NOT_AGENTS:
            raise AgentError(
                "people can't be run like an agent: they take part in a study (tumble study)"
                if NOT_AGENTS[name] is Person
                else "a language model can't be run like other agents here: start it with Benchmark.run"
            )
        entry = self.built_in.get(name)
        if isinstance(entry, type):
            return entry
        if entry is not None:
            module, _, kind = entry.partition(":")
            try:
                built_in: type[A] = getattr(importlib.import_module(f"{self.package}.{module}"), kind)
            except ModuleNotFoundError as error:
                if error.name != "torch":
                    raise
                raise AgentError(f'agent {name} needs PyTorch: pip install "tumble[agents]"') from None
            return built_in
        path, mark, kind = name.rpartition(":")
        if not mark or not path.endswith(".py"):
            raise AgentError(f"no agent {name!r}; there are {', '.join(self.built_in)}, or yours as FILE.py:CLASS")
        return self._class_in_file(Path(path), kind)

    def _class_in_file(self, path: Path, kind: str) -> type[A]:
        """A class of a user's file, which may import files of its own folder."""
        if not path.is_file():
            raise AgentError(f"{path}: no such Python file")
        name = f"tumble_agent_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look up their module
        if str(path.parent.resolve()) not in sys.path:
            sys.path.append(str(path.parent.resolve()))
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise AgentError(error_with_line(error, path)) from error
        agent_class = getattr(module, kind, None)
        if agent_class is None:
            raise AgentError(f"{path} has no {kind}")
        if not (isinstance(agent_class, type) and issubclass(agent_class, self.base)):
            raise AgentError(
                f"{path}: {kind} must be a class that derives from {self.base.__module__}.{self.base.__name__}"
            )
        method = self.method.partition("(")[0]
        if getattr(agent_class, method) is getattr(self.base, method):
            raise AgentError(f"{path}: {kind} must have a method {self.method}")
        return agent_class

    def file_of(self, name: str) -> Path | None:
        """The file of a user's agent; None for a built-in one."""
        path = Path(name.rpartition(":")[0])
        return path if name not in self.built_in and path.is_file() else None


def settings_of(kind: type[Any]) -> list[str]:
    """The names of the settings that an agent's class takes."""
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind) if field.init]
    return [name for name in inspect.signature(kind).parameters if name not in ("args", "kwargs")]


@contextmanager
def attributing_errors(agent: object, activity: str) -> Iterator[None]:
    """Turns an exception of a user's agent into an AgentError with its line; those of built-in agents are passed on."""
    try:
        yield
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        kind = type(agent)
        if kind.__module__.startswith("tumble."):
            raise
        raise AgentError(
            f"{kind.__name__} failed {activity}: {error_with_line(error, _file_of_class(kind))}"
        ) from error


def _file_of_class(kind: type[Any]) -> Path | None:
    try:
        return Path(inspect.getfile(kind))
    except (TypeError, OSError):
        return None
