"""Videos for a dataset that has none: rendered, encoded as MP4 files and kept in a folder beside it.

Models so see what the files of a dataset with videos hold, and the same bytes: pictures after H.264. Several threads
render and encode videos in parallel (the encoder runs outside of Python's lock).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.answer_key import evaluation_tasks, observe_set, true_set
from tumble.comphy.observation.clips import AnyClip, render_each_clip
from tumble.comphy.observation.renderer import Frames, Size
from tumble.comphy.observation.set_videos import set_clips
from tumble.comphy.observation.video import read_video, write_video
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import Task
from tumble.jobs.executors import cores
from tumble.progress import bar

SIZE = (240, 160)


def render_sets(
    root: Path, indices: Sequence[int], folder: Path, size: Size = SIZE, device: str = "cpu", threads: int | None = None
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
