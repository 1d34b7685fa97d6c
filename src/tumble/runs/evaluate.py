"""The loop in which an agent attempts tasks: in batches, or one by one if it learns between tasks.

Every finished task is written to the log immediately, so a run that was killed resumes after its last finished task.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tumble.runs.agent_registry import AgentError, attributing_errors
from tumble.runs.log import Log, LogError, Row
from tumble.runs.run import ProgressCallback


class HasId(Protocol):
    """A task, identified by its id."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
P = TypeVar("P")


class TaskCounter:
    """Counts finished tasks and reports them to a progress callback."""

    def __init__(self, progress: ProgressCallback = lambda _, __: None, total: int = 0) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self.add(0)

    def add(self, finished: int = 1) -> None:
        self._done += finished
        self._progress(self._done, self._total)


@dataclass(frozen=True)
class Attempted(Generic[P]):
    """The attempts at one task: as rows for the log, and as the agent learns from them."""

    rows: Sequence[Row]
    past: P


def attempt_tasks(
    agent: Any,
    tasks: Sequence[T],
    log: Log,
    counter: TaskCounter,
    attempt: Callable[[Sequence[T]], Sequence[Attempted[P]]],
    recall: Callable[[T, Sequence[Row]], P],
    batch_size: int,
) -> None:
    """Has an agent attempt the tasks that are not yet in a log.

    `attempt` makes all attempts at a batch of tasks. An agent with `learns_online` attempts tasks one by one, in the
    order of its `order(tasks)`, and its `learn(task, past)` is called after each. For tasks already in the log,
    `recall` restores `past` from their rows.
    """
    online = agent.learns_online
    remaining = []
    for task in _ordered(agent, tasks) if online else tasks:
        if task.id not in log.tasks:
            remaining.append(task)
            continue
        if online:
            if remaining:
                raise LogError(f"{log.path}: its tasks are in another order than the agent's; start a new run")
            _learn(agent, task, recall(task, log.tasks[task.id]))
        counter.add()
    step = 1 if online else batch_size
    for first in range(0, len(remaining), step):
        batch = remaining[first : first + step]
        for task, attempted in zip(batch, attempt(batch), strict=True):
            log.add_task(task.id, attempted.rows)
            counter.add()
            if online:
                _learn(agent, task, attempted.past)


def _ordered(agent: Any, tasks: Sequence[T]) -> list[T]:
    with attributing_errors(agent, "ordering its tasks"):
        ordered: list[T] = list(agent.order(tasks))
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise AgentError(f"{type(agent).__name__}: `order` must return each task exactly once")
    return ordered


def _learn(agent: Any, task: T, past: object) -> None:
    with attributing_errors(agent, f"learning from task {task.id}"):
        agent.learn(task, past)
