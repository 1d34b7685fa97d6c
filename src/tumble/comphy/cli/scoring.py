"""`tumble comphy score`: models answer questions, or a submission is scored."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import typer
from rich.table import Column

from tumble.comphy import models
from tumble.comphy.dataset.submission import read_submission
from tumble.comphy.experiment import TRAIN, Experiment, from_header, known_key, resume, run
from tumble.comphy.key import read_key
from tumble.comphy.questions.question import Kind
from tumble.comphy.results import Result, result_of
from tumble.comphy.scoring import Tally, by_family, by_kind, mark_all, missing
from tumble.output import BAD_INPUT, complain, console, counted, refusing, say, table
from tumble.runs.choices import agent_name, combined_settings, given_values, listed, numbers
from tumble.runs.log import Log
from tumble.runs.side_by_side import Call, run_all

MOST_NAMED = 5
"""Missing answers that are named one by one."""
NOTE = "Per question: all options right. Options: how many questions have how many."


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
    own = combined_settings(names, given_values(given), models.class_of)
    folder = str(data.resolve())
    chosen = [
        Experiment(name, folder, split, values, limit, start)
        for name in names
        for start, values in product(numbers(seed, "seed"), own[name])
    ]
    learns = any(models.class_of(name).learns for name in names)
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


@refusing
def score_submission(data: Path, split: str, path: Path) -> None:
    """Score the answers in a file."""
    key = read_key(data, split)
    for fault in key.faults:
        complain(f"left out: {fault}")
    answers = read_submission(path)
    marks = mark_all(key.sets, answers)
    lacking = missing(key.sets, answers)
    for words in lacking[:MOST_NAMED]:
        complain(words)
    if lacking:
        more = f" ({len(lacking) - MOST_NAMED} more are not named)" if len(lacking) > MOST_NAMED else ""
        complain(f"what is not answered counts as wrong{more}")
    print_kinds({path.name: by_kind(marks)})
    _print_rows([(path.name, by_family(marks))])


def begun(experiment: Experiment, folder: Path) -> Call[Result]:
    """A run of an experiment into a folder."""
    return Call(experiment.title, len(experiment.key()), run, (experiment, folder), result_of)


def resumed(log: Log) -> Call[Result]:
    """A run that ended early."""
    return Call(from_header(log.header).title, int(log.header["task_count"]), resume, (log.path,), result_of)


def print_kinds(tallies: Mapping[str, Mapping[Kind, Tally]]) -> None:
    """Accuracies by kind of question, with the options beside them."""
    rows = table("model", "questions", "right, %", "options right, %", "unanswered", "options")
    for name, kinds in tallies.items():
        for kind, own in kinds.items():
            option = f"{own.per_option:.1f}" if kind != "factual" else ""
            counts = f"{own.questions:,}", f"{own.per_question:.1f}", option, str(own.unanswered)
            rows.add_row(f"{name}, {kind}", *counts, own.histogram)
    console().print(rows)
    say(NOTE)


def print_families(results: Sequence[Result]) -> None:
    """Accuracies by template."""
    _print_rows([(result.model, result.families) for result in results])


def _print_rows(columns: Sequence[tuple[str, Mapping[tuple[Kind, str], Tally]]]) -> None:
    rows = table(Column("template", no_wrap=True), "questions", "options", *(f"{name}, %" for name, _ in columns))
    for key in dict.fromkeys(key for _, families in columns for key in families):
        first = next(families[key] for _, families in columns if key in families)
        cells = (_cell(families.get(key)) for _, families in columns)
        rows.add_row(f"{key[0]}: {key[1]}", f"{first.questions:,}", first.histogram, *cells)
    console().print(rows)


def _cell(own: Tally | None) -> str:
    if own is None:
        return "-"
    return f"{own.per_option:.1f} / {own.per_question:.1f}" if own.histogram else f"{own.per_question:.1f}"
