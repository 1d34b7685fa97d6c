"""A dataset as programs use it: sets one by one, generated or published; what is not asked for is not read.

Files of a generated dataset are checked against their checksums before they are first read.

Sets without annotations of motion, such as those of real videos, have bodies and motion from their tracks.

dataset = open_dataset("data")
for example in dataset.examples("validation"):
    example.videos, example.questions, example.tracks("target"), example.frames(0)
dataset.faults      what was wrong and was skipped
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from tumble.comphy.dataset.annotations import StoredSet
from tumble.comphy.dataset.checksums import CheckedFiles, part_sums, read_sums
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import PUBLISHED_SETS, SPLITS, Layout, Split, VideoKey, named_split, published_set
from tumble.comphy.dataset.question_files import read_questions
from tumble.comphy.dataset.real_layout import BOXES, FAULTY_SETS, RealLayout, is_real
from tumble.comphy.dataset.set_reader import SetFiles, frame_count
from tumble.comphy.dataset.settings import read_physics_id, read_settings
from tumble.comphy.dataset.submission import read_answer_key, with_answers
from tumble.comphy.dataset.tracks import project_boxes
from tumble.comphy.observation.masks import read_masks
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import VideoSet


def open_dataset(folder: str | Path) -> "Dataset":
    """The dataset in a folder: generated, or the published files in their own folders, or real videos."""
    root = Path(folder)
    layout = Layout(root)
    if is_real(root):
        return _open_real(RealLayout(root))
    if layout.settings.exists():
        files = _checked_files(layout)
        settings = read_settings(root)
        splits = {planned.index: planned.split for planned in settings.planned_sets()}
        return Dataset(layout, settings, splits, files)
    present = list(layout.indices())
    if not present:
        raise DataError(
            f"{root}: there is neither {layout.settings.name} nor a folder target_annotation with sets, "
            f"nor a folder {BOXES} with the boxes of real videos"
        )
    beyond = next((index for index in present if index >= PUBLISHED_SETS), None)
    if beyond is not None:
        raise DataError(f"{layout.annotation(beyond)}: published sets have indices below {PUBLISHED_SETS}")
    return Dataset(layout, None, {index: published_set(index).split for index in present}, CheckedFiles(root, None))


def _open_real(layout: RealLayout) -> "Dataset":
    """The real videos of a folder: the sets that have boxes and that a file asks about."""
    present = set(layout.indices())
    data = Dataset(layout, None, {}, CheckedFiles(layout.root, None))
    asked: dict[int, Split] = {}
    for split in SPLITS:
        if layout.questions(split).exists():
            asked.update({own.index: split for own in read_questions(layout.questions(split))[0]})
    for index in sorted(asked):
        if index in FAULTY_SETS:
            data.faults.append(Fault(f"set {index:05d}", "it is one of the sets that are known to be faulty"))
        elif index not in present:
            data.faults.append(Fault(f"set {index:05d}", f"{layout.tracks(index)}: there is no such file"))
    data.splits.update({index: asked[index] for index in sorted(present & asked.keys())})
    if not data.splits:
        where = layout.questions("train")
        raise DataError(f"{layout.root}: no set of real videos has boxes and questions; these should be in {where}")
    return data


def _checked_files(layout: Layout) -> CheckedFiles:
    """The files of a generated dataset, of which the settings have been checked; those of a finished one have sums."""
    if layout.sums.exists():
        files = CheckedFiles(layout.root, read_sums(layout.sums))
        files.check(layout.settings)
        return files
    if not layout.parts.exists():
        raise DataError(f"{layout.sums}: there is no such file; generate the dataset again to finish it")
    return CheckedFiles(layout.root, part_sums(layout.parts))


@dataclass
class Dataset(SetFiles):
    """A dataset on disk."""

    faults: list[Fault] = field(default_factory=list)
    """What has been found wrong and was skipped."""

    @property
    def is_finished(self) -> bool:
        """Whether all sets and questions have been generated; always for the published files."""
        return self.settings is None or self.layout.sums.exists()

    def generated_sets(self) -> int:
        """The number of sets of which all files have been generated."""
        if self.settings is None:
            return len(self.splits)
        has_videos = self.settings.size is not None
        stems = [Path(name).stem for name in self.files.names_in("target_annotation")]
        started = {int(stem) for stem in stems if stem.isdecimal()} & self.splits.keys()
        return sum(all(map(self.files.has_sum, self.layout.files_of(index, has_videos))) for index in started)

    def indices(self, split: Split | None = None) -> list[int]:
        """The sets of a split, or all."""
        if split is not None:
            named_split(split)
        return [index for index, own_split in self.splits.items() if split in (None, own_split)]

    def examples(self, split: Split | None = None) -> Iterator["Example"]:
        """The sets of a split, or all; those that can't be read are skipped and added to the faults."""
        for index in self.indices(split):
            try:
                yield self.example(index)
            except DataError as error:
                self.faults.append(Fault(f"set {index:05d}", str(error)))

    def example(self, index: int) -> "Example":
        """One set."""
        if index not in self.splits:
            raise DataError(f"there is no set {index!s:0>5} in {self.layout.root}; there are {len(self.splits)} sets")
        questions = self.questions.get(index, QuestionSet(index, ()))
        return Example(self, self.splits[index], self.stored_set(index), questions)

    def annotation_faults(self, index: int) -> list[Fault]:
        """The annotation files of a set that are damaged or missing, found by their checksums if there are any."""
        faults = []
        annotations = (self.layout.annotation(index, video) for video in self.layout.videos)
        for path in (*annotations, self.layout.altered(index)):
            try:
                self.files.check(path)
            except DataError as error:
                faults.append(Fault(f"set {index:05d}", str(error)))
        return faults

    @cached_property
    def questions(self) -> dict[int, QuestionSet]:
        """The questions about each set, with the answers that are known; faulty ones are skipped."""
        by_index: dict[int, QuestionSet] = {}
        for split in SPLITS:
            path = self.files.check(self.layout.questions(split))
            if not path.exists():
                continue
            sets, faults = read_questions(path)
            self.faults += faults
            if split == "test" and self.files.check(self.layout.answers()).exists():
                sets = with_answers(sets, read_answer_key(self.layout.answers()))
            by_index.update((questions.index, questions) for questions in sets)
        return by_index

    def split_questions(self, split: Split) -> tuple[QuestionSet, ...]:
        """The questions about the sets of a split; an error if there are none."""
        questions = tuple(self.questions[index] for index in self.indices(split) if index in self.questions)
        if not questions:
            present = {self.splits[index] for index in self.questions if index in self.splits}
            names = ", ".join(name for name in SPLITS if name in present) or "none"
            raise DataError(f"{self.layout.root}: no questions of the split {split!r}; there are those of: {names}")
        return questions

    @property
    def has_videos(self) -> bool:
        """Whether there are videos."""
        if self.settings is not None:
            return self.settings.size is not None
        return any(self.layout.video(index).exists() for index in self.splits)

    @property
    def physics_id(self) -> str | None:
        """The physics that the motion was simulated with (`simulator.physics_id`); None for the published files."""
        return None if self.settings is None else read_physics_id(self.layout.root)


