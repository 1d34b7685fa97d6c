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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

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


T = TypeVar("T")
P = TypeVar("P")


class BaseAgent(Generic[T, P]):
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


PersonAgent = TypeVar("PersonAgent")

PEOPLE = "people"
"""The name of the agent."""


class PeopleError(TumbleError):
    """People were asked to run like an agent."""


def people_class(base: type[PersonAgent], method: str) -> type[PersonAgent]:
    """A class of agents for logs of people: it has the study as its setting, and refuses to propose anything."""

    def create(self: Any, study: str = "") -> None:
        self.study = study

    def refuse(self: Any, *_: object, **__: object) -> None:
        raise PeopleError("people can't be run like an agent: they take part in a study (tumble study)")

    def given(self: Any) -> Given:
        return Given(tasks=("picture",), attempts=("status", "pictures"))

    members = {"__init__": create, method: refuse, "given": given, "__module__": __name__}
    return type("People", (base,), members)


ModelAgent = TypeVar("ModelAgent")

LANGUAGE_MODEL = "llm"
"""The name of the agent."""
LABEL_SETTINGS = ("model", "mode", "options")
"""The settings that a model's name in tables has."""

SHOWN_BY_MODE: dict[str, tuple[OfTasks, ...]] = {"text": ("text",), "picture": ("picture",)}
"""What prompts show of a task, by mode; all others show both."""
SETTINGS_WITHOUT_EFFECT = ("cache",)
"""The settings in which runs of the same model may differ."""


class LanguageModelError(TumbleError):
    """A language model with wrong settings, or one that was asked to run like other agents."""


def language_model_class(base: type[ModelAgent], method: str) -> type[ModelAgent]:
    """A class of agents for language models: it has their settings, and refuses to propose anything.

    A benchmark leads a model through the dialogues of its puzzles instead (`Benchmark.run`).
    """

    def create(
        self: Any,
        model: str = "",
        mode: str = "text",
        prompts: str = "",
        options: str = "",
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        reasoning_effort: str | None = None,
        seed: int | None = None,
        base_url: str | None = None,
        schema: bool = False,
        cache: bool = True,
    ) -> None:
        _check_model_name(model)
        self.model, self.mode, self.prompts, self.options = model, mode, prompts, options
        self.temperature, self.top_p = temperature, top_p
        self.max_tokens, self.reasoning_effort = max_tokens, reasoning_effort
        self.seed, self.base_url, self.schema, self.cache = seed, base_url, schema, cache

    def refuse(self: Any, *_: object, **__: object) -> None:
        raise LanguageModelError("a language model can't be run like other agents here: start it with Benchmark.run")

    def given(self: Any) -> Given:
        seen: tuple[OfTasks, ...] = SHOWN_BY_MODE.get(self.mode, ("text", "picture"))
        return Given(tasks=seen, attempts=("status",), declared=False)  # what it was trained with is not known

    members = {"__init__": create, method: refuse, "given": given, "__module__": __name__}
    return type("LanguageModel", (base,), members)


def _check_model_name(model: object) -> None:
    if not isinstance(model, str) or not all(model.partition("/")):
        given = f", not {model!r}" if model else ""
        raise LanguageModelError(
            f"name the model as inspect_ai does, PROVIDER/NAME{given}: --set model=openai/gpt-5, "
            "--set model=anthropic/claude-sonnet-4-5"
        )


def language_model_label(settings: Mapping[str, Any]) -> str:
    """The name of a model with how it was shown its tasks, for tables.

    >>> language_model_label({"model": "openai/gpt-5", "mode": "text", "options": "grid 8x8x8"})
    'openai/gpt-5 (text, grid 8x8x8)'
    """
    model, *shown = (str(settings.get(name) or "") for name in LABEL_SETTINGS)
    return f"{model or LANGUAGE_MODEL} ({', '.join(filter(None, shown)) or 'text'})"


A = TypeVar("A")


class AgentError(TumbleError):
    """An agent that can't be created, or that violates the agent interface."""


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
        kind = self.class_of(name)
        known = settings_of(kind)
        unknown = next((setting for setting in settings if setting not in known), None)
        if unknown is not None:
            raise AgentError(f"agent {name} has no setting {unknown!r}; it has {', '.join(known) or 'none'}")
        try:
            return kind(**settings)
        except (Exception, SystemExit) as error:
            problem = error_with_line(error, self.file_of(name))
            raise AgentError(f"agent {name} can't be created: {problem}") from error

    def class_of(self, name: str) -> type[A]:
        """The class of an agent."""
        if name == PEOPLE:
            return people_class(self.base, self.method.partition("(")[0])
        entry = self.built_in.get(name)
        if name == LANGUAGE_MODEL and entry is None:
            return language_model_class(self.base, self.method.partition("(")[0])
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
