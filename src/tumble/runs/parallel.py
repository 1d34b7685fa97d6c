"""Makes runs in parallel, each in its own process."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tumble.jobs.executors import cores, make
from tumble.jobs.job import Job, Outcome, ProgressCallback, total_progress
from tumble.progress import Advance
from tumble.runs.log import Log
from tumble.runs.result import Result


@dataclass(frozen=True)
class RunCall:
    """A run to make or to resume: `result_of(function(*arguments, progress, threads))`."""

    title: str
    task_count: int
    function: Callable[..., Log]
    arguments: tuple[Any, ...]
    result_of: Callable[[Log], Result]


def run_in_parallel(
    calls: Sequence[RunCall], workers: int | None, executor: str, device: str, advance: Advance
) -> Iterator[Outcome]:
    """Yields outcomes as runs end, whose values are results; `advance` counts the finished tasks of all runs."""
    if workers is None and device != "cpu":
        workers = 1  # one process fills a GPU
    alone = executor == "local" and min(workers or cores(), len(calls)) <= 1
    jobs = [Job(call.title, _make_run, (call, 0 if alone else 1)) for call in calls]
    yield from make(executor, workers).run(jobs, total_progress(advance))


def _make_run(call: RunCall, threads: int, progress: ProgressCallback) -> Result:
    """Makes one run, in this process or a worker; returns only the result, as attempts are in the log."""
    return call.result_of(call.function(*call.arguments, progress, threads))
