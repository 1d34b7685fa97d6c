"""Videos for a dataset that has none: rendered, encoded as MP4 files and kept in a folder beside it.

Models so see what the files of a dataset with videos hold, and the same bytes: pictures after H.264. Pictures are
rendered for many sets at once, on a GPU if there is one, while the videos before them are encoded by threads (the
encoder runs outside of Python's lock).
"""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from tumble.comphy.dataset.annotations import read_references, read_target
from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.answer_key import evaluation_tasks, observe_set, true_set
from tumble.comphy.observation.renderer import Clip, Size
from tumble.comphy.observation.renderer.device_frames import render_tensors
from tumble.comphy.observation.set_videos import set_clips
from tumble.comphy.observation.video import read_video, write_video
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import Task
from tumble.comphy.tasks.video_set import VideoSet
from tumble.jobs.executors import cores
from tumble.progress import bar

SIZE = (240, 160)
SETS_AT_ONCE = {"cpu": 2, "cuda": 16}
"""Sets that are rendered in one batch: 325 pictures each."""
MOST_WAITING = 3
"""Batches that wait to be encoded; more would fill the memory."""


def render_sets(
    root: Path, indices: Sequence[int], folder: Path, size: Size = SIZE, device: str = "cpu", threads: int | None = None
) -> None:
    """Writes the videos of some sets of a dataset to a folder, in a dataset's layout; those that exist are kept."""
    data, layout = open_dataset(root), Layout(folder)
    missing = [index for index in indices if not _paths_exist(layout, index)]
    if not missing:
        return
    step = SETS_AT_ONCE[device.partition(":")[0]]
    waiting: deque[list[Future[None]]] = deque()
    with bar("Rendering videos", len(missing)) as advance, ThreadPoolExecutor(threads or cores()) as pool:
        for first in range(0, len(missing), step):
            part = missing[first : first + step]
            clips = [set_clips(_visible_set(data, index)) for index in part]
            pictures = _rendered([clip for own in clips for clip in own], size, device)
            paths = [layout.video(index, video) for index in part for video in VIDEOS]
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
            waiting.append([pool.submit(write_video, *pair) for pair in zip(paths, pictures, strict=True)])
            while len(waiting) > MOST_WAITING:
                _finish(waiting.popleft())
            advance(len(part))
        while waiting:
            _finish(waiting.popleft())


def tasks_with_videos(
    root: Path, sets: Sequence[QuestionSet], folder: Path | None, allows_truth: bool = False
) -> list[Task]:
    """Tasks without the answers whose videos are those of `render_sets` in a folder; None: those of the dataset."""
    if folder is None:
        return evaluation_tasks(root, sets, allows_truth)
    return [
        Task(
            without_answers(questions),
            partial(observe_set, root, questions.index),
            partial(true_set, root, questions.index),
            partial(rendered_pictures, folder, questions.index),
            allows_truth,
        )
        for questions in sets
    ]


@lru_cache(maxsize=1)
def rendered_pictures(folder: Path, index: int) -> tuple[np.ndarray, ...]:
    """uint8 [frame, height, width, 3]: the pictures of the videos that `render_sets` wrote, the target first."""
    return tuple(read_video(Layout(folder).video(index, video)) for video in VIDEOS)


def _visible_set(data: Dataset, index: int) -> VideoSet:
    """A set as far as it is needed to render it."""
    root, check = data.layout.root, data.files.check
    target = read_target(root, index, check)
    references = read_references(root, index, target.bodies, check)
    return VideoSet(index, 0, data.families[index], target.bodies, target.motion, references, {})


def _rendered(clips: Sequence[Clip], size: Size, device: str) -> list[np.ndarray]:
    """uint8 [frame, height, width, 3]: the pictures of each clip."""
    pictures = render_tensors(clips, size, device).rgb.cpu().numpy()
    return np.split(pictures, np.cumsum([clip.frames for clip in clips])[:-1])


def _paths_exist(layout: Layout, index: int) -> bool:
    return all(layout.video(index, video).exists() for video in VIDEOS)


def _finish(futures: Sequence[Future[None]]) -> None:
    for future in futures:
        future.result()
