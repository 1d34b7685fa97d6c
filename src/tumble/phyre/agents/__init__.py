"""Agents that attempt PHYRE's tasks, by the names under which the command line knows them."""

import dataclasses
import importlib
import inspect
from pathlib import Path
from typing import Any

from tumble.phyre.agents.agent import Agent
from tumble.phyre.agents.own_file import AgentError, loaded

__all__ = ["AGENTS", "Agent", "AgentError", "class_of", "make", "settings_of"]

AGENTS = {
    "rand": "rand:Rand",
    "mem": "mem:Mem",
    "mem-o": "mem_online:MemOnline",
    "optimal": "optimal:Optimal",
    "dqn": "dqn:Dqn",
    "dqn-o": "dqn_online:DqnOnline",
    "explorer": "explorer:Explorer",
    "explorer-o": "explorer:ExplorerOnline",
}
"""Where each agent of ours is: module and class."""


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
        try:
            found: type[Agent] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise AgentError(f'agent {name} needs PyTorch: pip install "tumble[agents]"') from None
        return found
    path, mark, kind = name.rpartition(":")
    if not mark or not path.endswith(".py"):
        raise AgentError(f"no agent {name!r}; there are {', '.join(AGENTS)}, or yours as FILE.py:CLASS")
    return loaded(Path(path), kind)
