"""Agents of people's own files, and their errors: what went wrong, and in which line of the file."""

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tumble.phyre.agents.agent import Agent


class AgentError(ValueError):
    """An agent that can't be made, or that does what an agent must not do."""


def loaded(path: Path, kind: str) -> type[Agent]:
    """A class of somebody's own file; other files beside it can be imported as from a program."""
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
        raise AgentError(_told(error, path)) from error
    found = getattr(module, kind, None)
    if found is None:
        raise AgentError(f"{path} has no {kind}")
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise AgentError(f"{path}: {kind} must be a class that derives from tumble.phyre.agents.agent.Agent")
    if found.propose is Agent.propose:
        raise AgentError(f"{path}: {kind} must have a method propose(self, task, past)")
    return found


@contextmanager
def asked(agent: Agent, doing: str) -> Iterator[None]:
    """Whatever an agent of somebody's own raises here becomes an AgentError; errors of ours stay as they are."""
    try:
        yield
    except AgentError:
        raise
    except Exception as error:
        kind = type(agent)
        if kind.__module__.startswith("tumble."):
            raise
        raise AgentError(f"{kind.__name__} failed {doing}: {_told(error, _file_of(kind))}") from error


def _file_of(kind: type[Any]) -> Path | None:
    try:
        return Path(inspect.getfile(kind))
    except (TypeError, OSError):
        return None


def _told(error: BaseException, path: Path | None) -> str:
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
