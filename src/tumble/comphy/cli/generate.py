"""`tumble comphy generate`, `extend`, `verify`, `stats` and `export`: datasets, also in other formats."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import typer
from rich.table import Column

from tumble.comphy.catalogue.task import KINDS, Question
from tumble.comphy.cli.browse import parse_family, parse_size
from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.export.cpl import write_cpl
from tumble.comphy.dataset.export.pcr import write_pcr
from tumble.comphy.dataset.folder import verify as faults_of
from tumble.comphy.dataset.layout import SPLITS, Split, named_split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.question_files import write_submission
from tumble.comphy.evaluation.published_results import QUESTION_MIX
from tumble.comphy.evaluation.result import answers_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation import generate as generation
from tumble.comphy.questions.program import final_operator
from tumble.errors import TumbleError
from tumble.output import (
    BAD_INPUT,
    check_target,
    console,
    plural,
    print_error,
    print_line,
    reports_errors,
    resume_hint,
    table,
)
from tumble.runs.evaluate import spec_of
from tumble.runs.log import read
from tumble.runs.spec import name_folders

MAX_ANSWERS = 12
"""In a row of the table of answers."""


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
    world: str = "plain",
) -> None:
    """Generates a dataset, or resumes its generation."""
    pixels = parse_size(size)
    only_split, only_family = named_split(split) if split else None, parse_family(family)
    with resume_hint(f"partial results are in {out}. Repeat the command to resume."):
        generation.generate(
            out,
            sets,
            seed,
            pixels,
            video,
            only_split,
            only_family,
            options,
            workers,
            executor,
            device,
            renderer,
            world,
        )
    _print_counts(out)


@reports_errors
def extend(folder: Path, sets: int, workers: int | None, executor: str, device: str) -> None:
    """Adds sets to a dataset, or resumes that."""
    with resume_hint(f"{folder} is unfinished. Repeat the command to resume."):
        generation.extend(folder, sets, workers, executor, device)
    _print_counts(folder)


def _print_counts(folder: Path) -> None:
    data = open_dataset(folder)
    questions = sum(len(of_set.questions) for of_set in data.questions.values())
    print_line(f"{folder}: {plural(len(data.splits), 'set')}, {plural(questions, 'question')}.")


@reports_errors
def verify(folder: Path) -> None:
    """Prints everything that is wrong with a dataset; exits with code 1 if there is anything."""
    if not folder.is_dir():
        raise TumbleError(f"{folder}: no such folder")
    faults = faults_of(folder)
    for fault in faults:
        print_error(str(fault))
    if faults:
        print_error(f"{folder}: {plural(len(faults), 'fault')}")
        raise typer.Exit(BAD_INPUT)
    print_line(f"{folder}: complete and undamaged.")


@reports_errors
def stats(folder: Path) -> None:
    """Prints the numbers of sets, questions, options and answers of a dataset."""
    data = open_dataset(folder)
    questions = [question for of_set in data.questions.values() for question in of_set.questions]
    for fault in data.faults:
        print_error(f"skipped: {fault}")
    if not data.is_finished:
        generated, total = data.generated_sets(), plural(len(data.splits), "set")
        print_line(f"{folder} is unfinished: {generated:,} of {total} generated. Repeat its command to finish it.")
    _print_splits(data)
    _print_kinds(questions)
    _print_options(data)
    _print_answers(questions)


def _questions_of(data: Dataset, split: Split) -> list[Question]:
    sets = [data.questions[index] for index in data.indices(split) if index in data.questions]
    return [question for of_set in sets for question in of_set.questions]


def _print_splits(data: Dataset) -> None:
    rows = table("split", "sets", *KINDS, "questions")
    for split in SPLITS:
        questions = _questions_of(data, split)
        kinds = Counter(question.kind for question in questions)
        counts = (len(data.indices(split)), *(kinds[kind] for kind in KINDS), len(questions))
        rows.add_row(split, *(f"{count:,}" for count in counts))
    console().print(rows)


def _print_kinds(questions: Sequence[Question]) -> None:
    counts, published = Counter(question.kind for question in questions), sum(QUESTION_MIX.values())
    rows = table("kind", "questions", "share, %", "published, %")
    for kind in KINDS:
        share = 100.0 * counts[kind] / max(len(questions), 1)
        rows.add_row(kind, f"{counts[kind]:,}", f"{share:.1f}", f"{100.0 * QUESTION_MIX[kind] / published:.1f}")
    console().print(rows)


def _print_options(data: Dataset) -> None:
    rows = table("options", "split", "questions by number of options", "correct, %")
    for kind in KINDS[1:]:
        for split in SPLITS:
            questions = [question for question in _questions_of(data, split) if question.kind == kind]
            counts = Counter(len(question.choices) for question in questions)
            answers = [choice.answer for question in questions for choice in question.choices]
            histogram = ", ".join(f"{options}: {count:,}" for options, count in sorted(counts.items()))
            share = f"{100.0 * answers.count('correct') / len(answers):.1f}" if answers and all(answers) else "-"
            rows.add_row(kind, split, histogram or "-", share)
    console().print(rows)


def _print_answers(questions: Sequence[Question]) -> None:
    rows = table(Column("last operator", no_wrap=True), "questions", "answers")
    factual = [question for question in questions if question.kind == "factual"]
    for name in sorted({final_operator(question) for question in factual}):
        answers = Counter(question.answer or "withheld" for question in factual if final_operator(question) == name)
        common = ", ".join(f"{answer} {count:,}" for answer, count in answers.most_common(MAX_ANSWERS))
        rows.add_row(name, f"{answers.total():,}", common + (", …" if len(answers) > MAX_ANSWERS else ""))
    console().print(rows)


WRITERS = {"pcr": write_pcr, "cpl": write_cpl, "clevrer": write_clevrer}
TABLES = ("parquet", "huggingface")
SUBMISSION = "submission"
FORMATS = (*WRITERS, *TABLES, SUBMISSION)


@reports_errors
def export(place: Path, file_format: str, out: Path, data_folders: Sequence[Path] = ()) -> None:
    """Writes a dataset in another format, or the answers of a run log as a submission."""
    name_folders(data_folders)
    if file_format not in FORMATS:
        raise TumbleError(f"no format {file_format!r}; there are {', '.join(FORMATS)}")
    if file_format == SUBMISSION:
        check_target(out, ".json")
        log = read(place)
        sets = spec_of(log, ComPhyRunSpec).key()
        write_submission(out, sets, answers_of(log, sets))
        print_line(f"Written to {out}: the answers about {plural(len(log.tasks), 'set')}.")
        return
    write = writer_of_tables(file_format) if file_format in TABLES else WRITERS[file_format]
    data = open_dataset(place)
    with resume_hint(f"the export in {out} is unfinished; repeat the command to write it again"):
        write(data, out)
    for fault in data.faults:
        print_error(f"skipped: {fault}")
    if file_format == "pcr" and not data.has_videos:
        print_error("the dataset has no videos, so the export has no pictures; everything else is written")
    print_line(f"Written to {out}; README.md there says what it holds.")


def writer_of_tables(file_format: str) -> Callable[[Dataset, Path], None]:
    """What writes Parquet, plain or as a Hugging Face folder."""
    try:
        from tumble.comphy.dataset.export.parquet import write_huggingface, write_parquet
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise TumbleError(f'the format {file_format} needs pyarrow: pip install "tumble[export]"') from None
    return write_parquet if file_format == "parquet" else write_huggingface
