"""The jobs of workers: the files of one set, independent of all other sets, and the questions of one block of sets.

Answers are balanced within a block of successive sets of one split. The questions about a set depend on the earlier
sets of its block only, so a dataset that is extended keeps its questions. The blocks are merged by split.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.dataset.annotations import read_set, write_set
from tumble.comphy.dataset.folder import CheckedFiles, Settings, digests, file_digest
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import (
    SPLITS,
    VIDEOS,
    Layout,
    PlannedSet,
    Split,
    nth_of_split,
    rank_in_split,
    sets_of_split,
)
from tumble.comphy.dataset.question_files import (
    answers_of,
    read_questions_strict,
    read_submission,
    with_answers,
    without_answers,
    write_questions,
    write_submission,
)
from tumble.comphy.dataset.tracks import write_boxes
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.clips import body_count, render_each_clip, set_clips
from tumble.comphy.observation.renderer import Frames
from tumble.comphy.observation.video import bounding_boxes, write_masks, write_video
from tumble.comphy.questions.ask import BLOCK_SIZE, ask_block
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.jobs.job import ProgressCallback

GPU_THREADS = 2
"""Threads of a worker that uses a GPU: one encodes while the other waits for pictures."""


@dataclass(frozen=True)
class WrittenSet:
    """A set whose files have been written."""

    sums: dict[str, str]
    """The checksums of its files."""
    scene: SymbolicScene
    """What questions are asked about."""
    seconds: float
    """That it took."""
    size: int
    """Bytes of its files."""


def generate_set_files(
    root: Path, settings: Settings, planned: PlannedSet, device: str, report: ProgressCallback
) -> WrittenSet:
    """Generates a set and writes its files."""
    start, layout, index = time.perf_counter(), Layout(root), planned.index
    videos = make_set(index, planned.family, settings.seed, settings.world)
    sums = {path.relative_to(root).as_posix(): checksum for path, checksum in write_set(root, videos).items()}
    if settings.size is not None:
        write_videos(layout, videos, settings.size, device, settings.renderer)
        sums |= digests(root, set(layout.files_of(index, True)) - set(layout.files_of(index, False)))
    size = sum((root / name).stat().st_size for name in sums)
    return WrittenSet(sums, symbolic_scene(videos), time.perf_counter() - start, size)


def is_finished(root: Path, files: list[Path], sums: Mapping[str, str], written: int) -> bool:
    """Whether all files exist and have checksums. Those changed since `written` (ns) are compared with them."""
    for path in files:
        expected = sums.get(path.relative_to(root).as_posix())
        if expected is None:
            return False
        try:
            if path.stat().st_mtime_ns > written and file_digest(path) != expected:
                return False
        except FileNotFoundError:
            return False
    return True


def write_videos(layout: Layout, videos: VideoSet, size: tuple[int, int], device: str, renderer: str) -> None:
    """Renders the five videos of a set and writes them, with their masks and boxes."""
    clips = set_clips(videos)

    def write(number: int, frames: Frames) -> None:
        key, clip = VIDEOS[number], clips[number]
        video, masks = layout.video(videos.index, key), layout.masks(videos.index, key)
        for path in (video, masks):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_video(video, frames.rgb)
        write_masks(masks, frames.mask)
        write_boxes(layout.tracks(videos.index, key), bounding_boxes(frames.mask, body_count(clip)), size)

    render_each_clip(clips, write, size, device, 1 if device == "cpu" else GPU_THREADS, renderer)


class Block(NamedTuple):
    """Successive sets of one split; BLOCK_SIZE, or fewer at the end of the dataset."""

    split: Split
    number: int
    indices: tuple[int, ...]

    @property
    def name(self) -> str:
        """For messages."""
        return f"questions about {len(self.indices)} {self.split} sets from {self.indices[0]:05d} on"


def block_number(settings: Settings, planned: PlannedSet) -> int:
    """The number of a set's block, among those of its split."""
    return rank_in_split(planned.index, settings.split) // BLOCK_SIZE


def block_of(settings: Settings, split: Split, number: int) -> Block:
    """A block of a split."""
    end = min((number + 1) * BLOCK_SIZE, sets_of_split(settings.sets, split, settings.split))
    ranks = range(number * BLOCK_SIZE, end)
    return Block(split, number, tuple(nth_of_split(rank, split, settings.split) for rank in ranks))


def blocks_of(settings: Settings, split: Split) -> Iterator[Block]:
    """The blocks of a split."""
    for first in range(0, sets_of_split(settings.sets, split, settings.split), BLOCK_SIZE):
        yield block_of(settings, split, first // BLOCK_SIZE)


def block_file(layout: Layout, block: Block) -> Path:
    """The file of a block's questions until the blocks are merged."""
    return layout.parts / f"questions_{block.split}_{block.number:05d}_{len(block.indices):05d}.json"


def ask_sets(
    root: Path,
    settings: Settings,
    block: Block,
    scenes: Mapping[int, SymbolicScene],
    sums: Mapping[str, str],
    report: ProgressCallback,
) -> list[QuestionSet]:
    """Asks questions about the sets of a block; those without a scene are read, and checked by their checksums."""
    files = CheckedFiles(root, sums)
    read = {index: _read_scene(root, index, files) for index in block.indices if index not in scenes}
    return ask_block({**scenes, **read}, settings.seed, settings.option_settings(block.split))


def _read_scene(root: Path, index: int, files: CheckedFiles) -> SymbolicScene:
    """The scene of a stored set. Damaged files are removed, so that the set will be generated again."""
    try:
        return symbolic_scene(read_set(root, index, files.check).videos)
    except DataError as error:
        for path in Layout(root).files_of(index, with_videos=False):
            try:
                files.check(path)
            except DataError:
                path.unlink(missing_ok=True)
        raise DataError(f"{error}; it was removed") from None


def merge_blocks(layout: Layout, settings: Settings) -> None:
    """Writes the question file of each split, and the answers to the test questions, from the files of the blocks."""
    for split in SPLITS:
        files = [block_file(layout, block) for block in blocks_of(settings, split)]
        sets = [questions for path in files for questions in read_questions_strict(path)]
        if split == "test":
            write_submission(layout.answers(), sets, answers_of(sets))
            sets = [without_answers(questions) for questions in sets]
        write_questions(layout.questions(split), sets)


def keep_blocks(layout: Layout, before: Settings, after: Settings) -> None:
    """Writes the files of those blocks of a finished dataset that do not change when it is extended."""
    for split in SPLITS:
        kept = [block for block in blocks_of(before, split) if block_of(after, split, block.number) == block]
        if not kept:
            continue
        sets = read_questions_strict(layout.questions(split))
        if split == "test":
            sets = with_answers(sets, read_submission(layout.answers()))
        by_index = {questions.index: questions for questions in sets}
        for block in kept:
            write_questions(block_file(layout, block), [by_index[index] for index in block.indices])