@dataclass(frozen=True)
class Example:
    """A set with its questions; videos, masks and tracks are read when they are asked for."""

    data: Dataset
    split: Split
    stored: StoredSet
    questions: QuestionSet

    @property
    def index(self) -> int:
        """The index of the set."""
        return self.stored.videos.index

    @property
    def videos(self) -> VideoSet:
        """The ground truth of the set, except for what is in `stored.missing`."""
        return self.stored.videos

    def members(self, video: VideoKey = "target") -> tuple[int, ...]:
        """Indices of the set's bodies in a video, in the order of its tracks and masks."""
        return tuple(range(len(self.videos.bodies))) if video == "target" else self.videos.references[video].members

    def frames(self, video: VideoKey = "target") -> np.ndarray:
        """uint8 [frame, height, width, 3]: the pictures of a video."""
        return self.data.pictures(self.index, video)

    def masks(self, video: VideoKey = "target") -> np.ndarray:
        """uint8 [frame, height, width]: 0 for the table, k + 1 for the video's body k."""
        return self.data.read(self.data.layout.masks(self.index, video), read_masks, video)

    def tracks(self, video: VideoKey = "target") -> np.ndarray:
        """float32 [frame, body, 4]: boxes as `tracks.normalise_boxes` gives them, projected where none are stored."""
        path = self.data.layout.tracks(self.index, video)
        if self.data.files.check(path).exists() and self.data.size is not None:
            return self.data.boxes(self.index, video)
        motion = self.videos.target if video == "target" else self.videos.references[video].motion
        boxes = project_boxes(tuple(self.videos.bodies[k] for k in self.members(video)), motion)
        return boxes[: frame_count(video)]
