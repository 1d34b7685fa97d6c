"""How well models answered: the paper's tables 3 and 5 beside ours, by template, and what was inferred."""

import math
from collections.abc import Mapping

from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.metrics import Tally
from tumble.comphy.evaluation.published_results import Accuracies
from tumble.comphy.report.groups import Group, Series
from tumble.comphy.tasks.question import Kind
from tumble.report import Document

NONE = "-"
AS_PUBLISHED = "as published"
MULTIPLE: tuple[Kind, ...] = ("predictive", "counterfactual")
HEADER = (
    "model",
    "factual",
    *(f"{kind}, {what}" for kind in MULTIPLE for what in ("per option", "per question", "options")),
)
OPTIONS_NOTE = (
    "The columns named options tell how many questions have how many options: guessing answers a quarter of the "
    "questions with two options, and a sixteenth of those with four, so figures per question can be compared only "
    "where options are as many."
)


def number(value: float | None) -> str:
    return NONE if value is None or math.isnan(value) else f"{value:.1f}"


def add_table(document: Document, group: Group) -> None:
    """Tables 3 and 5."""
    rows, quiet = [], []
    beside = {**paper.TABLE_3, **paper.TABLE_5}
    for one in group.finished:
        rows.append(_own_row(one))
        name = paper.OF_OURS.get(one.variant.agent)
        if name:
            quiet.append(len(rows))
            rows.append(_published_row(name, beside.pop(name)))
    for name, accuracies in beside.items():
        quiet.append(len(rows))
        rows.append(_published_row(name, accuracies))
    caption = f"Right answers, %; beside ours tables 3 and 5 of {paper.PAPER}, of their test split"
    document.table(caption, HEADER, rows, quiet)
    document.text(OPTIONS_NOTE)


def _own_row(one: Series) -> list[str]:
    cells = [one.label, number(one.mean("factual", lambda own: own.per_question))]
    for kind in MULTIPLE:
        cells += [number(one.mean(kind, lambda own: own.per_option))]
        cells += [number(one.mean(kind, lambda own: own.per_question))]
        own = one.results[0].kinds.get(kind)
        cells.append(own.histogram if own else NONE)
    return cells


def _published_row(name: str, own: Accuracies) -> list[str]:
    cells = [f"{name} {AS_PUBLISHED}", number(own.factual)]
    cells += [number(own.predictive_per_option), number(own.predictive_per_question)]
    cells += [_histogram(paper.TEST_OPTIONS["predictive"])]
    cells += [number(own.counterfactual_per_option), number(own.counterfactual_per_question)]
    return [*cells, _histogram(paper.TEST_OPTIONS["counterfactual"])]


def _histogram(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{options}: {count:,}" for options, count in counts.items())


def add_families(document: Document, group: Group) -> None:
    """By template: per question where it is factual, else per option and per question."""
    shown = group.finished
    families = sorted({key for one in shown for key in one.results[0].families})
    header = ["template", "questions", "options", *(one.label for one in shown)]
    rows = []
    for kind, family in sorted(families, key=lambda key: (key[0] != "factual", key)):
        first = next(own for one in shown if (own := one.results[0].families.get((kind, family))))
        cells = [_cell(one.results[0].families.get((kind, family)), kind) for one in shown]
        rows.append([f"{kind}: {family}", f"{first.questions:,}", first.histogram or NONE, *cells])
    document.heading("Templates", 3)
    document.table("Right answers by template, %: per question, or per option / per question", header, rows)


def _cell(own: Tally | None, kind: Kind) -> str:
    if own is None:
        return NONE
    whole = number(own.per_question)
    return whole if kind == "factual" else f"{number(own.per_option)} / {whole}"


def add_properties(document: Document, group: Group) -> None:
    """Of agents that infer hidden properties: in how many sets all of them are right."""
    rows = []
    for one in group.finished:
        found, sets = one.results[0].right_properties, one.results[0].tasks_done
        if found:
            both, masses, charges = (found.get(name, 0) for name in ("both", "masses", "charges"))
            shares = (both + masses, both + charges, both)
            rows.append([one.label, f"{sets:,}", *(number(100.0 * share / sets) for share in shares)])
    if rows:
        header = ["model", "sets", "all masses", "all charges", "both"]
        document.table("Sets whose hidden properties were inferred rightly, %", header, rows)
        document.text("Charges are right if the same bodies are charged in the same relation; signs can't be seen.")
