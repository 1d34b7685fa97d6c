"""PHYRE's attempts as rows of a run log, and back.

A language model loses an attempt if its answer can't be read. The row of such an attempt has an empty action, and its
status is that of an invalid one; nothing is simulated.
"""

from collections.abc import Sequence

import numpy as np

from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID
from tumble.phyre.tasks.task import Task
from tumble.runs.log import Row


def row_of(number: int, past: AttemptedAction, steps: int) -> Row:
    """An attempt as a row of the log; `steps` is 0 for outcomes of a sweep store, which has only the status."""
    action = [float(value) for value in past.action]
    return {"attempt": number, "action": action, "status": past.attempt.status, "steps": steps or None}


def lost_row(number: int) -> Row:
    """The row of an attempt without an action."""
    return {"attempt": number, "action": [], "status": INVALID, "steps": None}


def is_lost(row: Row) -> bool:
    """Whether an attempt has no action."""
    return not row["action"]


def past_attempts(agent: Agent, task: Task, rows: Sequence[Row], simulator: Simulator) -> list[AttemptedAction]:
    """The attempts of a log as the agent saw them."""
    actions = np.array([row["action"] for row in rows])
    if agent.wants:
        made = simulator.attempts([task.id] * len(rows), actions, want=agent.wants)
    else:
        made = [Attempt(row["status"]) for row in rows]
    return [AttemptedAction(action, attempt) for action, attempt in zip(actions, made, strict=True)]
