"""ComPhy's report: the paper's tables 3 and 5 to 8 made from run logs, with published results.

Accuracies of models are also told by template, and of inferred properties.
"""

from collections.abc import Iterable, Mapping, Sequence

from tumble.comphy.catalogue.task import Kind
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.evaluate import SHOWN
from tumble.comphy.evaluation.metrics import CONCEPTS, PROPERTIES, Tally
from tumble.comphy.evaluation.published_results import Accuracies
from tumble.comphy.evaluation.result import left_out_text, result_of
from tumble.comphy.report.groups import INCIDENTAL, Group, Series, group_results
from tumble.output import plural
from tumble.report import Document
from tumble.report.document import (
    AS_PUBLISHED,
    MISSING,
    Cell,
    count_cell,
    decimal_text,
    estimate_cell,
    number_cell,
    with_uncertainty,
)
from tumble.report.grouping import add_sections, given_note
from tumble.runs.log import Log

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

DIV_NOTE = (
    "Here every question has two options, of which one is correct. The paper does not say how many its diverse split "
    "has, but its Frequent is right about half of the options and about no question, which is only possible then. Its "
    "objects and backgrounds are others than those here."
)
GIVEN_WORDS = (
    'The column "given" has the most that a model asked for: questions; videos, which are pictures only; exact tracks '
    "in view; or the truth. Training with the truth is training with labels, such as masks, tracks, masses and charges."
)
GIVEN_NOTE = (
    f'{GIVEN_WORDS} "shown" answers as if nothing changed and motion continued straight: what is above it is reasoning.'
)
NO_SHOWN_NOTE = (
    f'{GIVEN_WORDS} There is no run of "shown" on these questions, which answers as if nothing changed; '
    "`tumble comphy evaluate` makes it."
)
ABLATION_NOTE = "R are the references, CI is counterfactual imagination."
ABLATIONS_PUBLISHED = "The published rows are on the validation split, whose questions have two options."
CONCEPT_NOTE = (
    "A body that a model did not find counts as wrong. Most bodies are light and neutral, so that calling all of them "
    "so is right most of the time: the balanced accuracy is the mean over heavy and light bodies, or over charged and "
    "neutral ones, and is 50 then. Charges are right up to a common sign."
)
CONCEPTS_PUBLISHED = "The published rows are on the validation split."


def add_score_table(document: Document, group: Group) -> None:
    """Adds tables 3 and 5, or table 8 for the div world."""
    rows: list[list[str | Cell]] = []
    is_plain = group.conditions.world is PLAIN
    published = {**paper.TABLE_3, **paper.TABLE_5} if is_plain else dict(paper.TABLE_8)
    options = paper.TEST_OPTIONS if is_plain else {}
    for series in group.finished:
        rows.append(_series_row(series))
        name = paper.NAMES.get(series.variant.agent)
        if name is not None and name in published:
            rows.append(_published_row(name, published.pop(name), options))
    for name, accuracies in published.items():
        rows.append(_published_row(name, accuracies, options))
    tables = "tables 3 and 5, on their test split" if is_plain else "table 8, on their diverse split"
    caption = with_uncertainty("Correct answers, %", rows, "sets")
    document.table(f"{caption}; with the results of {paper.PAPER}, {tables}", HEADER, rows)
    document.text(OPTIONS_NOTE if is_plain else f"{OPTIONS_NOTE} {DIV_NOTE}")
    document.text(GIVEN_NOTE if any(series.variant.agent == SHOWN for series in group.finished) else NO_SHOWN_NOTE)


def _series_row(series: Series) -> list[str | Cell]:
    given = ", ".join(dict.fromkeys(result.given for result in series.results))
    cells: list[str | Cell] = [series.label, given, estimate_cell(series.estimate("factual", per_option=False))]
    for kind in MULTIPLE_CHOICE:
        cells += [estimate_cell(series.estimate(kind, per_option)) for per_option in (True, False)]
        tally = series.results[0].kinds.get(kind)
        cells.append(tally.histogram if tally else MISSING)
    return cells


def _published_row(
    name: str, accuracies: Accuracies, options: Mapping[str, Mapping[int, int]] = paper.TEST_OPTIONS
) -> list[str | Cell]:
    """`options` are the numbers of questions by kind and number of options, if they are known."""
    factual, *others = map(number_cell, accuracies)
    histograms = [_histogram_text(options[kind]) if kind in options else MISSING for kind in MULTIPLE_CHOICE]
    return [
        f"{name} {AS_PUBLISHED}",
        paper.given_to(name),
        factual,
        *others[:2],
        histograms[0],
        *others[2:],
        histograms[1],
    ]


