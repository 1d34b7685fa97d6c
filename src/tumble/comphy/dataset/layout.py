"""The paths in a dataset folder, and which sets belong to which split: both as in the published release.

dataset.json                                                      settings of a generated dataset
SHA256SUMS                                                        of every other file
target_annotation/annotation_00000_01000/00042.json
reference_annotation/annotation_00000_01000/00042/0.json … 3.json
altered_annotation/annotation_00000_01000/00042.json.gz           counterfactual motion; not published
target/video_00000_01000/sim_00042.mp4
reference/video_00000_01000/sim_00042_0.mp4 … _3.mp4
target_mask, reference_mask, target_track, reference_track        the same with .npz and .npy
questions/train.json, val.json, test.json, test_answers.json
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from tumble.comphy.tasks.constants import REFERENCE_COUNT
from tumble.comphy.tasks.video_set import Family
from tumble.errors import TumbleError

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
QUESTION_FILES: dict[Split, str] = {"train": "train", "validation": "val", "test": "test"}
PUBLISHED_SETS = 12_000
_TWELFTHS: tuple[tuple[int, Split, Family], ...] = (
    (4, "train", "mass"),
    (5, "validation", "mass"),
    (6, "validation", "charge"),
    (10, "train", "charge"),
    (11, "test", "charge"),
    (12, "test", "mass"),
)
"""Split and family of the sets up to each twelfth of all sets."""
_PER_FOLDER = 1000

VideoKey = Literal["target"] | int
"""A video of a set: "target", or the index of a reference."""
VIDEOS: tuple[VideoKey, ...] = ("target", *range(REFERENCE_COUNT))


class LayoutError(TumbleError):
    """An unknown split, or an impossible number of sets."""


@dataclass(frozen=True, order=True)
class PlannedSet:
    """The split and family of a set that is to be generated."""

    index: int
    split: Split
    family: Family


def plan_sets(sets: int, split: Split | None = None, family: Family | None = None) -> list[PlannedSet]:
    """The published ranges of splits and families, scaled to a number of sets; or all of one split or one family.

    >>> [planned.split for planned in plan_sets(6)]
    ['train', 'train', 'validation', 'train', 'train', 'test']
    """
    if sets < 1:
        raise LayoutError(f"there must be 1 set or more, not {sets}")
    planned = []
    for index in range(sets):
        _, range_split, range_family = next(part for part in _TWELFTHS if index < -(-part[0] * sets // 12))
        planned.append(PlannedSet(index, split or range_split, family or range_family))
    return planned


def named_split(name: str) -> Split:
    """The split of this name.

    >>> named_split("test")
    'test'
    """
    split = next((split for split in SPLITS if split == name), None)
    if split is None:
        raise LayoutError(f"no split {name!r}; there are {', '.join(SPLITS)}")
    return split


def video_name(index: int, video: VideoKey = "target") -> str:
    """The file name of a video, without a suffix."""
    return f"sim_{index:05d}" if video == "target" else f"sim_{index:05d}_{video}"


@dataclass(frozen=True)
class Layout:
    """The paths in a dataset folder."""

    root: Path

    @property
    def settings(self) -> Path:
        """The settings of a generated dataset."""
        return self.root / "dataset.json"

    @property
    def sums(self) -> Path:
        """The checksums."""
        return self.root / "SHA256SUMS"

    @property
    def parts(self) -> Path:
        """Intermediate files, which exist only until the dataset is complete."""
        return self.root / "parts"

    def annotation(self, index: int, video: VideoKey = "target") -> Path:
        """The annotation of a video."""
        if video == "target":
            return self._range_folder("target_annotation", "annotation", index) / f"{index:05d}.json"
        return self._range_folder("reference_annotation", "annotation", index) / f"{index:05d}" / f"{video}.json"

    def altered(self, index: int) -> Path:
        """The counterfactual motions of a set."""
        return self._range_folder("altered_annotation", "annotation", index) / f"{index:05d}.json.gz"

    def video(self, index: int, video: VideoKey = "target") -> Path:
        """A video of a set."""
        return self._range_folder(_video_folder(video), "video", index) / f"{video_name(index, video)}.mp4"

    def masks(self, index: int, video: VideoKey = "target") -> Path:
        """The masks of a video."""
        return self._range_folder(f"{_video_folder(video)}_mask", "mask", index) / f"{video_name(index, video)}.npz"

    def tracks(self, index: int, video: VideoKey = "target") -> Path:
        """The bounding boxes of the bodies in a video."""
        return self._range_folder(f"{_video_folder(video)}_track", "track", index) / f"{video_name(index, video)}.npy"

    def questions(self, split: Split) -> Path:
        """The questions of a split; published files may lie in the root instead of the folder `questions`."""
        name = f"{QUESTION_FILES[split]}.json"
        folder = self.root / "questions"
        return self.root / name if (self.root / name).exists() and not folder.exists() else folder / name

    def answers(self) -> Path:
        """The answers to the test questions."""
        return self.root / "questions" / "test_answers.json"

    def files_of(self, index: int, with_videos: bool) -> list[Path]:
        """Every file of a set."""
        paths = [self.altered(index), *(self.annotation(index, video) for video in VIDEOS)]
        if with_videos:
            for path_of in (self.video, self.masks, self.tracks):
                paths += [path_of(index, video) for video in VIDEOS]
        return paths

    def question_files(self) -> list[Path]:
        """Every file of questions and answers."""
        return [*(self.questions(split) for split in SPLITS), self.answers()]

    def indices(self) -> Iterator[int]:
        """The sets that have a target annotation, in order."""
        for path in sorted((self.root / "target_annotation").glob("annotation_*/*.json")):
            if path.stem.isdecimal():
                yield int(path.stem)

    def _range_folder(self, folder: str, kind: str, index: int) -> Path:
        first = index // _PER_FOLDER * _PER_FOLDER
        return self.root / folder / f"{kind}_{first:05d}_{first + _PER_FOLDER:05d}"


def _video_folder(video: VideoKey) -> str:
    return "target" if video == "target" else "reference"
