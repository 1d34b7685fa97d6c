"""Jobs, their outcomes, and the interface of executors."""

import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tumble.errors import TumbleError

ProgressCallback = Callable[[int, int], None]
"""Called with the amount of work that is done, and the total."""


class ExecutorError(TumbleError):
    """An executor that does not exist or can't be used."""


@dataclass(frozen=True)
class Job:
    """A call of `function(*arguments, progress)`; function, arguments and value must be picklable.

    It must be safe to run again after a kill at any moment: its files are written whole, or resumed.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The value of a job, or its error in one line; the traceback too if the error is a bug."""

    job: Job
    value: Any = None
    error: str = ""
    trace: str = ""
    locked: bool = False
    """Whether the error is that another process holds the lock of a file."""


JobProgressCallback = Callable[[Job, int, int], None]
"""Called with a running job, the amount of its work that is done, and the total."""


def total_progress(advance: Callable[[int], None]) -> JobProgressCallback:
    """A progress callback of jobs that calls `advance` with each amount of work done, whichever job did it."""
    done: dict[int, int] = {}

    def progress(job: Job, finished: int, total: int) -> None:
        advance(finished - done.get(id(job), 0))
        done[id(job)] = finished

    return progress


Jobs = Iterable[Job | None]
"""Jobs, taken one by one when they can be started. None means that no job can be started before the next outcome."""


class Executor(Protocol):
    """Runs jobs; its iterator must be exhausted or closed, which ends all running jobs."""

    @property
    def workers(self) -> int | None:
        """The most jobs that run at a time; None if the cluster decides."""

    def run(self, jobs: Jobs, progress: JobProgressCallback = ...) -> Iterator[Outcome]: ...


class JobQueue:
    """Jobs that are taken from an iterable as late as possible."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = iter(jobs)
        self._returned: deque[Job] = deque()
        self.exhausted = False

    def take(self) -> Job | None:
        """The next job; None if there is none now, or none any more (`exhausted`)."""
        if self._returned:
            return self._returned.popleft()
        if self.exhausted:
            return None
        try:
            return next(self._jobs)
        except StopIteration:
            self.exhausted = True
            return None

    def give_back(self, *jobs: Job) -> None:
        """Puts jobs first in the queue."""
        self._returned.extendleft(reversed(jobs))


def run_job(job: Job, progress: ProgressCallback) -> Outcome:
    """Runs one job in this process; any exception becomes an outcome, and so does an attempt to exit."""
    try:
        return Outcome(job, job.function(*job.arguments, progress))
    except (TumbleError, OSError) as error:
        return Outcome(job, error=str(error) or type(error).__name__, locked=_is_locked(error))
    except (Exception, SystemExit) as error:
        return Outcome(job, error=f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def _is_locked(error: BaseException | None) -> bool:
    """Whether an error was raised because a file is locked: itself, or while that error was handled."""
    while error is not None:
        if isinstance(error, BlockingIOError):
            return True
        error = error.__cause__ or error.__context__
    return False
