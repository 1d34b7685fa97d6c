"""Agents by name: a benchmark's built-in ones and those in users' files, whose errors report the line that failed."""

import dataclasses
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tumble.errors import TumbleError
from tumble.runs.language_model import LANGUAGE_MODEL, language_model_class
from tumble.runs.people import PEOPLE, people_class
from tumble.user_code import error_with_line

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
        raise AgentError(f"{kind.__name__} failed {activity}: {error_with_line(error, _file_of(kind))}") from error


def _file_of(kind: type[Any]) -> Path | None:
    try:
        return Path(inspect.getfile(kind))
    except (TypeError, OSError):
        return None
