"""Runs of agents, for the programs of this folder."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tumble.benchmark import Benchmark
from tumble.cli.evaluate import RunCall, run_in_parallel
from tumble.progress import bar
from tumble.runs.spec import RunSpec


def results_of(
    benchmark: Benchmark, specs: Sequence[RunSpec], folder: Path, label: str, device: str = "cpu"
) -> list[Any]:
    """The results of runs, in the order of their specifications; a run that fails ends the program."""
    calls = [
        RunCall(str(number), len(spec.task_ids()), benchmark.run, (spec, folder), benchmark.result)
        for number, spec in enumerate(specs)
    ]
    found = {}
    with bar(label, sum(call.task_count for call in calls)) as advance:
        for outcome in run_in_parallel(calls, None, "local", device, advance):
            if outcome.error:
                sys.exit(f"{specs[int(outcome.job.name)].title}: {outcome.error}\n{outcome.trace}")
            found[int(outcome.job.name)] = outcome.value
    return [found[number] for number in range(len(specs))]
