"""Runs of agents side by side, with what came of each printed as it comes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumble.output import complain, resumable, say
from tumble.phyre.experiment import Experiment, resume, run
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.results import Result, result_of
from tumble.progress import Advance, bar
from tumble.runs.executor import Job, Report, cores, make
from tumble.runs.log import Log

FEW_ATTEMPTS = 10


@dataclass(frozen=True)
class Call:
    """A run to make, or to go on with."""

    title: str
    tasks: int
    function: Callable[..., Log]
    arguments: tuple[Any, ...]


def begun(experiment: Experiment, folder: Path) -> Call:
    """A run of an experiment into a folder."""
    return Call(experiment.title, experiment.task_count(), run, (experiment, folder))


def resumed(log: Log, experiment: Experiment) -> Call:
    """A run that ended early."""
    return Call(experiment.title, int(log.header["task_count"]), resume, (log.path,))


def run_all(calls: Sequence[Call], workers: int | None, executor: str, device: str, hint: str) -> list[Result]:
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
            say(f"{outcome.job.name}: {scores(outcome.value)}\n  {outcome.value.path}")
    return results


def _made(call: Call, threads: int, report: Report) -> Result:
    """One run, in whatever process; its attempts stay in its log."""
    return result_of(call.function(*call.arguments, report, threads=threads))


def scores(result: Result) -> str:
    """What an agent reached, in words."""
    within = " and ".join(f"{result.success(most):.1f} % within {most}" for most in (FEW_ATTEMPTS, MOST_ATTEMPTS))
    return f"AUCCESS {result.auccess:.1f}; solved {within} attempts"


class _Count:
    """Tasks finished of all runs together."""

    def __init__(self, advance: Advance) -> None:
        self.advance = advance
        self.done: dict[str, int] = {}

    def progress(self, job: Job, done: int, total: int) -> None:
        self.advance(done - self.done.get(job.name, 0))
        self.done[job.name] = done
