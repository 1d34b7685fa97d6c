"""The loop in which an agent attempts tasks: several at a time, or one by one if it learns between tasks.

Every attempt is written to the log as soon as it is made, so a run that was killed resumes after its last attempt.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from tumble.runs.agent_registry import AgentError, attributing_errors
from tumble.runs.log import Log, LogError, Row, TaskUpdate
from tumble.runs.run import ProgressCallback
from tumble.runs.window import Window


class HasId(Protocol):
    """A task, identified by its id."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
P = TypeVar("P")


class OpenTask(Protocol):
    """A task that is being attempted."""

    @property
    def rows(self) -> Sequence[Row]:
        """All attempts so far as rows of the log, those of an earlier process first."""

    @property
    def past(self) -> Any:
        """All attempts so far as the agent learns from them."""

    @property
    def is_over(self) -> bool: ...

    @property
    def given_up(self) -> str:
        """Why the agent gave the task up; empty if it did not."""


O = TypeVar("O", bound=OpenTask)  # noqa: E741 (a type)


class TaskCounter:
    """Counts finished tasks and reports them to a progress callback."""

    def __init__(self, progress: ProgressCallback = lambda _, __: None, total: int = 0) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self.add(0)

    def add(self, finished: int = 1) -> None:
        self._done += finished
        self._progress(self._done, self._total)


def attempt_in_rounds(
    agent: Any,
    tasks: Sequence[T],
    log: Log,
    counter: TaskCounter,
    start: Callable[[T, Sequence[Row]], O],
    make_round: Callable[[Sequence[O]], Sequence[float]],
    recall: Callable[[T, Sequence[Row]], Any],
    max_open: int,
    first_index: int = 0,
) -> None:
    """Has an agent attempt the tasks that are not yet in a log, up to `max_open` at a time.

    `start` opens a task with the attempts that the log already has. `make_round` makes the next attempts at open tasks
    and returns the seconds that each of the agent's proposals took. An agent with `learns_online` attempts tasks one
    by one, in the order of its `order(tasks)`, and its `learn(task, past)` is called after each; for finished tasks in
    the log, `recall` restores `past` from their rows. `first_index` is the position of the first task in the run.
    """
    waiting = _recall_finished(agent, tasks, log, counter, recall, first_index)
    window = Window(1 if agent.learns_online else max_open)
    open_tasks: list[tuple[int, T, O]] = []
    while waiting or open_tasks:
        while waiting and len(open_tasks) < window.size:
            index, task = waiting.popleft()
            open_tasks.append((index, task, start(task, log.open_tasks.get(task.id, ()))))
        begin = perf_counter()
        active = open_tasks[: window.size]
        proposals = make_round([one for _, _, one in active if not one.is_over])
        log.append([_update(log, task, index, one) for index, task, one in active])
        window.adapt(perf_counter() - begin, proposals)
        over = [(task, one) for _, task, one in active if one.is_over]
        open_tasks = [entry for entry in open_tasks if not entry[2].is_over]
        counter.add(len(over))
        if agent.learns_online:
            for task, one in over:
                _learn(agent, task, one.past)


def _recall_finished(
    agent: Any,
    tasks: Sequence[T],
    log: Log,
    counter: TaskCounter,
    recall: Callable[[T, Sequence[Row]], Any],
    first_index: int,
) -> deque[tuple[int, T]]:
    """The tasks that are not finished, with their positions in the run; an online agent learns from the others."""
    online = agent.learns_online
    waiting: deque[tuple[int, T]] = deque()
    for index, task in enumerate(_ordered(agent, tasks) if online else tasks, start=first_index):
        if task.id not in log.tasks:
            if online and waiting and task.id in log.open_tasks:
                raise _other_order(log)
            waiting.append((index, task))
            continue
        if online:
            if waiting:
                raise _other_order(log)
            _learn(agent, task, recall(task, log.tasks[task.id]))
        counter.add()
    return waiting


def _other_order(log: Log) -> LogError:
    return LogError(f"{log.path}: its tasks are in another order than the agent's; start a new run")


def _update(log: Log, task: HasId, index: int, one: OpenTask) -> TaskUpdate:
    """What the log does not have of a task."""
    logged = len(log.open_tasks.get(task.id, ()))
    return TaskUpdate(task.id, one.rows[logged:], index, one.is_over, one.given_up)


@dataclass
class Attempted(Generic[P]):
    """All attempts at one task: as rows for the log, and as the agent learns from them."""

    rows: Sequence[Row]
    past: P
    given_up: str = ""
    """Why the agent gave the task up; empty if it did not."""


def attempt_tasks(
    agent: Any,
    tasks: Sequence[T],
    log: Log,
    counter: TaskCounter,
    attempt: Callable[[T], Attempted[P]],
    recall: Callable[[T, Sequence[Row]], P],
) -> None:
    """Has an agent attempt the tasks that are not yet in a log, one by one.

    `attempt` makes all attempts at a task, which are logged together. Otherwise as `attempt_in_rounds`.
    """

    def start(task: T, rows: Sequence[Row]) -> _Single[T]:
        if rows:
            log.discard(task.id)  # a part of them: the run was killed while they were written
        return _Single(task)

    def make_round(open_tasks: Sequence[_Single[T]]) -> list[float]:
        for one in open_tasks:
            one.attempted = attempt(one.task)
        return []

    attempt_in_rounds(agent, tasks, log, counter, start, make_round, recall, max_open=1)


@dataclass
class _Single(Generic[T]):
    """An open task whose attempts are made in one round."""

    task: T
    attempted: Attempted[Any] | None = None

    @property
    def is_over(self) -> bool:
        return self.attempted is not None

    @property
    def rows(self) -> Sequence[Row]:
        return self.attempted.rows if self.attempted else ()

    @property
    def past(self) -> Any:
        return self.attempted.past if self.attempted else None

    @property
    def given_up(self) -> str:
        return self.attempted.given_up if self.attempted else ""


def _ordered(agent: Any, tasks: Sequence[T]) -> list[T]:
    with attributing_errors(agent, "ordering its tasks"):
        ordered: list[T] = list(agent.order(tasks))
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise AgentError(f"{type(agent).__name__}: `order` must return each task exactly once")
    return ordered


def _learn(agent: Any, task: T, past: object) -> None:
    with attributing_errors(agent, f"learning from task {task.id}"):
        agent.learn(task, past)
