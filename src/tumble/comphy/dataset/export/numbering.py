"""New numbers for sets, in the index ranges by which published programs tell splits apart.

In a full-size dataset each number then has the split and family that it has in the published data. In a smaller one the
numbers of a range are used from its beginning without gaps, because CPL's executor finds the questions about set
4000 + k of the validation split at position k of its file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tumble.comphy.dataset.json_files import DataError, write_json
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import Family, VideoSet

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
