"""The dataset card of an export: a README with its origin, counts, samples, and what a model may use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tumble
from tumble.comphy.catalogue.task import KINDS, Kind, Question
from tumble.comphy.catalogue.video_set import Family
from tumble.comphy.catalogue.world import PLAIN, named_world
from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.dataset.json_files import Fault
from tumble.comphy.dataset.layout import SPLITS, Split
from tumble.comphy.dataset.load import Example

GENERATED_LICENSE = "mit"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MOST_FAULTS = 20
_REST = (
    "some of which are heavy or charged, which can't be seen. A set is one "
    "target video and four references in which some of the same bodies meet; questions ask what is in the target, what "
    "will happen next, and what would have happened if one body were different."
)
_ABOUT = f"Short videos of simple bodies on a table, {_REST}"
_ABOUT_DIV = (
    f"Short videos of everyday objects on different floors and in different light, {_REST} Objects of a category have "
    "different proportions: the form, from 0 to 999, is the seed of these."
)


@dataclass
class Summary:
    """The counts on a card, and a set to show there."""

    name: str
    settings: Settings | None
    physics_id: str | None
    sets: Counter[tuple[Split, Family]] = field(default_factory=Counter)
    questions: Counter[tuple[Split, Kind]] = field(default_factory=Counter)
    options: Counter[tuple[Split, Kind, int]] = field(default_factory=Counter)
    """Questions by split, kind and number of options."""
    sample: Example | None = None
    """The first set that is not in the test split."""

    @property
    def license(self) -> str:
        """The licence, by its name on the Hugging Face hub."""
        return "unknown" if self.settings is None else GENERATED_LICENSE

    def add(self, example: Example) -> None:
        """Counts a set and its questions."""
        self.sets[example.split, example.videos.family] += 1
        for question in example.questions.questions:
            self.questions[example.split, question.kind] += 1
            if question.choices:
                self.options[example.split, question.kind, len(question.choices)] += 1
        if self.sample is None and example.split != "test":
            self.sample = example


def card_text(summary: Summary, sections: Mapping[str, str], faults: Sequence[Fault] = (), header: str = "") -> str:
    """The card in Markdown: what it is, the given sections by heading, counts and what was left out."""
    world = PLAIN if summary.settings is None else named_world(summary.settings.world)
    parts = [
        *([header] if header else []),
        f"# {summary.name}",
        _ABOUT if world is PLAIN else _ABOUT_DIV,
        _origin(summary),
        *(part for heading, text in sections.items() for part in (f"## {heading}", text)),
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


def yaml_header(summary: Summary, configs: Mapping[str, Mapping[str, str]]) -> str:
    """The header for the Hugging Face hub; `configs` has the files of each split by the names of tables."""
    total = sum(summary.questions.values())
    size = next((name for most, name in _SIZES if total < most), "n>1M")
    lines = [
        "---",
        f"pretty_name: {summary.name}",
        f"license: {summary.license}",
        "language:\n  - en",
        "task_categories:\n  - visual-question-answering",
        f"size_categories:\n  - {size}",
        "tags:\n  - physics\n  - video\n  - reasoning\n  - synthetic",
        *(["configs:"] if configs else []),
    ]
    for table, paths in configs.items():
        lines += [f"  - config_name: {table}", "    data_files:"]
        lines += [f"      - split: {split}\n        path: {path}" for split, path in paths.items()]
        lines += ["    default: true"] * (table == "questions")
    return "\n".join([*lines, "---"])


def sample_text(summary: Summary, picture: str | None) -> str:
    """A set that is not in the test split: its picture if there is one, its bodies, a question of each kind."""
    example = summary.sample
    if example is None:
        return "There are only sets of the test split, whose answers are kept apart."
    parts = [f"Set {example.index:05d} of the split {example.split}:"]
    if picture is not None:
        parts.append(f"![Frames of the target video and of its four references, from left to right]({picture})")
    has_properties = PROPERTIES not in example.stored.missing
    rows = [
        [str(k), str(body), *((str(body.mass), str(body.charge)) if has_properties else ("?", "?"))]
        for k, body in enumerate(example.videos.bodies)
    ]
    parts.append(markdown_table([["body", "appearance", "mass (hidden)", "charge (hidden)"], *rows]))
    firsts = {question.kind: question for question in reversed(example.questions.questions)}
    parts += [_question_text(firsts[kind]) for kind in KINDS if kind in firsts]
    return "\n\n".join(parts)


def markdown_table(rows: list[list[str]]) -> str:
    """A table whose first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


def _question_text(question: Question) -> str:
    if not question.choices:
        return f"**{question.text}** {question.answer} ({question.kind})"
    options = "\n".join(f"- {choice.text}: {choice.answer}" for choice in question.choices)
    return f"**{question.text}** ({question.kind})\n\n{options}"


def _origin(summary: Summary) -> str:
    settings = summary.settings
    if settings is None:
        return "Read from the published files of ComPhy, whose licence applies."
    videos = "without videos" if settings.size is None else "with videos of {} x {} pixels".format(*settings.size)
    return (
        f"Made by Tumble {tumble.__version__} with seed {settings.seed} and the physics {summary.physics_id}: "
        f"{settings.sets:,} sets, {videos}. The same seed gives the same sets and questions.\n\n"
        "Licence: MIT, as Tumble."
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
    return markdown_table([head, *rows])


def _options(summary: Summary) -> str:
    numbers = sorted({number for _, _, number in summary.options})
    rows = [
        [split, kind, *(f"{summary.options[split, kind, number]:,}" for number in numbers)]
        for split in SPLITS
        for kind in KINDS
        if any(summary.options[split, kind, number] for number in numbers)
    ]
    return markdown_table([["split", "kind", *(f"with {number} options" for number in numbers)], *rows])
