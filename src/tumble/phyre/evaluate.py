"""Evaluating an agent: it trains, attempts test tasks, and every attempt goes into a run log.

Agents that don't learn between tasks attempt many tasks side by side, others one after the other; a task's attempts
are the same either way. A log that ends early is gone on with behind its last finished task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.agents.agent import Agent, Try
from tumble.phyre.attempt import Attempt
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.simulate import Simulator
from tumble.phyre.status import SOLVED
from tumble.phyre.tasks import Task
from tumble.progress import Advance
from tumble.runs.log import Log, LogError, Row

SIDE_BY_SIDE = 100
"""Tasks attempted together by agents that don't learn online."""
AHEAD = (4, 16, 80)
"""Attempts at a task that are rolled out together: few at first, as many tasks are solved soon."""


@dataclass
class _Open:
    """A task that is being attempted."""

    task: Task
    past: list[Try] = field(default_factory=list)
    waiting: list[np.ndarray] = field(default_factory=list)
    """Valid actions that were proposed and not yet tried, the best first."""
    gave_up: bool = False

    def over(self, attempts: int) -> bool:
        return self.gave_up or len(self.past) >= attempts or (bool(self.past) and self.past[-1].solved)


def attempt_tasks(
    agent: Agent,
    tasks: Sequence[Task],
    simulator: Simulator,
    log: Log,
    attempts: int = MOST_ATTEMPTS,
    advance: Advance = lambda _: None,
) -> None:
    """Has a trained agent attempt tasks, those that the log has already excepted; writes each when it is finished."""
    ordered = list(agent.order(tasks)) if agent.learns_online else list(tasks)
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise ValueError("the agent's order must have each task once")
    remaining = []
    for task in ordered:
        if task.id not in log.tasks:
            remaining.append(task)
            continue
        if remaining and agent.learns_online:
            raise LogError(f"{log.path}: its tasks come in another order than this agent's; begin a new run")
        advance(1)
        if agent.learns_online:
            agent.learn(task, _remembered(agent, task, log.tasks[task.id], simulator))
    together = 1 if agent.learns_online else SIDE_BY_SIDE
    for first in range(0, len(remaining), together):
        block = [_Open(task) for task in remaining[first : first + together]]
        _attempt_block(agent, block, simulator, attempts)
        for one in block:
            log.add_task(one.task.id, [_row(number, attempt) for number, attempt in enumerate(one.past, 1)])
            advance(1)
            if agent.learns_online:
                agent.learn(one.task, one.past)
    if not log.finished:
        log.finish()


def _attempt_block(agent: Agent, block: list[_Open], simulator: Simulator, attempts: int) -> None:
    """Attempts at some tasks, side by side, until all are over."""
    rounds = 0
    while active := [one for one in block if not one.over(attempts)]:
        ahead = AHEAD[min(rounds, len(AHEAD) - 1)]
        rounds += 1
        chosen: list[tuple[_Open, np.ndarray]] = []
        for one in active:
            _refill(agent, one, simulator)
            count = min(ahead, attempts - len(one.past), len(one.waiting))
            chosen += [(one, one.waiting.pop(0)) for _ in range(count)]
        if chosen:
            _try(agent, chosen, simulator)


def _refill(agent: Agent, one: _Open, simulator: Simulator) -> None:
    """Asks the agent for actions until there is a valid one, or none any more."""
    while not one.waiting and not one.gave_up:
        proposed = np.asarray(agent.propose(one.task, tuple(one.past)), float)
        if not len(proposed):
            one.gave_up = True
            return
        valid = simulator.valid([one.task.id] * len(proposed), proposed)
        one.waiting = list(proposed[valid])


def _try(agent: Agent, chosen: list[tuple[_Open, np.ndarray]], simulator: Simulator) -> None:
    """Rolls actions out, and adds to each task's past what came of its actions, up to the first that solves."""
    ids = [one.task.id for one, _ in chosen]
    actions = np.array([action for _, action in chosen])
    if agent.wants:
        done = simulator.attempts(ids, actions, want=agent.wants)
    else:
        done = [
            Attempt(int(status), int(steps)) for status, steps in zip(*simulator.outcomes(ids, actions), strict=True)
        ]
    for (one, action), attempt in zip(chosen, done, strict=True):
        if not (one.past and one.past[-1].solved):
            one.past.append(Try(action, attempt))


def _row(number: int, tried: Try) -> Row:
    """An attempt as the log keeps it; a sweep store that knew the status did not know the steps."""
    action = [float(number) for number in tried.action]
    return {"attempt": number, "action": action, "status": tried.attempt.status, "steps": tried.attempt.steps or None}


def _remembered(agent: Agent, task: Task, rows: Sequence[Row], simulator: Simulator) -> list[Try]:
    """The attempts of a log as the agent saw them."""
    actions = np.array([row["action"] for row in rows])
    if agent.wants:
        seen = simulator.attempts([task.id] * len(rows), actions, want=agent.wants)
    else:
        seen = [Attempt(row["status"], row["steps"] or 0) for row in rows]
    return [Try(action, attempt) for action, attempt in zip(actions, seen, strict=True)]


def solved_at(log: Log) -> dict[str, int | None]:
    """The attempt at which each finished task was solved, None where it was not."""
    found: dict[str, int | None] = {}
    for task_id, rows in log.tasks.items():
        solved = [row["attempt"] for row in rows if row["status"] >= SOLVED]
        found[task_id] = solved[0] if solved else None
    return found
