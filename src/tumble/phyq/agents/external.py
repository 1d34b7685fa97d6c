"""Agents that play from outside, through the server; their runs can be read, scored and replayed, but not resumed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.agents.agent import Agent, AttemptState, Proposal
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.tasks.task import Task
from tumble.runs.agent_registry import AgentError
from tumble.runs.given import Given

PREFIX = "external:"
"""Before the name of such an agent in run specifications."""


def external_name(name: str) -> str:
    """The agent of a name in run specifications, as in external:Datalab."""
    if not re.fullmatch(r"[A-Za-z0-9._ -]+", name):
        raise AgentError(f"no name for an agent: {name!r}; use letters, digits, spaces and . _ -")
    return PREFIX + name


def is_external(agent: str) -> bool:
    """Whether an agent of a run specification plays from outside."""
    return agent.startswith(PREFIX)


@dataclass
class External(Agent):
    """Stands for an agent that plays from outside."""

    def given(self) -> Given:
        return Given(tasks=("picture", "boxes"), attempts=("status", "pictures"), declared=False)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Proposal:
        raise AgentError(
            "an agent from outside can't be started here: run `tumble phyq serve` with the same options, and connect it"
        )
