"""`tumble comphy generate`, `verify`, `stats` and `export`: whole datasets."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.table import Column

from tumble.comphy.cli.finding import named_family, parsed_size
from tumble.comphy.dataset.layout import SPLITS, named_split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.verify import verify as faults_of
from tumble.comphy.evaluation.published_results import QUESTION_MIX
from tumble.comphy.generation import generate as generation
from tumble.comphy.questions.answers import final_operator
from tumble.comphy.tasks.question import KINDS, Question
from tumble.errors import TumbleError
from tumble.output import BAD_INPUT, console, plural, print_error, print_line, reports_errors, resume_hint, table


@reports_errors
def generate(
    out: Path,
    sets: int,
    seed: int,
    size: str,
    video: bool,
    split: str | None,
    family: str | None,
    options: int | None,
    workers: int | None,
    executor: str,
    device: str,
    renderer: str,
) -> None:
    """Make a dataset, or go on with it."""
    wide_high = parsed_size(size)
    own_split, own_family = named_split(split) if split else None, named_family(family)
    try:
        with resume_hint(f"what has been made is in {out}. Give the same command again to go on."):
            generation.generate(
                out, sets, seed, wide_high, video, own_split, own_family, options, workers, executor, device, renderer
            )
    except generation.GenerationError as error:
        raise TumbleError(str(error)) from None
    data = open_dataset(out)
    asked = sum(len(own.questions) for own in data.questions.values())
    print_line(f"{out}: {plural(len(data.splits), 'set')}, {plural(asked, 'question')}.")


@reports_errors
def verify(folder: Path) -> None:
    """Name everything that is wrong with a dataset."""
    if not folder.is_dir():
        raise TumbleError(f"{folder}: no such folder")
    faults = faults_of(folder)
    for fault in faults:
        print_error(str(fault))
    if faults:
        print_error(f"{folder}: {plural(len(faults), 'fault')}")
        raise typer.Exit(BAD_INPUT)
    print_line(f"{folder}: whole.")


@reports_errors
def stats(folder: Path) -> None:
    """Print what a dataset holds: sets, questions, options and answers."""
    data = open_dataset(folder)
    asked = [question for own in data.questions.values() for question in own.questions]
    for fault in data.faults:
        print_error(f"left out: {fault}")
    _print_splits(data)
    _print_mix(asked)
    _print_options(data)
    _print_answers(asked)


def _print_splits(data: Dataset) -> None:
    rows = table("split", "sets", *KINDS, "questions")
    for split in SPLITS:
        indices = data.indices(split)
        own = [question for index in indices if index in data.questions for question in data.questions[index].questions]
        kinds = Counter(question.kind for question in own)
        rows.add_row(split, f"{len(indices):,}", *(f"{kinds[kind]:,}" for kind in KINDS), f"{len(own):,}")
    console().print(rows)


def _print_mix(asked: Sequence[Question]) -> None:
    counts, published = Counter(question.kind for question in asked), sum(QUESTION_MIX.values())
    rows = table("kind", "questions", "share, %", "published, %")
    for kind in KINDS:
        share = 100.0 * counts[kind] / max(len(asked), 1)
        rows.add_row(kind, f"{counts[kind]:,}", f"{share:.1f}", f"{100.0 * QUESTION_MIX[kind] / published:.1f}")
    console().print(rows)


def _print_options(data: Dataset) -> None:
    rows = table("options", "split", "questions by how many options", "correct, %")
    for kind in KINDS[1:]:
        for split in SPLITS:
            sets = [data.questions[index] for index in data.indices(split) if index in data.questions]
            own = [question for one in sets for question in one.questions if question.kind == kind]
            counts = Counter(len(question.choices) for question in own)
            answers = [choice.answer for question in own for choice in question.choices]
            histogram = ", ".join(f"{options}: {count:,}" for options, count in sorted(counts.items()))
            share = f"{100.0 * answers.count('correct') / len(answers):.1f}" if answers and all(answers) else "-"
            rows.add_row(kind, split, histogram or "-", share)
    console().print(rows)


def _print_answers(asked: Sequence[Question]) -> None:
    rows = table(Column("asked for", no_wrap=True), "questions", "answers")
    factual = [question for question in asked if question.kind == "factual"]
    for name in sorted({final_operator(question) for question in factual}):
        answers = Counter(question.answer or "withheld" for question in factual if final_operator(question) == name)
        shown = ", ".join(f"{answer} {count:,}" for answer, count in answers.most_common(12))
        rows.add_row(name, f"{answers.total():,}", shown + (", …" if len(answers) > 12 else ""))
    console().print(rows)
