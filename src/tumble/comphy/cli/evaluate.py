"""`tumble comphy score --model`: models answer questions."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import typer

from tumble.comphy import agents
from tumble.comphy.cli.score import print_kinds
from tumble.comphy.evaluation.answer_key import known_key
from tumble.comphy.evaluation.evaluate import resume, run
from tumble.comphy.evaluation.result import Result, result_of
from tumble.comphy.evaluation.run_spec import TRAIN, Experiment, from_header
from tumble.output import BAD_INPUT, complain, counted, refusing
from tumble.runs.choices import agent_name, combined_settings, given_values, listed, numbers
from tumble.runs.log import Log
from tumble.runs.side_by_side import Call, run_all


@refusing
def score_models(
    data: Path,
    model: str,
    split: str,
    runs: Path,
    limit: int | None,
    seed: str,
    given: Sequence[str],
    workers: int | None,
    executor: str,
) -> None:
    """Let models answer the questions of a split, and print what came of each."""
    names = [agent_name(name) for name in listed(model)]
    own = combined_settings(names, given_values(given), agents.class_of)
    folder = str(data.resolve())
    chosen = [
        Experiment(name, folder, split, values, limit, start)
        for name in names
        for start, values in product(numbers(seed, "seed"), own[name])
    ]
    learns = any(agents.class_of(name).learns for name in names)
    for used in (split, TRAIN) if learns else (split,):
        for fault in known_key(folder, used).faults:
            complain(f"left out: {fault}")
    for experiment in chosen:
        experiment.make_model()  # says what is wrong with it before anything runs
    hint = f"what has been done is in {runs}. Give the same command again to go on."
    results = run_all([begun(experiment, runs) for experiment in chosen], workers, executor, "cpu", hint)
    if results:
        print_kinds({result.model: result.kinds for result in results})
    if len(results) < len(chosen):
        complain(f"failed: {counted(len(chosen) - len(results), 'run')} of {len(chosen)}")
        raise typer.Exit(BAD_INPUT)


def begun(experiment: Experiment, folder: Path) -> Call[Result]:
    """A run of an experiment into a folder."""
    return Call(experiment.title, len(experiment.key()), run, (experiment, folder), result_of)


def resumed(log: Log) -> Call[Result]:
    """A run that ended early."""
    return Call(from_header(log.header).title, int(log.header["task_count"]), resume, (log.path,), result_of)
