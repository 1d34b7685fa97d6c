"""A dataset as programs use it: sets one by one, generated or published; what is not asked for is not read.

Files of a generated dataset are checked against their checksums before they are first read.

Sets without annotations of motion, such as those of real videos, have bodies and motion from their tracks.

dataset = open_dataset("data")
for example in dataset.examples("validation"):
    example.videos, example.questions, example.tracks("target"), example.frames(0)
dataset.faults      what was wrong and was skipped
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.bounded import read_bytes
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Family, Reference, VideoSet
from tumble.comphy.catalogue.world import PLAIN, REFERENCE_FRAMES, SHOWN_FRAMES, ObjectWorld, named_world
from tumble.comphy.dataset.annotations import (
    ALTERED,
    COLLISIONS,
    FUTURE,
    NO_SEED,
    PROPERTIES,
    REFERENCE_VIDEOS,
    StoredSet,
    StoredTarget,
    read_references,
    read_set,
    read_target,
)
from tumble.comphy.dataset.folder import CheckedFiles, Settings, part_sums, read_physics_id, read_settings, read_sums
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import (
    BOXES,
    FAULTY_SETS,
    PUBLISHED_SETS,
    SPLITS,
    Layout,
    RealLayout,
    Split,
    VideoKey,
    is_real,
    named_split,
    published_set,
)
from tumble.comphy.dataset.question_files import read_answer_key, read_questions, with_answers
from tumble.comphy.dataset.tracks import (
    normalise_boxes,
    project_boxes,
    read_boxes,
    reference_of_tracks,
    target_of_tracks,
)
from tumble.comphy.observation.video import read_masks, read_video
from tumble.errors import TumbleError

MOST_PIXELS = 1 << 24
"""Of a picture; those of the published videos have 0.15 million."""
_NAME = re.compile(r"(?:frame_)?(\d+)\.(?:png|jpg|jpeg)")


def read_picture_folder(folder: Path, size: tuple[int, int]) -> np.ndarray:
    """uint8 [frame, height, width, 3]: the pictures of a folder by their numbers, scaled to a width and a height."""
    numbered = {int(match[1]): path for path in folder.iterdir() if (match := _NAME.fullmatch(path.name.lower()))}
    if not numbered:
        raise DataError(f"{folder}: there are no pictures like frame_00000.png")
    return np.stack([_picture(numbered[number], size) for number in sorted(numbered)])


def scaled(picture: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """uint8 [height, width, 3]: a picture scaled to a width and a height."""
    return np.asarray(picture.convert("RGB").resize(size, Image.Resampling.BILINEAR), np.uint8)


def _picture(path: Path, size: tuple[int, int]) -> np.ndarray:
    try:
        with Image.open(BytesIO(read_bytes(path)), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise ValueError(f"it has {picture.width} x {picture.height} pixels, too many")
            return scaled(picture, size)
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises the last for damaged PNG files
        raise DataError(f"{path}: this is not a picture: {error}") from None


Reader = Callable[[Path], np.ndarray]

PUBLISHED_SIZE = (480, 320)
PUBLISHED_SHARE = 0.9
"""Share of the frames that a published video must have: some are a few frames shorter than others."""


@dataclass
class SetFiles:
    """The files of the sets of a dataset."""

    layout: Layout
    settings: Settings | None
    """None for the published files."""
    splits: dict[int, Split]
    """The split of each set."""
    files: CheckedFiles
    """Checks a file against its checksum, if it has one."""

    @property
    def is_real(self) -> bool:
        """Whether the videos are real ones."""
        return isinstance(self.layout, RealLayout)

    @property
    def world(self) -> ObjectWorld:
        """The world of the sets; published ones are of the plain world."""
        return PLAIN if self.settings is None else named_world(self.settings.world)

    @cached_property
    def families(self) -> dict[int, Family]:
        """The family of each set, as planned."""
        if self.is_real:
            return dict.fromkeys(self.splits, "both")
        plan = published_set if self.settings is None else self.settings.planned_set
        return {index: plan(index).family for index in self.splits}

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the videos, if there are any."""
        return PUBLISHED_SIZE if self.settings is None else self.settings.size

    def stored_set(self, index: int) -> StoredSet:
        """The annotations of a set; without those, what its tracks tell."""
        if self.has_motion(index):
            stored = read_set(self.layout.root, index, self.files.check)
            if REFERENCE_VIDEOS not in stored.missing:
                return stored
            references = self.references(index, stored.videos.bodies)
            still_missing = stored.missing - ({REFERENCE_VIDEOS} if references else set())
            return StoredSet(replace(stored.videos, references=references), still_missing)
        target = self.target(index)
        references = self.references(index, target.bodies)
        missing = {FUTURE, COLLISIONS, ALTERED, *({} if references else {REFERENCE_VIDEOS})}
        missing |= set() if target.has_properties else {PROPERTIES}
        family = self.families[index]
        videos = VideoSet(index, NO_SEED, family, target.bodies, target.motion, references, {})
        return StoredSet(videos, frozenset(missing))

    def has_motion(self, index: int) -> bool:
        """Whether there is an annotation of the target's motion."""
        return not self.is_real and (self.settings is not None or self.layout.annotation(index).exists())

    def target(self, index: int) -> StoredTarget:
        """The bodies and the motion of a target, from its annotation or else from its tracks."""
        if self.has_motion(index):
            return read_target(self.layout.root, index, self.files.check)
        return target_of_tracks(self._looks(index, "target"), self.boxes(index, "target"))

    def visible_set(self, index: int) -> VideoSet:
        """A set as far as it is needed to render its videos."""
        target = self.target(index)
        references = self.references(index, target.bodies)
        family = self.families[index]
        return VideoSet(index, NO_SEED, family, target.bodies, target.motion, references, {}, stage=target.stage)

    def references(self, index: int, bodies: tuple[Body, ...]) -> tuple[Reference, ...]:
        """The references of a set with these bodies, from annotations or else from tracks; none if it has neither."""
        if not self.is_real:
            annotated = read_references(self.layout.root, index, bodies, self.files.check)
            if annotated or self.settings is not None:
                return annotated
        videos = [k for k in range(self.layout.reference_count) if self.layout.tracks(index, k).exists()]
        return tuple(reference_of_tracks(self._looks(index, k), self.boxes(index, k), bodies) for k in videos)

    def boxes(self, index: int, video: VideoKey) -> np.ndarray:
        """float32 [frame, body, 4]: the stored boxes of a video, normalised."""
        if self.size is None:
            raise DataError(f"{self.layout.root}: there are no boxes, since there are no videos")
        return normalise_boxes(self.read(self.layout.tracks(index, video), read_boxes, video), self.size)

    def pictures(self, index: int, video: VideoKey) -> np.ndarray:
        """uint8 [frame, height, width, 3]: the pictures of a video."""
        path = self.layout.video(index, video)
        if not self.is_real:
            return self.read(path, read_video, video)
        return self.read(path, lambda own: _real_pictures(own, PUBLISHED_SIZE), video)

    def read(self, path: Path, read: Reader, video: VideoKey) -> np.ndarray:
        """The content of a file of a video, checked for damage and for enough frames.

        Real videos may have any number of frames; of theirs, as many as others have are taken, evenly spaced.
        """
        if not self.files.check(path).exists():
            raise DataError(f"{path}: there is no such file")
        try:
            content = read(path)
        except TumbleError as error:
            raise DataError(str(error)) from None
        expected = frame_count(video)
        if self.is_real and len(content):
            return np.asarray(content[np.linspace(0, len(content) - 1, expected).round().astype(int)])
        fewest = expected if self.settings is not None else round(expected * PUBLISHED_SHARE)
        if len(content) < fewest:
            raise DataError(f"{path}: there are {len(content)} frames, there must be {expected}")
        return content

    def _looks(self, index: int, video: VideoKey) -> Path:
        """The file with the looks of the bodies of a video that has tracks only."""
        return self.layout.tracks(index, video).with_suffix(".json")


def _real_pictures(path: Path, size: tuple[int, int]) -> np.ndarray:
    """The pictures of a real video, from a folder of pictures or a video file, scaled to a width and a height."""
    if path.is_dir():
        return read_picture_folder(path, size)
    return np.stack([scaled(Image.fromarray(frame), size) for frame in read_video(path)])


def frame_count(video: VideoKey) -> int:
    """The number of frames of a video."""
    return SHOWN_FRAMES if video == "target" else REFERENCE_FRAMES


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
