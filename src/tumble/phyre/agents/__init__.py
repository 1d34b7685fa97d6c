"""Agents that attempt PHYRE's tasks, by the names under which the command line knows them."""

import dataclasses
import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import Any

from tumble.phyre.agents.agent import Agent

AGENTS = {
    "rand": "rand:Rand",
    "mem": "mem:Mem",
    "mem-o": "mem_online:MemOnline",
    "optimal": "optimal:Optimal",
}
"""Where each agent of ours is: module and class."""


class AgentError(ValueError):
    """An agent that can't be made, and why."""


def make(name: str, **settings: Any) -> Agent:
    """An agent of ours by its name, or one of a file, as in "my_agent.py:MyAgent", with settings of its own."""
    kind = class_of(name)
    known = settings_of(kind)
    unknown = next((setting for setting in settings if setting not in known), None)
    if unknown is not None:
        raise AgentError(f"agent {name} has no setting {unknown!r}; it has {', '.join(known) or 'none'}")
    try:
        agent = kind(**settings)
    except Exception as error:
        raise AgentError(f"agent {name} can't be made: {type(error).__name__}: {error}") from error
    return agent


def settings_of(kind: type[Any]) -> list[str]:
    """The settings that an agent takes."""
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind) if field.init]
    return [name for name in inspect.signature(kind).parameters if name not in ("args", "kwargs")]


def class_of(name: str) -> type[Agent]:
    """The class of an agent by its name."""
    if name in AGENTS:
        module, _, kind = AGENTS[name].partition(":")
        found: type[Agent] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
        return found
    path, mark, kind = name.rpartition(":")
    if not mark or not path.endswith(".py"):
        raise AgentError(f"no agent {name!r}; there are {', '.join(AGENTS)}, or yours as FILE.py:CLASS")
    return _loaded(Path(path), kind)


def _loaded(path: Path, kind: str) -> type[Agent]:
    """A class of somebody's own file."""
    spec = importlib.util.spec_from_file_location(f"tumble_agent_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AgentError(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise AgentError(f"{path}: {type(error).__name__}: {error}") from error
    found = getattr(module, kind, None)
    if found is None:
        raise AgentError(f"{path} has no {kind}")
    if not (isinstance(found, type) and callable(getattr(found, "propose", None)) and issubclass(found, Agent)):
        raise AgentError(f"{path}: {kind} must be a class that derives from tumble.phyre.agents.agent.Agent")
    return found
