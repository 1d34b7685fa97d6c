"""The folder of an export: sets one by one under new numbers, questions of each split, and a mark at the end.

A folder that holds something else is refused; the mark says that the export is complete. Sets get numbers of the
index ranges by which published programs tell splits apart. In a full-size dataset each number then has the split
and family that it has in the published data. In a smaller one the numbers of a range are used from its beginning
without gaps, because CPL's executor finds the questions about set 4000 + k of the validation split at position k of
its file.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Any

import tumble
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.catalogue.world import REFERENCE_COUNT
from tumble.comphy.dataset.export.card import Summary
from tumble.comphy.dataset.folder import is_temporary
from tumble.comphy.dataset.json_files import DataError, Fault, read_json, write_json
from tumble.comphy.dataset.layout import QUESTION_FILES, SPLITS, Split
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.dataset.question_files import answers_of, without_answers, write_questions, write_submission
from tumble.progress import bar
from tumble.scene.files import whole_file

MARKER = "export.json"
"""Format and source of an export, and whether it is finished."""


@contextmanager
def export_folder(data: Dataset, folder: Path, file_format: str) -> Iterator[None]:
    """Marks a folder as an unfinished export, and as finished when the block ends without an error.

    The folder must be empty or hold an export of the same dataset in the same format, which is then written again.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is a file; name a folder")
    marker = folder / MARKER
    wanted = {"format": file_format, "dataset": _identity(data), "tumble": tumble.__version__}
    _check_empty_or_same(folder, marker, wanted)
    write_json(marker, {**wanted, "finished": False})
    yield
    write_json(marker, {**wanted, "finished": True})


def _check_empty_or_same(folder: Path, marker: Path, wanted: dict[str, Any]) -> None:
    if not marker.exists():
        entries = folder.iterdir() if folder.exists() else ()
        entry = next((path for path in entries if not is_temporary(path)), None)
        if entry is not None:
            raise DataError(f"{folder} holds {entry.name} and is no export; choose an empty folder")
        return
    present = read_json(marker)
    if not isinstance(present, dict) or any(present.get(name) != value for name, value in wanted.items()):
        raise DataError(f"{folder} holds another export (see {MARKER}); choose an empty folder")


def _identity(data: Dataset) -> str:
    """A hash of what a dataset holds: its settings, its checksums and the indices of its sets."""
    result = sha256(repr(sorted(data.splits.items())).encode())
    for path in (data.layout.settings, data.layout.sums):
        result.update(path.read_bytes() if path.exists() else b"")
    return result.hexdigest()


INDEX_MAP = "index_map.json"


@dataclass(frozen=True)
class NumberRange:
    """Numbers from `first` to `last` for sets of a split and of some families, in this order of families."""

    split: Split
    families: tuple[Family, ...]
    first: int
    last: int


ANY_FAMILY: tuple[Family, ...] = ("mass", "charge", "both")
COMPHY_RANGES = (
    NumberRange("train", ("mass",), 0, 3999),
    NumberRange("validation", ANY_FAMILY, 4000, 5999),
    NumberRange("train", ("charge", "both"), 6000, 9999),
    NumberRange("test", ("charge", "both", "mass"), 10000, 11999),
)
"""ComPhy's; sets with both properties, which are not published, follow those with charges."""
CLEVRER_RANGES = (
    NumberRange("train", ANY_FAMILY, 0, 9999),
    NumberRange("validation", ANY_FAMILY, 10000, 14999),
    NumberRange("test", ANY_FAMILY, 15000, 19999),
)


@dataclass(frozen=True)
class Numbered:
    """A set under its new number."""

    example: Example
    number: int

    @property
    def videos(self) -> VideoSet:
        """The ground truth of the set."""
        return replace(self.example.videos, index=self.number)

    @property
    def questions(self) -> QuestionSet:
        """The questions about the set."""
        return replace(self.example.questions, index=self.number)


def new_numbers(data: Dataset, ranges: tuple[NumberRange, ...]) -> dict[int, int]:
    """The new number of every set of a dataset, by old number; an error where a range is too short."""
    numbers: dict[int, int] = {}
    for part in ranges:
        members = [index for index in data.indices(part.split) if data.families[index] in part.families]
        members.sort(key=lambda index: (part.families.index(data.families[index]), index))
        capacity = part.last - part.first + 1
        if len(members) > capacity:
            raise DataError(
                f"{data.layout.root}: there are {len(members):,} sets of {' or '.join(part.families)} in the split "
                f"{part.split}, but only {capacity:,} numbers for them ({part.first} to {part.last})"
            )
        numbers.update((index, part.first + k) for k, index in enumerate(members))
    return numbers


def write_index_map(folder: Path, data: Dataset, numbers: Mapping[int, int]) -> None:
    """Writes index_map.json: old and new number, split and family of every set, by new number."""
    rows: list[dict[str, Any]] = [
        {"old": old, "new": new, "split": data.splits[old], "property_family": data.families[old]}
        for old, new in sorted(numbers.items(), key=lambda pair: pair[1])
    ]
    write_json(folder / INDEX_MAP, rows)


def write_sets(
    data: Dataset, numbers: Mapping[int, int], summary: Summary, write: Callable[[Numbered], None]
) -> dict[Split, list[QuestionSet]]:
    """Writes every set with a function; returns the questions of each split that has sets, by new number.

    A set that can't be read is added to the dataset's faults; its place in the list has no questions.
    """
    questions: dict[Split, list[QuestionSet]] = {}
    with bar("Exporting", len(numbers)) as advance:
        for split in SPLITS:
            for old in sorted(data.indices(split), key=numbers.__getitem__):
                of_split = questions.setdefault(split, [])
                try:
                    one = Numbered(data.example(old), numbers[old])
                    write(one)
                    summary.add(one.example)
                    of_split.append(one.questions)
                except DataError as error:
                    data.faults.append(Fault(f"set {old:05d}", str(error)))
                    of_split.append(QuestionSet(numbers[old], ()))
                advance(1)
    return questions


def write_question_files(folder: Path, questions: Mapping[Split, list[QuestionSet]]) -> None:
    """Writes train.json, val.json and test.json, the last without answers, which are in test_answers.json if known."""
    for split, sets in questions.items():
        is_test = split == "test"
        path = folder / f"{QUESTION_FILES[split]}.json"
        write_questions(path, [without_answers(each) for each in sets] if is_test else sets)
        if is_test and has_answers(sets):
            write_submission(folder / "test_answers.json", sets, answers_of(sets))


def has_answers(sets: list[QuestionSet]) -> bool:
    """Whether every question has its answer."""
    return all(
        answered.answer is not None
        for questions in sets
        for question in questions.questions
        for answered in question.choices or (question,)
    )


def check_references(one: Numbered) -> None:
    """An error if a set lacks references."""
    if len(one.example.videos.references) != REFERENCE_COUNT:
        raise DataError(f"it has {len(one.example.videos.references)} references; this format needs {REFERENCE_COUNT}")


def copy_whole(source: Path, target: Path) -> None:
    """Copies a file, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as partial:
        copyfile(source, partial)
