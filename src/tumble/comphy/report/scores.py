"""Accuracies of models: with the paper's tables 3 and 5, by template, and of inferred properties."""

from collections.abc import Mapping

from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.baseline import SHOWN
from tumble.comphy.evaluation.metrics import Tally
from tumble.comphy.evaluation.published_results import Accuracies
from tumble.comphy.report.groups import Group, Series
from tumble.comphy.tasks.question import Kind
from tumble.report import Document
from tumble.report.cells import (
    AS_PUBLISHED,
    MISSING,
    Cell,
    count_cell,
    decimal_text,
    estimate_cell,
    number_cell,
    uncertainty_text,
)

MULTIPLE_CHOICE: tuple[Kind, ...] = ("predictive", "counterfactual")
HEADER = (
    "model",
    "given",
    "factual",
    *(f"{kind}, {what}" for kind in MULTIPLE_CHOICE for what in ("per option", "per question", "options")),
)
OPTIONS_NOTE = (
    'The columns "options" list the number of questions by number of options: guessing answers a quarter of the '
    "questions with two options, and a sixteenth of those with four, so accuracies per question can be compared only "
    "for the same numbers of options."
)

GIVEN_NOTE = (
    'The column "given" has the most that a model asked for: questions, tracks in view, videos, or the truth. "shown" '
    "answers as if nothing changed and motion went on straight: what is above it is reasoning."
)
NO_SHOWN_NOTE = (
    'The column "given" has the most that a model asked for. There is no run of "shown" on these questions, which '
    "answers as if nothing changed; `tumble comphy score` makes it."
)


def add_table(document: Document, group: Group) -> None:
    """Adds tables 3 and 5."""
    rows: list[list[str | Cell]] = []
    dimmed = []
    published = {**paper.TABLE_3, **paper.TABLE_5}
    for series in group.finished:
        rows.append(_series_row(series))
        name = paper.NAMES.get(series.variant.agent)
        if name is not None:
            dimmed.append(len(rows))
            rows.append(_published_row(name, published.pop(name)))
    for name, accuracies in published.items():
        dimmed.append(len(rows))
        rows.append(_published_row(name, accuracies))
    parts = [
        "Correct answers, %",
        uncertainty_text(rows, "sets"),
        f"with the results of {paper.PAPER}, tables 3 and 5, on their test split",
    ]
    document.table("; ".join(filter(None, parts)), HEADER, rows, dimmed)
    document.text(OPTIONS_NOTE)
    document.text(GIVEN_NOTE if any(series.variant.agent == SHOWN for series in group.finished) else NO_SHOWN_NOTE)


def _series_row(series: Series) -> list[str | Cell]:
    given = ", ".join(dict.fromkeys(result.given for result in series.results))
    cells: list[str | Cell] = [series.label, given, estimate_cell(series.estimate("factual", per_option=False))]
    for kind in MULTIPLE_CHOICE:
        cells += [estimate_cell(series.estimate(kind, per_option)) for per_option in (True, False)]
        tally = series.results[0].kinds.get(kind)
        cells.append(tally.histogram if tally else MISSING)
    return cells


def _published_row(name: str, accuracies: Accuracies) -> list[str | Cell]:
    factual, *others = map(number_cell, accuracies)
    histograms = [_histogram_text(paper.TEST_OPTIONS[kind]) for kind in MULTIPLE_CHOICE]
    return [f"{name} {AS_PUBLISHED}", MISSING, factual, *others[:2], histograms[0], *others[2:], histograms[1]]


def _histogram_text(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{options}: {count:,}" for options, count in counts.items())


def add_families(document: Document, group: Group) -> None:
    """Adds accuracies by template: per question for factual ones, else per option and per question."""
    columns = [series.results[0].families for series in group.finished]
    keys = {key for families in columns for key in families}
    header = ["template", "questions", "options", *(series.label for series in group.finished)]
    rows: list[list[str | Cell]] = []
    for kind, family in sorted(keys, key=lambda key: (key[0] != "factual", key)):
        first = next(families[kind, family] for families in columns if (kind, family) in families)
        cells = [_cell(families.get((kind, family)), kind) for families in columns]
        rows.append([f"{kind}: {family}", count_cell(first.questions), first.histogram or MISSING, *cells])
    document.heading("Templates", 3)
    document.table("Correct answers by template, %: per question, or per option / per question", header, rows)


def _cell(tally: Tally | None, kind: Kind) -> Cell:
    if tally is None:
        return Cell(MISSING)
    shares = {} if kind == "factual" else {"per option": tally.per_option}
    shares["per question"] = tally.per_question
    return Cell(" / ".join(map(decimal_text, shares.values())), shares)


def add_properties(document: Document, group: Group) -> None:
    """Adds, for agents that infer hidden properties, the share of sets with all of them correct."""
    rows: list[list[str | Cell]] = []
    for series in group.finished:
        correct = series.results[0].correct_properties
        sets = sum(correct.values())
        if correct:
            both, masses, charges = (correct.get(name, 0) for name in ("both", "masses", "charges"))
            counts = (both + masses, both + charges, both)
            rows.append([series.label, count_cell(sets), *(number_cell(100.0 * count / sets) for count in counts)])
    if rows:
        header = ["model", "sets", "all masses", "all charges", "both"]
        document.table("Sets whose hidden properties were inferred correctly, %", header, rows)
        document.text("Charges are correct up to a common sign, which can't be observed.")
