"""The questions of a dataset: asked block by block from the stored annotations, then gathered by split.

Answers are balanced within a block, so a block is always asked as a whole; who made its sets, and when, changes
nothing.
"""

from pathlib import Path

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.layout import SPLITS, Layout, PlannedSet, Split
from tumble.comphy.dataset.question_files import checked_questions, without_answers, write_questions
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.submission import answers_of, write_submission
from tumble.comphy.questions.ask import BLOCK, ask_block
from tumble.comphy.questions.programs.story import story_of
from tumble.comphy.tasks.question import QuestionSet
from tumble.jobs.job import ProgressCallback

Block = tuple[int, Split]
"""Which sets are asked about together: so many by their index, as far as they are of one split."""


def blocks_of(rows: list[PlannedSet]) -> dict[Block, list[PlannedSet]]:
    """The blocks of a plan, in the order of their sets."""
    found: dict[Block, list[PlannedSet]] = {}
    for row in rows:
        found.setdefault((row.index // BLOCK, row.split), []).append(row)
    return found


def block_file(layout: Layout, block: Block) -> Path:
    """Where a block's questions are until all are there."""
    number, split = block
    return layout.parts / f"questions_{number:05d}_{split}.json"


def ask_files(
    root: Path, settings: Settings, block: Block, indices: list[int], report: ProgressCallback
) -> list[QuestionSet]:
    """Asks about the stored sets of a block."""
    stories = {}
    for index in indices:
        stories[index] = story_of(read_set(root, index).videos)
        report(len(stories), len(indices))
    return ask_block(stories, settings.seed, settings.options_of(block[1]))


def gather(layout: Layout, rows: list[PlannedSet]) -> None:
    """Writes the files of questions, and the answers to the test questions, from the blocks."""
    for split in SPLITS:
        sets = [
            questions
            for block in blocks_of(rows)
            if block[1] == split
            for questions in checked_questions(block_file(layout, block))
        ]
        if split == "test":
            write_submission(layout.answers(), sets, answers_of(sets))
            sets = [without_answers(questions) for questions in sets]
        write_questions(layout.questions(split), sets)
