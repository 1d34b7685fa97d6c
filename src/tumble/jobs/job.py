"""What a job is, its outcome, and what an executor does."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tumble.errors import TumbleError

Report = Callable[[int, int], None]
"""Called by a job with how much is done, and of how much."""


class ExecutorError(TumbleError):
    """An executor that does not exist, or can't be used."""


@dataclass(frozen=True)
class Job:
    """A call of `function(*arguments, report)`; function, arguments and value must be picklable."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The value of a job, or its error in one line; for a bug the traceback too."""

    job: Job
    value: Any = None
    error: str = ""
    trace: str = ""


Progress = Callable[[Job, int, int], None]
"""Called with a running job, how much of it is done, and of how much."""


class Executor(Protocol):
    """Runs jobs; its iterator must be exhausted or closed, which ends all running jobs."""

    def run(self, jobs: Sequence[Job], progress: Progress = ...) -> Iterator[Outcome]: ...


def run_job(job: Job, report: Report) -> Outcome:
    """Runs one job in this process; whatever it raises becomes an outcome."""
    try:
        return Outcome(job, job.function(*job.arguments, report))
    except (TumbleError, OSError) as error:
        return Outcome(job, error=str(error) or type(error).__name__)
    except Exception as error:
        return Outcome(job, error=f"{type(error).__name__}: {error}", trace=traceback.format_exc())
