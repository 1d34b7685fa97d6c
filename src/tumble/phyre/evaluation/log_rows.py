"""Attempts as rows of a run log, and back."""

from collections.abc import Sequence

import numpy as np

from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task
from tumble.runs.log import Row


def _row(number: int, tried: AttemptedAction, steps: int) -> Row:
    """An attempt as the log keeps it; a sweep store that knew the status did not know the steps."""
    action = [float(number) for number in tried.action]
    return {"attempt": number, "action": action, "status": tried.attempt.status, "steps": steps or None}


def _remembered(agent: Agent, task: Task, rows: Sequence[Row], simulator: Simulator) -> list[AttemptedAction]:
    """The attempts of a log as the agent saw them."""
    actions = np.array([row["action"] for row in rows])
    if agent.wants:
        seen = simulator.attempts([task.id] * len(rows), actions, want=agent.wants)
    else:
        seen = [Attempt(row["status"]) for row in rows]
    return [AttemptedAction(action, attempt) for action, attempt in zip(actions, seen, strict=True)]
