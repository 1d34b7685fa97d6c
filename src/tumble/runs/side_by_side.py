"""Runs of agents side by side, with what came of each printed as it comes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tumble.jobs.executors import cores, make
from tumble.jobs.job import Job, Report
from tumble.output import complain, resumable, say
from tumble.progress import Advance, bar
from tumble.runs.log import Log


class Readable(Protocol):
    """What came of a run."""

    @property
    def path(self) -> Any:
        """Its log."""

    @property
    def words(self) -> str:
        """What an agent reached."""


R = TypeVar("R", bound=Readable)


@dataclass(frozen=True)
class Call(Generic[R]):
    """A run to make, or to go on with."""

    title: str
    tasks: int
    function: Callable[..., Log]
    arguments: tuple[Any, ...]
    result_of: Callable[[Log], R]


def run_all(calls: Sequence[Call[R]], workers: int | None, executor: str, device: str, hint: str) -> list[R]:
    """Makes the runs, prints what came of each, and gives the results of those that did not fail."""
    if workers is None and device != "cpu":
        workers = 1  # one process fills a GPU
    alone = min(workers or cores(), len(calls)) <= 1 and executor == "local"
    jobs = [Job(call.title, _made, (call, 0 if alone else 1)) for call in calls]
    results = []
    with resumable(hint), bar("Tasks", sum(call.tasks for call in calls)) as advance:
        for outcome in make(executor, workers).run(jobs, _Count(advance).progress):
            if outcome.error:
                complain(f"{outcome.job.name}: {outcome.error}")
                if outcome.trace:
                    complain(outcome.trace, in_one_line=False)
                continue
            results.append(outcome.value)
            say(f"{outcome.job.name}: {outcome.value.words}\n  {outcome.value.path}")
    return results


def resume_all(calls: Sequence[Call[R]], logs: Sequence[Log], workers: int | None, executor: str) -> int:
    """Goes on with the runs of logs that ended early; how many failed."""
    devices = {str(log.header.get("device", "cpu")) for log in logs}
    hint = "what has been done is kept. Give the same command again to go on."
    device = "cpu" if devices == {"cpu"} else "cuda"
    return len(calls) - len(run_all(calls, workers, executor, device, hint))


def _made(call: Call[R], threads: int, report: Report) -> R:
    """One run, in whatever process; its attempts stay in its log."""
    return call.result_of(call.function(*call.arguments, report, threads=threads))


class _Count:
    """Tasks finished of all runs together."""

    def __init__(self, advance: Advance) -> None:
        self.advance = advance
        self.done: dict[str, int] = {}

    def progress(self, job: Job, done: int, total: int) -> None:
        self.advance(done - self.done.get(job.name, 0))
        self.done[job.name] = done
