"""Where everything is in a folder of data, and which sets belong to which split: both as in the published release.

dataset.json                                                      how the data was made
SHA256SUMS                                                        of every other file
target_annotation/annotation_00000_01000/00042.json
reference_annotation/annotation_00000_01000/00042/0.json … 3.json
altered_annotation/annotation_00000_01000/00042.json.gz           what would have happened; not published
target/video_00000_01000/sim_00042.mp4
reference/video_00000_01000/sim_00042_0.mp4 … _3.mp4
target_mask, reference_mask, target_track, reference_track        the same with .npz and .npy
questions/train.json, val.json, test.json, test_answers.json
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from tumble.comphy.tasks.constants import REFERENCES
from tumble.comphy.tasks.video_set import Family

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
FILE_NAMES: dict[Split, str] = {"train": "train", "validation": "val", "test": "test"}
PUBLISHED_SETS = 12_000
_TWELFTHS: tuple[tuple[int, Split, Family], ...] = (
    (4, "train", "mass"),
    (5, "validation", "mass"),
    (6, "validation", "charge"),
    (10, "train", "charge"),
    (11, "test", "charge"),
    (12, "test", "mass"),
)
"""Up to which twelfth of all sets they are of a split and a family."""
_PER_FOLDER = 1000

Which = Literal["target"] | int
"""A video of a set: the target or the reference with that number."""
VIDEOS: tuple[Which, ...] = ("target", *range(REFERENCES))


@dataclass(frozen=True, order=True)
class PlannedSet:
    """What a set is to be."""

    index: int
    split: Split
    family: Family


def plan(sets: int, split: Split | None = None, family: Family | None = None) -> list[PlannedSet]:
    """The published ranges, scaled to so many sets; or all in one split, or of one family."""
    if sets < 1:
        raise ValueError(f"there must be 1 set or more, not {sets}")
    ends = [(-(-twelfth * sets // 12), own_split, own_family) for twelfth, own_split, own_family in _TWELFTHS]
    rows = []
    for index in range(sets):
        _, own_split, own_family = next(part for part in ends if index < part[0])
        rows.append(PlannedSet(index, split or own_split, family or own_family))
    return rows


def video_name(index: int, which: Which = "target") -> str:
    """How a video is called, without a suffix."""
    return f"sim_{index:05d}" if which == "target" else f"sim_{index:05d}_{which}"


@dataclass(frozen=True)
class Layout:
    """The paths of a folder of data."""

    root: Path

    @property
    def settings(self) -> Path:
        """How the data was made."""
        return self.root / "dataset.json"

    @property
    def sums(self) -> Path:
        """The checksums."""
        return self.root / "SHA256SUMS"

    @property
    def parts(self) -> Path:
        """What is only there until the data is complete."""
        return self.root / "parts"

    def annotation(self, index: int, which: Which = "target") -> Path:
        """The annotation of a video."""
        if which == "target":
            return self._thousand("target_annotation", "annotation", index) / f"{index:05d}.json"
        return self._thousand("reference_annotation", "annotation", index) / f"{index:05d}" / f"{which}.json"

    def altered(self, index: int) -> Path:
        """What would have happened, had one body been different."""
        return self._thousand("altered_annotation", "annotation", index) / f"{index:05d}.json.gz"

    def video(self, index: int, which: Which = "target") -> Path:
        """A video."""
        return self._thousand(_side(which), "video", index) / f"{video_name(index, which)}.mp4"

    def masks(self, index: int, which: Which = "target") -> Path:
        """Which body is seen in each pixel of a video."""
        return self._thousand(f"{_side(which)}_mask", "mask", index) / f"{video_name(index, which)}.npz"

    def tracks(self, index: int, which: Which = "target") -> Path:
        """The boxes of the bodies in a video."""
        return self._thousand(f"{_side(which)}_track", "track", index) / f"{video_name(index, which)}.npy"

    def questions(self, split: Split) -> Path:
        """The questions of a split; beside the folders where there is no folder of questions."""
        name = f"{FILE_NAMES[split]}.json"
        folder = self.root / "questions"
        return self.root / name if (self.root / name).exists() and not folder.exists() else folder / name

    def answers(self) -> Path:
        """The answers to the test questions."""
        return self.root / "questions" / "test_answers.json"

    def files_of(self, index: int, with_videos: bool) -> list[Path]:
        """Every file of a set."""
        found = [self.altered(index), *(self.annotation(index, which) for which in VIDEOS)]
        if with_videos:
            for path in (self.video, self.masks, self.tracks):
                found += [path(index, which) for which in VIDEOS]
        return found

    def indices(self) -> Iterator[int]:
        """The sets whose target annotation is there, in order."""
        for path in sorted((self.root / "target_annotation").glob("annotation_*/*.json")):
            if path.stem.isdecimal():
                yield int(path.stem)

    def _thousand(self, folder: str, kind: str, index: int) -> Path:
        first = index // _PER_FOLDER * _PER_FOLDER
        return self.root / folder / f"{kind}_{first:05d}_{first + _PER_FOLDER:05d}"


def _side(which: Which) -> str:
    return "target" if which == "target" else "reference"
