"""The dataset card: a README with the content of a dataset, counts, and notes on its metrics."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import tumble
from tumble.comphy.dataset.json_files import Fault
from tumble.comphy.dataset.layout import SPLITS, Split
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.tasks.question import KINDS, Kind, QuestionSet
from tumble.comphy.tasks.video_set import Family

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MOST_FAULTS = 20


@dataclass
class Summary:
    """The counts on a card."""

    name: str
    settings: Settings | None
    sets: Counter[tuple[Split, Family]] = field(default_factory=Counter)
    questions: Counter[tuple[Split, Kind]] = field(default_factory=Counter)
    options: Counter[tuple[Split, Kind, int]] = field(default_factory=Counter)
    """Questions by split, kind and number of options."""

    def add(self, split: Split, family: Family, questions: QuestionSet) -> None:
        """Counts a set and its questions."""
        self.sets[split, family] += 1
        for question in questions.questions:
            self.questions[split, question.kind] += 1
            if question.choices:
                self.options[split, question.kind, len(question.choices)] += 1


def card_text(summary: Summary, faults: Sequence[Fault] = ()) -> str:
    """The card: a YAML header and a text in Markdown."""
    parts = [
        _header(summary),
        f"# {summary.name}",
        "Short videos of simple bodies on a table, some of which are heavy or charged, which can't be seen. A set is "
        "one target video and four references in which some of the same bodies meet; questions ask what is in the "
        "target, what will happen next and what would have happened, had a body been different.",
        _origin(summary.settings),
        "## Tables",
        "- `sets.parquet`: a row for each set; its bodies with mass and charge, and the target's collisions.\n"
        "- `questions.parquet`: a row for each question; its program in postfix form, its answer or its options.\n"
        "- `tracks.parquet`: a row for each body in each video; its boxes, places and velocities by frame.",
        "Boxes are middle x, middle y, width and height, each a share of the picture; -1 where a body isn't seen. "
        "Places are in the units of the simulation, with the table at height 0; there are 25 frames in a second.",
        "## Counts",
        _counts(summary),
        "## Options",
        "A question with options counts as right only if all its options are judged rightly, so figures for whole "
        "questions can only be compared where the numbers of options are the same.",
        _options(summary),
    ]
    if faults:
        named = [f"- {fault}" for fault in faults[:_MOST_FAULTS]]
        more = [f"- and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        parts += ["## Left out", "These could not be read:", "\n".join([*named, *more])]
    return "\n\n".join(parts) + "\n"


def _header(summary: Summary) -> str:
    total = sum(summary.questions.values())
    size = next((name for most, name in _SIZES if total < most), "n>1M")
    tables = "\n".join(
        f"  - config_name: {table}\n    data_files: {table}.parquet" for table in ("sets", "questions", "tracks")
    )
    return (
        f"---\npretty_name: {summary.name}\nlanguage:\n  - en\ntask_categories:\n  - visual-question-answering\n"
        f"size_categories:\n  - {size}\ntags:\n  - physics\n  - video\n  - reasoning\nconfigs:\n{tables}\n---"
    )


def _origin(settings: Settings | None) -> str:
    if settings is None:
        return "Read from the published files of ComPhy."
    videos = "without videos" if settings.size is None else "with videos of {} x {} pixels".format(*settings.size)
    return (
        f"Made by Tumble {tumble.__version__} with seed {settings.seed}: {settings.sets:,} sets, {videos}. "
        "The same seed gives the same sets and questions."
    )


def _counts(summary: Summary) -> str:
    families = sorted({family for _, family in summary.sets})
    head = ["split", *(f"{family} sets" for family in families), *(f"{kind} questions" for kind in KINDS)]
    rows = [
        [
            split,
            *(f"{summary.sets[split, family]:,}" for family in families),
            *(f"{summary.questions[split, kind]:,}" for kind in KINDS),
        ]
        for split in SPLITS
    ]
    return _table([head, *rows])


def _options(summary: Summary) -> str:
    numbers = sorted({number for _, _, number in summary.options})
    rows = [
        [split, kind, *(f"{summary.options[split, kind, number]:,}" for number in numbers)]
        for split in SPLITS
        for kind in KINDS
        if any(summary.options[split, kind, number] for number in numbers)
    ]
    return _table([["split", "kind", *(f"with {number} options" for number in numbers)], *rows])


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])
