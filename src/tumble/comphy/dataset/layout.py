"""The paths in a dataset folder, as in the published release, and the split and family of each set.

dataset.json                                                      settings of a generated dataset
SHA256SUMS                                                        of every other file
target_annotation/annotation_00000_01000/00042.json
reference_annotation/annotation_00000_01000/00042/0.json … 3.json
altered_annotation/annotation_00000_01000/00042.json.gz           counterfactual motion; not published
target/video_00000_01000/sim_00042.mp4
reference/video_00000_01000/sim_00042_0.mp4 … _3.mp4
target_mask, reference_mask, target_track, reference_track        the same with .npz and .npy
questions/train.json, val.json, test.json, test_answers.json

A folder of real videos has a target and three references of magnets and weights on a table. The files are not ours.
This is how the published loader finds them, and what we assume where it says nothing:

data/train.json, val.json                           questions, as in the published files of simulated videos; a set
                                                    belongs to the split of the file that asks about it. They may also
                                                    lie in the folder `questions`, or beside the other folders.
box/sim_00042.npy                                   boxes of the target: [frame, body, 4], (left, top, right, bottom)
                                                    in pixels of a picture of 480x320, whatever the video's size; the
                                                    whole picture for a body that is not visible
box_reference/sim_00042_0.npy … _2.npy              the same of the three references
causal_sim/sim_00042/frames/frame_00000.png …       pictures of the target, or causal_sim/sim_00042.mp4
reference/sim_00042/0/frames/frame_00000.png …      pictures of a reference, or reference/sim_00042_0.mp4

Assumed, since the published loader reads no such files:

box/sim_00042.json, box_reference/sim_00042_0.json  looks of the bodies in the order of the boxes' columns:
                                                    {"config": [{"color": "red", "shape": "cube"}, …]}; "material" may
                                                    be left out (rubber then), "mass" (1 or 5) and "charge" (-1, 0 or
                                                    1, for magnets too) may be given. Only models that are given
                                                    tracks need them, and training; models that see find looks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from tumble.comphy.catalogue.video_set import Family
from tumble.comphy.catalogue.world import REFERENCE_COUNT
from tumble.errors import TumbleError

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
QUESTION_FILES: dict[Split, str] = {"train": "train", "validation": "val", "test": "test"}
_PATTERN: tuple[tuple[Split, Family], ...] = (
    ("train", "mass"),
    ("test", "charge"),
    ("validation", "mass"),
    ("train", "charge"),
    ("train", "mass"),
    ("train", "charge"),
    ("train", "mass"),
    ("test", "mass"),
    ("validation", "charge"),
    ("train", "charge"),
    ("train", "mass"),
    ("train", "charge"),
)
"""Split and family of successive sets, again and again: the published proportions, and every split early."""
_RANKS = tuple([split for split, _ in _PATTERN[:k]].count(split) for k, (split, _) in enumerate(_PATTERN))
"""For each place of the pattern, the number of earlier places of the same split."""
_PUBLISHED_RANGES: tuple[tuple[int, Split, Family], ...] = (
    (4_000, "train", "mass"),
    (5_000, "validation", "mass"),
    (6_000, "validation", "charge"),
    (10_000, "train", "charge"),
    (11_000, "test", "charge"),
    (12_000, "test", "mass"),
)
"""End of each range of indices in the published release, and its split and family."""
PUBLISHED_SETS = _PUBLISHED_RANGES[-1][0]
_PER_FOLDER = 1000

VideoKey = Literal["target"] | int
"""A video of a set: "target", or the index of a reference."""
VIDEOS: tuple[VideoKey, ...] = ("target", *range(REFERENCE_COUNT))


class LayoutError(TumbleError):
    """An unknown split, or a set that the published release does not have."""


@dataclass(frozen=True, order=True)
class PlannedSet:
    """The split and family of a set."""

    index: int
    split: Split
    family: Family


def planned_set(index: int, split: Split | None = None, family: Family | None = None) -> PlannedSet:
    """A generated set: split and family follow from its index, unless all sets are of one split or one family.

    >>> planned_set(1)
    PlannedSet(index=1, split='test', family='charge')
    """
    own_split, own_family = _PATTERN[index % len(_PATTERN)]
    return PlannedSet(index, split or own_split, family or own_family)


def plan_sets(sets: int, split: Split | None = None, family: Family | None = None) -> Iterator[PlannedSet]:
    """The sets of a dataset, in order.

    >>> [planned.split for planned in plan_sets(4)]
    ['train', 'test', 'validation', 'train']
    """
    return (planned_set(index, split, family) for index in range(sets))


def rank_in_split(index: int, split: Split | None = None) -> int:
    """The number of earlier sets of the same split, where all sets may be of one split.

    >>> [rank_in_split(index) for index in range(5)]
    [0, 0, 0, 1, 2]
    """
    if split is not None:
        return index
    rounds, place = divmod(index, len(_PATTERN))
    return rounds * _per_round(_PATTERN[place][0]) + _RANKS[place]


def nth_of_split(rank: int, split: Split, only: Split | None = None) -> int:
    """The index of the set of a split that has `rank` earlier ones: the inverse of `rank_in_split`.

    >>> [nth_of_split(rank, "test") for rank in range(3)]
    [1, 7, 13]
    """
    if only is not None:
        return rank
    places = [place for place, (own, _) in enumerate(_PATTERN) if own == split]
    rounds, number = divmod(rank, len(places))
    return rounds * len(_PATTERN) + places[number]


def sets_of_split(sets: int, split: Split, only: Split | None = None) -> int:
    """The number of sets of a split among the first `sets`, where all sets may be of one split (`only`).

    >>> sets_of_split(24, "test")
    4
    """
    if only is not None:
        return sets if split == only else 0
    rounds, rest = divmod(sets, len(_PATTERN))
    return rounds * _per_round(split) + sum(own == split for own, _ in _PATTERN[:rest])


def published_set(index: int) -> PlannedSet:
    """A set of the published release."""
    for end, split, family in _PUBLISHED_RANGES:
        if 0 <= index < end:
            return PlannedSet(index, split, family)
    raise LayoutError(f"published sets have indices from 0 to {PUBLISHED_SETS - 1}, not {index}")


def _per_round(split: Split) -> int:
    return sum(own == split for own, _ in _PATTERN)


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
    def reference_count(self) -> int:
        """The number of references of a set."""
        return REFERENCE_COUNT

    @property
    def videos(self) -> tuple[VideoKey, ...]:
        """The videos of a set, the target first."""
        return ("target", *range(self.reference_count))

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
        """The sets that have an annotation or tracks of the target, in order."""
        annotated = (path.stem for path in (self.root / "target_annotation").glob("annotation_*/*.json"))
        tracked = (path.stem.removeprefix("sim_") for path in (self.root / "target_track").glob("track_*/sim_*.npy"))
        yield from sorted({int(name) for name in (*annotated, *tracked) if name.isdecimal()})

    def _range_folder(self, folder: str, kind: str, index: int) -> Path:
        first = index // _PER_FOLDER * _PER_FOLDER
        return self.root / folder / f"{kind}_{first:05d}_{first + _PER_FOLDER:05d}"


def _video_folder(video: VideoKey) -> str:
    return "target" if video == "target" else "reference"


REFERENCES = 3
"""Reference videos of a real set."""
FAULTY_SETS = frozenset((0, 1, 33, 34, 36, 51, 57, 68))
"""Sets that the published loader leaves out."""
REPLACED_REFERENCES = {
    (24, 2): 0,
    (30, 0): 1,
    (54, 2): 0,
    (62, 0): 2,
    (62, 1): 2,
    (65, 0): 1,
    (69, 0): 1,
    (71, 2): 1,
    (73, 1): 0,
    (77, 0): 1,
    (79, 1): 0,
}
"""Set and number of each faulty reference, and the number of the one that the published loader takes instead."""
BOXES, REFERENCE_BOXES = "box", "box_reference"
_PICTURES = {True: "causal_sim", False: "reference"}
"""Folders of pictures, for the target and the references."""
_QUESTION_FOLDERS = ("data", "questions", ".")


class RealLayout(Layout):
    """The paths in a folder of real videos."""

    @property
    def reference_count(self) -> int:
        return REFERENCES

    def annotation(self, index: int, video: VideoKey = "target") -> Path:
        """The looks of the bodies in a video; there are no annotations of motion."""
        return self.tracks(index, video).with_suffix(".json")

    def video(self, index: int, video: VideoKey = "target") -> Path:
        """The folder with the pictures of a video, or a video file if there is no such folder."""
        video = _replaced(index, video)
        folder = self.root / _PICTURES[video == "target"]
        own = folder / video_name(index)
        frames = (own if video == "target" else own / str(video)) / "frames"
        file = folder / f"{video_name(index, video)}.mp4"
        return file if file.exists() and not frames.exists() else frames

    def tracks(self, index: int, video: VideoKey = "target") -> Path:
        """The bounding boxes of the bodies in a video."""
        video = _replaced(index, video)
        return self.root / (BOXES if video == "target" else REFERENCE_BOXES) / f"{video_name(index, video)}.npy"

    def questions(self, split: Split) -> Path:
        """The questions of a split."""
        paths = [self.root / folder / f"{QUESTION_FILES[split]}.json" for folder in _QUESTION_FOLDERS]
        return next((path for path in paths if path.exists()), paths[0])

    def indices(self) -> Iterator[int]:
        """The sets that have boxes of the target, in order, without the faulty ones."""
        for path in sorted((self.root / BOXES).glob("sim_*.npy")):
            number = path.stem.removeprefix("sim_")
            if number.isdecimal() and int(number) not in FAULTY_SETS:
                yield int(number)


def is_real(root: Path) -> bool:
    """Whether a folder has the layout of real videos."""
    return (root / BOXES).is_dir() and (root / REFERENCE_BOXES).is_dir()


def _replaced(index: int, video: VideoKey) -> VideoKey:
    """The video that is used for a video."""
    return video if video == "target" else REPLACED_REFERENCES.get((index, video), video)
