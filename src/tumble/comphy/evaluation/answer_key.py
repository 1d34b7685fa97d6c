"""The answer key of a split: questions with their answers, and tasks made of them, to score and train agents.

For a dataset without videos these can be rendered, and kept as MP4 files in a folder beside it: models so see what
the files of a dataset with videos hold, and the same bytes, pictures after H.264. Several threads render and encode
videos in parallel (the encoder runs outside of Python's lock).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from tumble.comphy.catalogue.task import Observation, QuestionSet, Task, Use
from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.dataset.annotations import COLLISIONS
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import VIDEOS, Layout, named_split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import TrueTarget
from tumble.comphy.observation.clips import AnyClip, render_each_clip, set_clips
from tumble.comphy.observation.renderer import Frames, Size
from tumble.comphy.observation.video import read_video, write_video
from tumble.jobs.executors import cores
from tumble.progress import bar


@dataclass(frozen=True)
class Key:
    """The questions of a split with their answers."""

    sets: tuple[QuestionSet, ...]
    faults: tuple[str, ...]
    """Messages about faulty entries of the files and about damaged annotations, which were skipped."""
    families: Mapping[int, Family]
    """The family of each set of the dataset, by index."""
    left_out: tuple[int, ...] = ()
    """Sets whose annotations are damaged or missing: their questions are not asked."""


def read_key(root: Path, split: str) -> Key:
    """Reads the questions of a split with their answers, where these are not withheld.

    Sets whose annotations differ from their checksums are left out.
    """
    data = open_dataset(root)
    sets = data.split_questions(named_split(split))
    damaged = {questions.index: data.annotation_faults(questions.index) for questions in sets}
    kept = tuple(questions for questions in sets if not damaged[questions.index])
    faults = [*data.faults, *(fault for own in damaged.values() for fault in own)]
    if not kept:
        raise DataError(f"{root}: the annotations of all {len(sets)} sets are damaged; the first: {faults[0]}")
    left_out = tuple(index for index, own in damaged.items() if own)
    return Key(kept, tuple(map(str, faults)), data.families, left_out)


def training_tasks(
    root: Path, sets: Sequence[QuestionSet], allows_truth: bool = False, use: Use | None = None
) -> list[Task]:
    """Tasks with the answers; their files are read when needed. `use` records what is asked for of all of them."""
    world = _dataset(root).world
    return [
        Task(
            questions,
            partial(observe_set, root, questions.index),
            partial(true_set, root, questions.index),
            partial(set_pictures, root, questions.index),
            allows_truth,
            use,
            world,
        )
        for questions in sets
    ]


def evaluation_tasks(root: Path, sets: Sequence[QuestionSet], allows_truth: bool = False) -> list[Task]:
    """Tasks without the answers, each of which records what is asked for."""
    return training_tasks(root, [without_answers(questions) for questions in sets], allows_truth)


def questions_digest(sets: Sequence[QuestionSet]) -> str:
    """SHA-256 of questions and answers; runs can be compared only if it is the same."""
    return sha256(json.dumps([asdict(questions) for questions in sets], sort_keys=True).encode()).hexdigest()


def observe_set(root: Path, index: int) -> Observation:
    """What can be seen of a set."""
    return observe_stored(_dataset(root), index)


@lru_cache(maxsize=1)
def set_pictures(root: Path, index: int) -> tuple[np.ndarray, ...]:
    """The pictures of a set's videos; those of the last set are kept, since an agent may ask for them again."""
    return stored_pictures(_dataset(root), index)


def true_target(root: Path, index: int) -> TrueTarget | None:
    """The bodies of a set with their masses and charges, and their motion; None if the properties are withheld."""
    target = _dataset(root).target(index)
    return TrueTarget(target.bodies, target.motion) if target.has_properties else None


def true_set(root: Path, index: int) -> VideoSet:
    """The whole set."""
    stored = _dataset(root).stored_set(index)
    if COLLISIONS in stored.missing:
        raise DataError(f"set {index:05d}: there is no ground truth: no annotation has its collisions")
    return stored.videos


@lru_cache(maxsize=4)
def _dataset(root: Path) -> Dataset:
    return open_dataset(root)


def world_of_data(data: str) -> ObjectWorld:
    """The world of the sets of a dataset."""
    return _dataset(Path(data)).world


@lru_cache(maxsize=4)
def cached_key(data: str, split: str) -> Key:
    """The key of a split, which is read once per process."""
    return read_key(Path(data), split)


VIDEO_SIZE = (240, 160)


def render_sets(
    root: Path,
    indices: Sequence[int],
    folder: Path,
    size: Size = VIDEO_SIZE,
    device: str = "cpu",
    threads: int | None = None,
) -> None:
    """Writes the videos of some sets of a dataset to a folder, in a dataset's layout; those that exist are kept."""
    data, layout = open_dataset(root), Layout(folder)
    missing = [index for index in indices if not _paths_exist(layout, index)]
    if not missing:
        return

    def clips() -> Iterator[AnyClip]:
        for index in missing:
            yield from set_clips(data.visible_set(index))

    with bar("Rendering videos", len(missing) * len(VIDEOS)) as advance:

        def write(number: int, frames: Frames) -> None:
            index, video = missing[number // len(VIDEOS)], VIDEOS[number % len(VIDEOS)]
            path = layout.video(index, video)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_video(path, frames.rgb)
            advance(1)

        render_each_clip(clips(), write, size, device, threads or cores())


def tasks_with_videos(
    root: Path, sets: Sequence[QuestionSet], folder: Path | None, allows_truth: bool = False
) -> list[Task]:
    """Tasks without the answers whose videos are those of `render_sets` in a folder; None: those of the dataset."""
    if folder is None:
        return evaluation_tasks(root, sets, allows_truth)
    world = open_dataset(root).world
    return [
        Task(
            without_answers(questions),
            partial(observe_set, root, questions.index),
            partial(true_set, root, questions.index),
            partial(rendered_pictures, folder, questions.index),
            allows_truth,
            world=world,
        )
        for questions in sets
    ]


@lru_cache(maxsize=1)
def rendered_pictures(folder: Path, index: int) -> tuple[np.ndarray, ...]:
    """uint8 [frame, height, width, 3]: the pictures of the videos that `render_sets` wrote, the target first."""
    return tuple(read_video(Layout(folder).video(index, video)) for video in VIDEOS)


def _paths_exist(layout: Layout, index: int) -> bool:
    return all(layout.video(index, video).exists() for video in VIDEOS)
