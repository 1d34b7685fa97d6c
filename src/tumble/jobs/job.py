"""Jobs, their outcomes, and the interface of executors."""

import traceback
from collections.abc import Callable, Iterator, Sequence
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


class Executor(Protocol):
    """Runs jobs; its iterator must be exhausted or closed, which ends all running jobs."""

    def run(self, jobs: Sequence[Job], progress: JobProgressCallback = ...) -> Iterator[Outcome]: ...


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
