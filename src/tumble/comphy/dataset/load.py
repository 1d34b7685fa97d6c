"""A dataset as it is used: sets one by one, ours or the published ones, with only what is asked for read from disk.

data = open_dataset("data")
for example in data.examples("validation"):
    example.videos, example.questions, example.tracks("target"), example.frames(0)
data.faults      what was wrong and left out
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from tumble.comphy.dataset.annotations import StoredSet, read_set
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import PUBLISHED_SETS, SPLITS, Layout, Split, Which, plan
from tumble.comphy.dataset.question_files import read_questions
from tumble.comphy.dataset.settings import Settings, read_settings
from tumble.comphy.dataset.submission import read_submission, with_answers
from tumble.comphy.dataset.tracks import normalised, projected, read_boxes
from tumble.comphy.observation.masks import read_masks
from tumble.comphy.observation.video import read_video
from tumble.comphy.tasks.constants import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import VideoSet

Reader = Callable[[Path], np.ndarray]

PUBLISHED_SIZE = (480, 320)
PUBLISHED_SHARE = 0.9
"""Published videos are a few frames shorter or longer than others; with less than this share they are faulty."""


def open_dataset(folder: str | Path) -> "Data":
    """The dataset in a folder: one of ours, or the published files in their own folders."""
    root = Path(folder)
    layout = Layout(root)
    if layout.settings.exists():
        settings = read_settings(root)
        return Data(layout, settings, {row.index: row.split for row in settings.rows()})
    present = list(layout.indices())
    if not present:
        raise DataError(f"{root}: there is neither {layout.settings.name} nor a folder target_annotation with sets")
    published = plan(PUBLISHED_SETS)
    beyond = next((index for index in present if index >= PUBLISHED_SETS), None)
    if beyond is not None:
        raise DataError(f"{layout.annotation(beyond)}: published sets have indices below {PUBLISHED_SETS}")
    return Data(layout, None, {index: published[index].split for index in present})


@dataclass
class Data:
    """A dataset on disk."""

    layout: Layout
    settings: Settings | None
    """None for the published files."""
    splits: dict[int, Split]
    """The split of each set."""
    faults: list[Fault] = field(default_factory=list)
    """What was found wrong so far, and left out."""

    def indices(self, split: Split | None = None) -> list[int]:
        """The sets, of one split or all."""
        return [index for index, own in self.splits.items() if split in (None, own)]

    def examples(self, split: Split | None = None) -> Iterator["Example"]:
        """Set after set; one that can't be read is left out and named among the faults."""
        for index in self.indices(split):
            try:
                yield self.example(index)
            except DataError as error:
                self.faults.append(Fault(f"set {index:05d}", str(error)))

    def example(self, index: int) -> "Example":
        """One set."""
        if index not in self.splits:
            raise DataError(f"there is no set {index:05d} in {self.layout.root}; there are {len(self.splits)}")
        questions = self.questions.get(index, QuestionSet(index, ()))
        return Example(self, self.splits[index], read_set(self.layout.root, index), questions)

    @cached_property
    def questions(self) -> dict[int, QuestionSet]:
        """The questions about each set, with their answers where these are known; faulty ones are left out."""
        found: dict[int, QuestionSet] = {}
        for split in SPLITS:
            if not self.layout.questions(split).exists():
                continue
            sets, faults = read_questions(self.layout.questions(split))
            self.faults += faults
            if split == "test" and self.layout.answers().exists():
                sets = with_answers(sets, read_submission(self.layout.answers()))
            found.update((questions.index, questions) for questions in sets)
        return found

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the videos, if there are any."""
        return PUBLISHED_SIZE if self.settings is None else self.settings.size


@dataclass(frozen=True)
class Example:
    """A set with its questions; pictures are read when they are asked for."""

    data: Data
    split: Split
    stored: StoredSet
    questions: QuestionSet

    @property
    def index(self) -> int:
        """Of the set."""
        return self.stored.videos.index

    @property
    def videos(self) -> VideoSet:
        """All that is true of the set, but for what `stored.missing` names."""
        return self.stored.videos

    def members(self, which: Which = "target") -> tuple[int, ...]:
        """Which of the set's bodies a video has, in the order of its tracks and masks."""
        return tuple(range(len(self.videos.bodies))) if which == "target" else self.videos.references[which].members

    def frames(self, which: Which = "target") -> np.ndarray:
        """uint8 [frame, height, width, 3]: a video's pictures."""
        return self._checked(self.data.layout.video(self.index, which), read_video, which)

    def masks(self, which: Which = "target") -> np.ndarray:
        """uint8 [frame, height, width]: 0 for the table, k + 1 for the video's body k."""
        return self._checked(self.data.layout.masks(self.index, which), read_masks, which)

    def tracks(self, which: Which = "target") -> np.ndarray:
        """float32 [frame, body, 4] as `tracks.normalised`: stored boxes, or projected ones where none are stored."""
        path = self.data.layout.tracks(self.index, which)
        if path.exists() and self.data.size is not None:
            return normalised(self._checked(path, read_boxes, which), self.data.size)
        motion = self.videos.target if which == "target" else self.videos.references[which].motion
        found = projected(tuple(self.videos.bodies[k] for k in self.members(which)), motion)
        return found[: _frames(which)]

    def _checked(self, path: Path, read: Reader, which: Which) -> np.ndarray:
        """What a file holds, if it is long enough."""
        if not path.exists():
            raise DataError(f"{path}: there is no such file")
        try:
            found = read(path)
        except ValueError as error:
            raise DataError(str(error)) from None
        wanted = _frames(which)
        fewest = wanted if self.data.settings else round(wanted * PUBLISHED_SHARE)
        if len(found) < fewest:
            raise DataError(f"{path}: there are {len(found)} frames, there must be {wanted}")
        return found


def _frames(which: Which) -> int:
    return SHOWN_FRAMES if which == "target" else REFERENCE_FRAMES
