"""Agents that attempt tasks of two templates, whose outcomes depend on where the ball is placed."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from known_outcomes import KnownSimulator, task
from run_headers import header_of

from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.phyre.simulation.actions import placed_balls
from tumble.runs.log import Log, open_log

LEFT = [task(f"left:{number:03d}") for number in range(6)]
RIGHT = [task(f"right:{number:03d}") for number in range(6)]


def on_its_side(task_id: str, column: int) -> bool:
    """What is placed left solves the tasks of one template, right those of the other."""
    return column < 60 if task_id.startswith("left") else column >= 196


def never(task_id: str, column: int) -> bool:
    return False


def attempted(
    agent: Agent,
    tasks: Sequence[Task],
    solves: Callable[[str, int], bool],
    folder: Path,
    attempts: int = 100,
    simulator: KnownSimulator | None = None,
) -> Log:
    """The log of a trained agent's attempts."""
    with open_log(folder / "a.jsonl", header_of()) as log:
        attempt_all(agent, tasks, simulator or KnownSimulator(tasks, solves), log, attempts)
    return log


def columns(rows: Sequence[dict[str, object]]) -> list[int]:
    """Where the balls of a log's rows were placed."""
    return placed_balls(np.array([row["action"] for row in rows]))[:, 0, 0].astype(int).tolist()


class Rank(Agent):
    """Goes through a list."""

    def __init__(self, actions: np.ndarray) -> None:
        self.actions = actions

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        return NO_ACTIONS if past else self.actions
