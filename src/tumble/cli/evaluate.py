"""Common to the `evaluate` commands of all benchmarks: runs are made in parallel, and each result is printed.

Each run is made in its own process. The demo makes runs of a small part of every benchmark, and one page that is
updated as parts finish.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from tumble.benchmark import Benchmark, benchmarks
from tumble.jobs.executors import cores, make_executor
from tumble.jobs.job import Job, Outcome, ProgressCallback, total_progress
from tumble.output import BAD_INPUT, plural, print_error, print_line, reports_errors, resume_hint
from tumble.progress import Advance, bar
from tumble.report import page
from tumble.report.document import Document, join_documents
from tumble.runs.evaluate import Result
from tumble.runs.log import Log, read
from tumble.runs.participant import LanguageModel
from tumble.runs.spec import RunSpec


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
    jobs = [Job(call.title, _make_one_run, (call, 0 if alone else 1)) for call in calls]
    yield from make_executor(executor, workers).run(jobs, total_progress(advance))


def _make_one_run(call: RunCall, threads: int, progress: ProgressCallback) -> Result:
    """Makes one run, in this process or a worker; returns only the result, as attempts are in the log."""
    return call.result_of(call.function(*call.arguments, progress, threads))


def evaluate_specs(
    benchmark: Benchmark, specs: Sequence[RunSpec], folder: Path, workers: int | None, executor: str, device: str
) -> list[Any]:
    """Makes runs and prints their results as they end; returns the results of those that did not fail."""
    for spec in {spec.agent: spec for spec in specs}.values():
        # what is wrong with an agent is reported before anything runs
        spec.make_participant() if spec.participant is LanguageModel else spec.make_agent()
    calls = [
        RunCall(spec.title, len(spec.task_ids()), benchmark.run, (spec, folder), benchmark.result) for spec in specs
    ]
    hint = f"finished tasks are in {folder}. Repeat the command to resume."
    return _make_and_print_runs(calls, workers, executor, device, hint)


def resume_runs(
    benchmark: Benchmark, runs: Sequence[tuple[Log, RunSpec]], workers: int | None, executor: str
) -> list[Result]:
    """Resumes the runs of logs, with what `resumable` made of them; returns the results of those that did not fail."""
    calls = [
        RunCall(spec.title, log.header.task_count, benchmark.resume_as, (spec, log.path), benchmark.result)
        for log, spec in runs
    ]
    devices = {str(log.header.spec.get("device", "cpu")) for log, _ in runs}
    device = "cpu" if devices == {"cpu"} else "cuda"
    return _make_and_print_runs(calls, workers, executor, device, "repeat the command to resume.")


def exit_if_failed(results: Sequence[Result], runs: int) -> None:
    """Exits with an error if runs failed."""
    if len(results) < runs:
        print_error(f"failed: {plural(runs - len(results), 'run')} of {runs}")
        raise typer.Exit(BAD_INPUT)


def _make_and_print_runs(
    calls: Sequence[RunCall], workers: int | None, executor: str, device: str, hint: str
) -> list[Result]:
    results, warnings = [], []
    with resume_hint(hint), bar("Tasks", sum(call.task_count for call in calls)) as advance:
        for outcome in run_in_parallel(calls, workers, executor, device, advance):
            if outcome.error:
                print_error(f"{outcome.job.name}: {outcome.error}")
                if outcome.trace:
                    print_error(outcome.trace, in_one_line=False)
                continue
            results.append(outcome.value)
            print_line(f"{outcome.job.name}: {outcome.value.summary}\n  {outcome.value.path}")
            if outcome.value.warning:
                warnings.append(f"warning: {outcome.job.name}: {outcome.value.warning}")
    for warning in warnings:
        print_error(warning)
    return results


DEMO_TITLE = "Tumble: a demo of every benchmark"


@reports_errors
def run_demo(out: Path, workers: int | None = None) -> None:
    """Writes the demo's files into the existing folder `out`."""
    target, start = out / "index.html", time.monotonic()
    print_line("The first time, the physics is compiled.")
    parts: list[Document] = []
    for benchmark in benchmarks().values():
        part = Document(benchmark.title)
        for _ in benchmark.add_demo(part, out / benchmark.name, workers):
            page.write(join_documents([*parts, part], DEMO_TITLE), target, refresh=True)
            print_line(f"{benchmark.title}: see {target} ({time.monotonic() - start:.0f} s)")
        parts += [part] if part.parts else []
    page.write(join_documents(parts, DEMO_TITLE), target)
    print_line(f"Finished after {time.monotonic() - start:.0f} s. Open {target}")


def make_demo_runs(benchmark: Benchmark, specs: Sequence[RunSpec], folder: Path, workers: int | None) -> list[Log]:
    """Makes runs in a folder; their logs, with as many attempts as a report needs."""
    results = evaluate_specs(benchmark, specs, folder, workers, "local", "cpu")
    exit_if_failed(results, len(specs))
    return [read(result.path, brief=not benchmark.needs_all_attempts) for result in results]