def _histogram_text(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{options}: {count:,}" for options, count in counts.items())


def add_ablations(document: Document, group: Group) -> None:
    """Adds table 6, if there are runs of PCR without one of its parts."""
    ablated = [series for series in group.finished if series.variant.agent in paper.ABLATIONS]
    if all(series.variant.agent == "pcr" for series in ablated):
        return
    rows: list[list[str | Cell]] = []
    is_plain = group.conditions.world is PLAIN
    for series in sorted(ablated, key=lambda series: [*paper.ABLATIONS].index(series.variant.agent)):
        rows.append(_brief_row(_series_row(series)))
        name = paper.ABLATIONS[series.variant.agent]
        if name and is_plain:
            rows.append(_brief_row(_published_row(name, paper.TABLE_6[name])))
    header = [name for name in HEADER if not name.endswith("options")]
    document.heading("Ablations", 3)
    published = f", with the results of {paper.PAPER}, table 6" if is_plain else ""
    document.table(f"PCR without one of its parts, %{published}", header, rows)
    document.text(f"{ABLATION_NOTE} {ABLATIONS_PUBLISHED}" if is_plain else ABLATION_NOTE)


def _brief_row(cells: Sequence[str | Cell]) -> list[str | Cell]:
    """A row without the numbers of options."""
    return [cell for cell, name in zip(cells, HEADER, strict=True) if not name.endswith("options")]


def add_concepts(document: Document, group: Group) -> None:
    """Adds table 7, if there are models with a notion of bodies."""
    rows: list[list[str | Cell]] = []
    is_plain = group.conditions.world is PLAIN
    for series in group.finished:
        counts = series.results[0].concepts
        if not counts:
            continue
        accuracies = [counts[name].accuracy if name in counts else None for name in CONCEPTS]
        balanced = [counts[name].balanced if name in counts else None for name in PROPERTIES]
        rows.append([series.label, *map(number_cell, (*accuracies, *balanced))])
        name = paper.ABLATIONS.get(series.variant.agent)
        if name and is_plain:
            published = map(number_cell, paper.TABLE_7[name].by_concept.values())
            rows.append([f"{name} {AS_PUBLISHED}", *published, *([Cell(MISSING)] * len(PROPERTIES))])
    if rows:
        header = ["model", *CONCEPTS, *(f"{name}, balanced" for name in PROPERTIES)]
        document.heading("Concepts", 3)
        published_text = f", with the results of {paper.PAPER}, table 7" if is_plain else ""
        document.table(f"Accuracy of concepts, %{published_text}", header, rows)
        document.text(f"{CONCEPT_NOTE} {CONCEPTS_PUBLISHED}" if is_plain else CONCEPT_NOTE)
        document.text(given_note(group.finished))


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
    document.text(given_note(group.finished))


def _cell(tally: Tally | None, kind: Kind) -> Cell:
    if tally is None:
        return Cell(MISSING)
    shares = {} if kind == "factual" else {"per option": tally.per_option}
    shares["per question"] = tally.per_question
    return Cell(" / ".join(map(decimal_text, shares.values())), shares)


def add_properties(document: Document, group: Group) -> None:
    """Adds, for agents that infer hidden properties, the share of sets with all of them correct, by family."""
    rows: list[list[str | Cell]] = []
    for series in group.finished:
        for family, correct in series.results[0].correct_properties.items():
            sets = sum(correct.values())
            both, masses, charges = (correct.get(name, 0) for name in ("both", "masses", "charges"))
            shares = (number_cell(100.0 * count / sets) for count in (both + masses, both + charges, both))
            rows.append([series.label, family, count_cell(sets), *shares])
    if rows:
        header = ["model", "family", "sets", "all masses", "all charges", "both"]
        document.table("Sets whose hidden properties were inferred correctly, %", header, rows)
        document.text("Charges are correct up to a common sign, which can't be observed.")
        document.text(given_note(group.finished))


INTRODUCTION = (
    "In a ComPhy set a target video of five seconds and four short references show bodies whose mass and charge can't "
    "be seen. Factual questions ask what is there and what happens; predictive ones what will happen next; "
    "counterfactual ones what would happen if a body were heavier, lighter, uncharged or oppositely charged. The "
    "latter two have options: the accuracy per option counts each option, the accuracy per question only questions "
    "with all options correct."
)


def add_report(document: Document, logs: Iterable[Log], max_animated: int = 0) -> None:
    """Adds the report of run logs; it has no animations."""
    results = [result_of(log) for log in logs]
    add_sections(document, INTRODUCTION, results, group_results(results), _add_figures, incidental=INCIDENTAL)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    add_score_table(document, group)
    _add_missing_answers(document, group)
    add_ablations(document, group)
    add_properties(document, group)
    add_concepts(document, group)
    add_families(document, group)
    return 0


def _add_missing_answers(document: Document, group: Group) -> None:
    for series in group.finished:
        for run in series.results:
            if run.unanswered:
                unanswered = plural(run.unanswered, "question")
                document.text(f"{series.label} left {unanswered} unanswered, which count as wrong.")
            if run.errors:
                document.text(f"{series.label} answered 'error' {plural(run.errors, 'time')}, which counts as wrong.")
            if run.left_out:
                document.text(f"{series.label}: {left_out_text(run.left_out)}.")
