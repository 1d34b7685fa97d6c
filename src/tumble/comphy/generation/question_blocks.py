"""The questions of a dataset: asked block by block, then merged by split.

Answers are balanced within a block of successive sets of one split. The questions about a set depend on the earlier
sets of its block only, so a dataset that is extended keeps its questions.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.checksums import CheckedFiles
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import (
    SPLITS,
    Layout,
    PlannedSet,
    Split,
    nth_of_split,
    rank_in_split,
    sets_of_split,
)
from tumble.comphy.dataset.question_files import read_questions_strict, without_answers, write_questions
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.submission import answers_of, read_submission, with_answers, write_submission
from tumble.comphy.questions.ask import BLOCK_SIZE, ask_block
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.tasks.question import QuestionSet
from tumble.jobs.job import ProgressCallback


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
