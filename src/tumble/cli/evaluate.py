"""Common to the `evaluate` commands of all benchmarks: runs are made in parallel, and each result is printed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from tumble.benchmark import Benchmark
from tumble.output import BAD_INPUT, plural, print_error, print_line, resume_hint
from tumble.progress import bar
from tumble.runs.log import Log
from tumble.runs.parallel import RunCall, run_in_parallel
from tumble.runs.result import Result
from tumble.runs.run_spec import RunSpec


def evaluate_specs(
    benchmark: Benchmark, specs: Sequence[RunSpec], folder: Path, workers: int | None, executor: str, device: str
) -> list[Any]:
    """Makes runs and prints their results as they end; returns the results of those that did not fail."""
    for spec in {spec.agent: spec for spec in specs}.values():
        spec.make_agent()  # reports a wrong agent before anything runs
    calls = [
        RunCall(spec.title, len(spec.task_ids()), benchmark.run, (spec, folder), benchmark.result) for spec in specs
    ]
    hint = f"finished tasks are in {folder}. Repeat the command to resume."
    return _make_runs(calls, workers, executor, device, hint)


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
    return _make_runs(calls, workers, executor, device, "repeat the command to resume.")


def exit_if_failed(results: Sequence[Result], runs: int) -> None:
    """Exits with an error if runs failed."""
    if len(results) < runs:
        print_error(f"failed: {plural(runs - len(results), 'run')} of {runs}")
        raise typer.Exit(BAD_INPUT)


def _make_runs(calls: Sequence[RunCall], workers: int | None, executor: str, device: str, hint: str) -> list[Result]:
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
