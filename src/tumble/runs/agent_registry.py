"""Agents by name: a benchmark's built-in ones, and those in users' files, whose errors name the line that failed."""

import dataclasses
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tumble.errors import TumbleError

A = TypeVar("A")


class AgentError(TumbleError):
    """An agent that can't be made, or that does what an agent must not do."""


@dataclass(frozen=True)
class AgentRegistry(Generic[A]):
    """The agents of a benchmark."""

    package: str
    """The package of the built-in agents' modules."""
    built_in: Mapping[str, str | type[A]]
    """By name the class, or module and class as in "rand:Rand", which are imported when needed."""
    base: type[A]
    """The class that agents derive from."""
    method: str
    """The method that they must override, as in "propose(self, task, past)"."""

    def make(self, name: str, **settings: Any) -> A:
        """An agent by its name, or one of a user's file, as in "my_agent.py:MyAgent", with its settings."""
        kind = self.class_of(name)
        known = settings_of(kind)
        unknown = next((setting for setting in settings if setting not in known), None)
        if unknown is not None:
            raise AgentError(f"agent {name} has no setting {unknown!r}; it has {', '.join(known) or 'none'}")
        try:
            return kind(**settings)
        except Exception as error:
            raise AgentError(f"agent {name} can't be made: {type(error).__name__}: {error}") from error

    def class_of(self, name: str) -> type[A]:
        """The class of an agent."""
        known = self.built_in.get(name)
        if isinstance(known, type):
            return known
        if known is not None:
            module, _, kind = known.partition(":")
            try:
                found: type[A] = getattr(importlib.import_module(f"{self.package}.{module}"), kind)
            except ModuleNotFoundError as error:
                if error.name != "torch":
                    raise
                raise AgentError(f'agent {name} needs PyTorch: pip install "tumble[agents]"') from None
            return found
        path, mark, kind = name.rpartition(":")
        if not mark or not path.endswith(".py"):
            raise AgentError(f"no agent {name!r}; there are {', '.join(self.built_in)}, or yours as FILE.py:CLASS")
        return self._class_in_file(Path(path), kind)

    def _class_in_file(self, path: Path, kind: str) -> type[A]:
        """A class of a user's file, which may import files beside it."""
        if not path.is_file():
            raise AgentError(f"{path}: no such Python file")
        name = f"tumble_agent_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up
        if str(path.parent.resolve()) not in sys.path:
            sys.path.append(str(path.parent.resolve()))
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise AgentError(_with_line(error, path)) from error
        found = getattr(module, kind, None)
        if found is None:
            raise AgentError(f"{path} has no {kind}")
        if not (isinstance(found, type) and issubclass(found, self.base)):
            raise AgentError(
                f"{path}: {kind} must be a class that derives from {self.base.__module__}.{self.base.__name__}"
            )
        method = self.method.partition("(")[0]
        if getattr(found, method) is getattr(self.base, method):
            raise AgentError(f"{path}: {kind} must have a method {self.method}")
        return found

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
def attributing_errors(agent: object, doing: str) -> Iterator[None]:
    """Turns whatever a user's agent raises into an AgentError that names its line; our own errors stay as they are."""
    try:
        yield
    except AgentError:
        raise
    except Exception as error:
        kind = type(agent)
        if kind.__module__.startswith("tumble."):
            raise
        raise AgentError(f"{kind.__name__} failed {doing}: {_with_line(error, _file_of(kind))}") from error


def _file_of(kind: type[Any]) -> Path | None:
    try:
        return Path(inspect.getfile(kind))
    except (TypeError, OSError):
        return None


def _with_line(error: BaseException, path: Path | None) -> str:
    """An error in one line, with the last line of the file that led to it."""
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    if path is None:
        return text
    if isinstance(error, SyntaxError):
        return f"{path}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == path.name
    ]
    return f"{path}, line {lines[-1]}: {text}" if lines else f"{path}: {text}"
