"""Jobs, what comes of them, and what an executor is."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Report = Callable[[int, int], None]
"""Called by a job with how much is done, and of how much."""


class ExecutorError(ValueError):
    """An executor that is not there."""


@dataclass(frozen=True)
class Job:
    """A call of `function(*arguments, report)`; function, arguments and result have to be picklable."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of a job: a value, or an error in one line; for errors that nobody foresaw the traceback too."""

    job: Job
    value: Any = None
    error: str = ""
    trace: str = ""


Progress = Callable[[Job, int, int], None]
"""Called with a job that goes on, how much of it is done, and of how much."""


class Executor(Protocol):
    """Runs jobs; what it gives is to be iterated over to the end, or closed, which ends all that is under way."""

    def run(self, jobs: Sequence[Job], progress: Progress = ...) -> Iterator[Outcome]: ...


def attempted(job: Job, report: Report) -> Outcome:
    """Runs one job here; whatever it raises becomes an outcome."""
    try:
        return Outcome(job, job.function(*job.arguments, report))
    except (ValueError, OSError) as error:
        return Outcome(job, error=str(error) or type(error).__name__)
    except Exception as error:
        return Outcome(job, error=f"{type(error).__name__}: {error}", trace=traceback.format_exc())
