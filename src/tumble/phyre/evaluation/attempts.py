"""Attempts at PHYRE's tasks: an agent proposes actions, and valid ones are rolled out in batches."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.evaluation.log_rows import row_of
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task
from tumble.runs.agent_registry import AgentError, attributing_errors
from tumble.runs.evaluate import Attempted
from tumble.runs.log import Row

ROLLOUTS_PER_ROUND = (4, 16, 80)
"""Attempts at a task that are rolled out together, by round: few at first, as many tasks are solved early."""
MAX_INVALID_PROPOSALS = 1000
"""Consecutive proposals of an agent that may contain only invalid actions."""


@dataclass
class _OpenTask:
    """A task that is being attempted."""

    task: Task
    past: list[AttemptedAction] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """The past attempts as rows of the log."""
    queue: list[np.ndarray] = field(default_factory=list)
    """Valid actions that were proposed but not yet attempted, the best first."""
    gave_up: bool = False

    def is_over(self, attempts: int) -> bool:
        return self.gave_up or len(self.past) >= attempts or (bool(self.past) and self.past[-1].solved)


def attempt_batch(
    agent: Agent, tasks: Sequence[Task], simulator: Simulator, attempts: int
) -> list[Attempted[list[AttemptedAction]]]:
    """Makes all attempts at a batch of tasks, rolled out together; batching does not change the attempts at a task."""
    open_tasks = [_OpenTask(task) for task in tasks]
    rounds = 0
    while active := [one for one in open_tasks if not one.is_over(attempts)]:
        max_rollouts = ROLLOUTS_PER_ROUND[min(rounds, len(ROLLOUTS_PER_ROUND) - 1)]
        rounds += 1
        batch: list[tuple[_OpenTask, np.ndarray]] = []
        for one in active:
            _fill_queue(agent, one, simulator)
            count = min(max_rollouts, attempts - len(one.past), len(one.queue))
            batch += [(one, one.queue.pop(0)) for _ in range(count)]
        if batch:
            _roll_out(agent, batch, simulator)
    return [Attempted(one.rows, one.past) for one in open_tasks]


def _fill_queue(agent: Agent, one: _OpenTask, simulator: Simulator) -> None:
    """Calls the agent's `propose` until an action is valid, or the agent gives up.

    Proposing the same invalid actions twice in a row counts as giving up.
    """
    before = None
    for _ in range(MAX_INVALID_PROPOSALS):
        if one.queue or one.gave_up:
            return
        proposed = _propose(agent, one, simulator)
        if not len(proposed) or (before is not None and np.array_equal(proposed, before)):
            one.gave_up = True
            return
        before = proposed
        inside = proposed[((proposed >= 0.0) & (proposed <= 1.0)).all(axis=1)]
        one.queue = list(inside[simulator.valid([one.task.id] * len(inside), inside)])
    if not one.queue:
        raise AgentError(
            f"{type(agent).__name__}: {MAX_INVALID_PROPOSALS:,} times in a row it proposed only invalid actions "
            f"for task {one.task.id}; to give up, propose none"
        )


def _propose(agent: Agent, one: _OpenTask, simulator: Simulator) -> np.ndarray:
    """The actions [n, numbers of the tier] that the agent proposes."""
    with attributing_errors(agent, f"proposing for task {one.task.id}"):
        answer = agent.propose(one.task, tuple(one.past))
        proposed = np.asarray([] if answer is None else answer, float)
    numbers = simulator.tier.numbers
    if proposed.size and (proposed.ndim != 2 or proposed.shape[1] != numbers):
        raise AgentError(
            f"{type(agent).__name__}: for task {one.task.id} it proposed an array of shape {list(proposed.shape)}; "
            f"actions of tier {simulator.tier.name} have the shape [n, {numbers}]"
        )
    return proposed.reshape(-1, numbers)


def _roll_out(agent: Agent, batch: list[tuple[_OpenTask, np.ndarray]], simulator: Simulator) -> None:
    """Rolls out actions, and adds the outcomes to each task's past, up to the first that solves it."""
    ids = [one.task.id for one, _ in batch]
    actions = np.array([action for _, action in batch])
    if agent.wants:
        made = simulator.attempts(ids, actions, want=agent.wants)
        steps = [attempt.steps for attempt in made]
    else:
        statuses, counts = simulator.outcomes(ids, actions)
        made, steps = [Attempt(int(status)) for status in statuses], counts.tolist()
    for (one, action), attempt, count in zip(batch, made, steps, strict=True):
        if not (one.past and one.past[-1].solved):
            one.past.append(AttemptedAction(action, attempt))
            one.rows.append(row_of(len(one.past), one.past[-1], count))
