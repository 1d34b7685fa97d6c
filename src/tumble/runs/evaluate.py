"""Evaluation: a participant attempts tasks into a log, and what came of it, a result to which scores are added.

A run starts or resumes its log, attempts the missing tasks, and finishes the log. Several tasks are attempted at a
time, or one by one if an agent learns between tasks. Every attempt is written to the log as soon as it is made, so a
run that was killed resumes after its last attempt. Rollouts of many tasks are simulated in one batch, which is
faster; but what an agent has proposed is lost if the run is killed before the batch is simulated and logged, so that
many tasks are attempted together if the agent is quick, and few if it is slow.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from tumble.jobs.job import ProgressCallback as ProgressCallback
from tumble.runs import log as run_log
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, LogError, Row, TaskUpdate
from tumble.runs.participant import AgentError, attributing_errors
from tumble.runs.spec import AGENT_DIGEST, RunSpec, RunSpecError

QUICK_ROUND = 0.5
"""Seconds of a round below which more tasks are attempted together."""
LONG_ROUND = 2.0
"""Seconds of a round above which fewer are."""
SLOW_PROPOSAL = 0.02
"""Median seconds of a proposal from which on an agent is slow.

Not the mean: an agent may take long for its first proposal at a task and be quick from then on."""
SLOW_SHARE = 0.6
"""The share of a round's time above which a slow agent's proposals gain nothing from batches of rollouts."""


class Window:
    """The number of tasks to attempt together, which adapts to the time that rounds take."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        self.size = 1

    def adapt(self, seconds: float, proposals: Sequence[float]) -> None:
        """Adapts to a round of attempts that took some seconds, of which each of the agent's proposals took a part."""
        slow = bool(proposals) and median_low(proposals) > SLOW_PROPOSAL and sum(proposals) > SLOW_SHARE * seconds
        if slow or seconds > LONG_ROUND:
            self.size = max(1, self.size // 2)
        elif seconds < QUICK_ROUND:
            self.size = min(self.max_size, 2 * self.size)


S = TypeVar("S", bound=RunSpec)

Evaluate = Callable[[S, Log, ProgressCallback, int], None]
"""Attempts the tasks of a specification that are not yet in a log, with a number of CPU threads (0: all cores)."""


def make_run(evaluate: Evaluate[S], spec: S, folder: str | Path, progress: ProgressCallback, threads: int = 0) -> Log:
    """Makes a run, resumes it, or reads its log if it is finished."""
    return _complete_run(evaluate, spec, Path(folder) / spec.file_name(), progress, threads)


def resume_run(evaluate: Evaluate[S], spec: S, path: str | Path, progress: ProgressCallback, threads: int = 0) -> Log:
    """Resumes the run of a log, with the specification that `resumable` makes of it."""
    return _complete_run(evaluate, spec, Path(path), progress, threads)


def resumable_spec(log: Log, kind: type[S], agent: str | None = None, settings: Mapping[str, Any] | None = None) -> S:
    """The specification with which a log's run is resumed; a LogError if anything that it depends on has changed.

    A log names no code to run and no file or address to open, so whoever resumes it gives the `agent` of a file again,
    and those `settings` that name files or addresses.
    """
    spec = check_unchanged(log, kind)
    try:
        resumed = spec.resumed(agent, settings or {})
    except RunSpecError as error:
        raise LogError(f"{log.path}: {error}") from None
    if resumed.digests().get(AGENT_DIGEST) != log.header.digests.get(AGENT_DIGEST):
        raise LogError(f"{log.path}: {resumed.agent}: changed since the run was started; start a new run")
    return resumed


def _complete_run(evaluate: Evaluate[S], spec: S, path: Path, progress: ProgressCallback, threads: int) -> Log:
    finished = run_log.finished_path(path)
    if finished is not None:
        log = run_log.read(finished)
        progress(len(log.tasks), len(log.tasks))
        return log
    with run_log.open_log(path, spec.header()) as log:
        if not log.finished:
            spec.write_tasks(path.parent)
            evaluate(spec, log, progress, threads)
            log.finish()
    return log


def check_unchanged(log: Log, kind: type[S]) -> S:
    """The specification of a log; raises LogError if physics or tasks have changed."""
    spec = spec_of(log, kind)
    if log.header.physics != spec.physics():
        current = spec.physics()
        raise LogError(f"{log.path} was made with physics {log.header.physics}; the current physics is {current}")
    for name, digest in spec.task_digests().items():
        if log.header.digests.get(name) != digest:
            raise LogError(
                f"{log.path}: {name.removesuffix('_sha256')}: changed since the run was started; start a new run"
            )
    return spec


def spec_of(log: Log, kind: type[S]) -> S:
    """The specification of a log; error messages include the file."""
    try:
        return kind.from_header(log.header)
    except (LogError, RunSpecError) as error:
        raise LogError(f"{log.path}: {error}") from None


class HasId(Protocol):
    """A task, identified by its id."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
P = TypeVar("P")


@dataclass
class OpenTask(ABC, Generic[T]):
    """A task that is being attempted."""

    task: T
    max_attempts: int = 1
    rows: list[Row] = field(default_factory=list)
    """All attempts so far as rows of the log, those of an earlier process first."""
    given_up: str = ""
    """Why the agent gave the task up; empty if it did not."""

    @property
    @abstractmethod
    def past(self) -> Any:
        """All attempts so far as the agent learns from them."""

    @property
    @abstractmethod
    def is_over(self) -> bool: ...


O = TypeVar("O", bound=OpenTask[Any])  # noqa: E741 (a type)


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
    open_tasks: list[tuple[int, O]] = []
    while waiting or open_tasks:
        while waiting and len(open_tasks) < window.size:
            index, task = waiting.popleft()
            open_tasks.append((index, start(task, log.open_tasks.get(task.id, ()))))
        begin = perf_counter()
        active = open_tasks[: window.size]
        proposals = make_round([open_task for _, open_task in active if not open_task.is_over])
        log.append([_task_update(log, index, open_task) for index, open_task in active])
        window.adapt(perf_counter() - begin, proposals)
        over = [open_task for _, open_task in active if open_task.is_over]
        open_tasks = [(index, open_task) for index, open_task in open_tasks if not open_task.is_over]
        counter.add(len(over))
        if agent.learns_online:
            for open_task in over:
                _learn_from(agent, open_task.task, open_task.past)


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
    for index, task in enumerate(_ordered_tasks(agent, tasks) if online else tasks, start=first_index):
        if task.id not in log.tasks:
            if online and waiting and task.id in log.open_tasks:
                raise _other_order(log)
            waiting.append((index, task))
            continue
        if online:
            if waiting:
                raise _other_order(log)
            _learn_from(agent, task, recall(task, log.tasks[task.id]))
        counter.add()
    return waiting


def _other_order(log: Log) -> LogError:
    return LogError(f"{log.path}: its tasks are in another order than the agent's; start a new run")


def _task_update(log: Log, index: int, open_task: OpenTask[Any]) -> TaskUpdate:
    """What the log does not have of a task."""
    task_id = open_task.task.id
    logged = len(log.open_tasks.get(task_id, ()))
    return TaskUpdate(task_id, open_task.rows[logged:], index, open_task.is_over, open_task.given_up)


@dataclass
class Attempted(Generic[P]):
    """All attempts at one task: as rows for the log, and as the agent learns from them."""

    rows: Sequence[Row]
    past: P
    given_up: str = ""
    """Why the agent gave the task up; empty if it did not."""


@dataclass
class _Single(OpenTask[T]):
    """A task all of whose attempts are made in one round."""

    past: Any = None  # instead of the property
    is_over: bool = False


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
        for open_task in open_tasks:
            made = attempt(open_task.task)
            open_task.rows, open_task.past, open_task.given_up = list(made.rows), made.past, made.given_up
            open_task.is_over = True
        return []

    attempt_in_rounds(agent, tasks, log, counter, start, make_round, recall, max_open=1)


def _ordered_tasks(agent: Any, tasks: Sequence[T]) -> list[T]:
    with attributing_errors(agent, "ordering its tasks"):
        ordered: list[T] = list(agent.order(tasks))
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise AgentError(f"{type(agent).__name__}: `order` must return each task exactly once")
    return ordered


def _learn_from(agent: Any, task: T, past: object) -> None:
    with attributing_errors(agent, f"learning from task {task.id}"):
        agent.learn(task, past)


NO_PROPOSAL = "no proposal"
ONLY_INVALID = "only invalid proposals"
"""Why an agent gave a task up: it proposed nothing, or the same invalid actions twice in a row."""


@dataclass(frozen=True)
class Result(ABC):
    """The result of a run, which may be unfinished."""

    path: Path
    header: RunHeader
    finished: bool
    tasks_done: int
    given_up: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """By finished task that the agent gave up: why."""

    @property
    def agent(self) -> str:
        """A built-in name, or the class of a user's file."""
        return self.header.agent_label

    @property
    def task_count(self) -> int:
        """The number of tasks of the finished run."""
        return self.header.task_count

    @property
    def tasks(self) -> str:
        """The number of finished tasks as text: 500, or 12 of 500."""
        return str(self.task_count) if self.finished else f"{self.tasks_done} of {self.task_count}"

    @property
    def warning(self) -> str:
        """What may be wrong with the agent; empty if nothing."""
        invalid = list(self.given_up.values()).count(ONLY_INVALID)
        if not invalid:
            return ""
        tasks = f"{invalid} of {self.tasks_done} tasks given up"
        return f"{tasks}: the agent proposed the same actions twice in a row, all of them invalid"

    @property
    @abstractmethod
    def summary(self) -> str:
        """The scores in one line."""

    @property
    def score(self) -> float | None:
        """The number by which runs are ranked, the highest first; None where one number would not do."""
        return None

    @property
    def is_oracle(self) -> bool:
        """Whether the agent was given what it is asked for, so that it bounds others and is not ranked with them."""
        return self.header.given.is_oracle

    @property
    def agent_was_given(self) -> str:
        """What the agent was given of tasks, of its attempts and in training, in words."""
        return self.header.given.text


def given_up_text(reasons: Sequence[str], tasks: int) -> str:
    """How many of a number of tasks were given up, and why: 3 of 100 tasks given up (3 with no proposal)."""
    counts = [f"{reasons.count(reason)} with {reason}" for reason in sorted(set(reasons))]
    return f"{len(reasons)} of {tasks} tasks given up ({', '.join(counts)})"
