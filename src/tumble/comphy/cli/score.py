"""`tumble comphy evaluate` and `score`: agents answer questions, answers in a file are scored; tables of scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Column

from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.options import agents_with_settings, parse_numbers
from tumble.comphy.agents import REGISTRY
from tumble.comphy.benchmark import COMPHY
from tumble.comphy.catalogue.task import Kind
from tumble.comphy.dataset.question_files import read_submission
from tumble.comphy.evaluation.answer_key import cached_key, read_key
from tumble.comphy.evaluation.evaluate import SHOWN, shown_marks
from tumble.comphy.evaluation.metrics import Tally, by_family, by_kind, error_answers, mark_all, missing_answers
from tumble.comphy.evaluation.result import MISSING, ComPhyResult, left_out_text
from tumble.comphy.evaluation.run_spec import TRAIN, ComPhyRunSpec
from tumble.output import console, plural, print_error, print_line, reports_errors, spinner, table

MAX_LISTED = 5
"""Missing answers that are listed, and answers "error"."""
NOTE = (
    "Per cent; two figures: options that are correct, and questions of which all options are. Errors: answers 'error' "
    "to options or factual questions. Options: number of options: number of questions. Given: the most that the model "
    "asked for. shown: as if nothing changed and motion continued straight."
)


@dataclass(frozen=True)
class Scored:
    """A row of scores for each kind of question."""

    name: str
    given: str
    kinds: Mapping[Kind, Tally]
    left_out: int = 0
    """Sets that could not be read."""

    @classmethod
    def of(cls, result: ComPhyResult) -> "Scored":
        """The scores of a run."""
        return cls(result.agent, result.given, result.kinds, result.left_out)


@reports_errors
def score_submission(data: Path, split: str, path: Path) -> None:
    """Scores the answers in a file."""
    key = read_key(data, split)
    for fault in key.faults:
        print_error(f"skipped: {fault}")
    answers = read_submission(path)
    marks = mark_all(key.sets, answers)
    _print_wrong("missing answers", missing_answers(key.sets, answers))
    _print_wrong("answers 'error'", error_answers(marks))
    with spinner("Scoring `shown` …"):
        shown, unreadable = shown_marks(data, key.sets)
    for fault in unreadable[:MAX_LISTED]:
        print_error(f"left out by {SHOWN}: {fault}")
    left_out = len(key.left_out)
    print_kinds(
        [
            Scored(path.name, MISSING, by_kind(marks), left_out),
            Scored(SHOWN, "tracks", by_kind(shown), left_out + len(unreadable)),
        ]
    )
    _print_rows([(path.name, by_family(marks)), (SHOWN, by_family(shown))])


def _print_wrong(what: str, messages: Sequence[str]) -> None:
    """Names the first of the answers that count as wrong."""
    for message in messages[:MAX_LISTED]:
        print_error(message)
    if messages:
        more = f" (and {len(messages) - MAX_LISTED} more)" if len(messages) > MAX_LISTED else ""
        print_error(f"{what} count as wrong{more}")


def print_kinds(scores: Sequence[Scored]) -> None:
    """Prints accuracies by kind of question, with what the models were given and the numbers of options."""
    kinds = list(dict.fromkeys(kind for one in scores for kind in one.kinds))
    tallies = [tally for one in scores for tally in one.kinds.values()]
    failures = [name for name in ("unanswered", "errors") if any(getattr(tally, name) for tally in tallies)]
    rows = table(Column("model", no_wrap=True), *(Column(kind, no_wrap=True) for kind in kinds), *failures, "given")
    for one in scores:
        cells = (_cell(one.kinds.get(kind)) for kind in kinds)
        counts = (str(sum(getattr(tally, name) for tally in one.kinds.values())) for name in failures)
        rows.add_row(one.name, *cells, *counts, one.given)
    console().print(rows)
    for kind, text in {kind: _count_text(scores, kind) for kind in kinds}.items():
        print_line(f"{kind}: {text}.")
    for one in scores:
        if one.left_out:
            print_line(f"{one.name}: {left_out_text(one.left_out)}.")
    print_line(NOTE)


def _count_text(scores: Sequence[Scored], kind: Kind) -> str:
    """The number of questions of a kind, and by their number of options; of each model where these differ."""
    texts: dict[str, list[str]] = {}
    for one in scores:
        tally = one.kinds.get(kind)
        if tally is not None:
            options = f" (options: {tally.histogram})" if tally.histogram else ""
            texts.setdefault(f"{plural(tally.questions, 'question')}{options}", []).append(one.name)
    return (
        next(iter(texts)) if len(texts) == 1 else "; ".join(f"{', '.join(who)} {text}" for text, who in texts.items())
    )


def print_families(results: Sequence[ComPhyResult]) -> None:
    """Prints accuracies by template."""
    _print_rows([(result.agent, result.families) for result in results])


def _print_rows(columns: Sequence[tuple[str, Mapping[tuple[Kind, str], Tally]]]) -> None:
    rows = table(Column("template", no_wrap=True), "questions", "options", *(f"{name}, %" for name, _ in columns))
    for key in dict.fromkeys(key for _, families in columns for key in families):
        first = next(families[key] for _, families in columns if key in families)
        cells = (_cell(families.get(key)) for _, families in columns)
        rows.add_row(f"{key[0]}: {key[1]}", f"{first.questions:,}", first.histogram, *cells)
    console().print(rows)


def _cell(tally: Tally | None) -> str:
    if tally is None:
        return "-"
    return f"{tally.per_option:.1f} / {tally.per_question:.1f}" if tally.histogram else f"{tally.per_question:.1f}"


@reports_errors
def score_models(
    data: Path,
    model: str,
    split: str,
    runs: Path,
    limit: int | None,
    seed: str,
    settings: Sequence[str],
    workers: int | None,
    executor: str,
) -> None:
    """Has agents answer the questions of a split, and `shown` too, and prints their results."""
    folder = str(data.resolve())
    specs = [
        ComPhyRunSpec(name, folder, split, settings=values, limit=limit, seed=one_seed)
        for name, values in agents_with_settings(REGISTRY, model, settings)
        for one_seed in parse_numbers(seed, "seed")
    ]
    if all(spec.agent != SHOWN for spec in specs):
        specs.append(ComPhyRunSpec(SHOWN, folder, split, limit=limit))
    learns = any(spec.learns for spec in specs)
    for used_split in (split, TRAIN) if learns else (split,):
        for fault in cached_key(folder, used_split).faults:
            print_error(f"skipped: {fault}")
    results = evaluate_specs(COMPHY, specs, runs, workers, executor, "cpu")
    if results:
        print_kinds([Scored.of(result) for result in results])
    exit_if_failed(results, len(specs))
