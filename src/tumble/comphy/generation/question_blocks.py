"""The questions of a dataset: asked block by block from the stored annotations, then merged by split.

Answers are balanced within a block, so a block is always asked as a whole. Which worker generated its sets does not
matter.
"""

from pathlib import Path

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.layout import SPLITS, Layout, PlannedSet, Split
from tumble.comphy.dataset.question_files import read_questions_strict, without_answers, write_questions
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.submission import answers_of, write_submission
from tumble.comphy.questions.ask import BLOCK_SIZE, ask_block
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.tasks.question import QuestionSet
from tumble.jobs.job import ProgressCallback

Block = tuple[int, Split]
"""The sets of one split among BLOCK_SIZE successive indices: index // BLOCK_SIZE, and the split."""


def blocks_of(planned_sets: list[PlannedSet]) -> dict[Block, list[PlannedSet]]:
    """The sets of each block, in order."""
    blocks: dict[Block, list[PlannedSet]] = {}
    for planned in planned_sets:
        blocks.setdefault((planned.index // BLOCK_SIZE, planned.split), []).append(planned)
    return blocks


def block_file(layout: Layout, block: Block) -> Path:
    """The file of a block's questions until the blocks are merged."""
    number, split = block
    return layout.parts / f"questions_{number:05d}_{split}.json"


def ask_stored_block(
    root: Path, settings: Settings, block: Block, indices: list[int], report: ProgressCallback
) -> list[QuestionSet]:
    """Asks questions about the stored sets of a block."""
    scenes = {}
    for index in indices:
        scenes[index] = symbolic_scene(read_set(root, index).videos)
        report(len(scenes), len(indices))
    return ask_block(scenes, settings.seed, settings.option_settings(block[1]))


def merge_blocks(layout: Layout, planned_sets: list[PlannedSet]) -> None:
    """Writes the question file of each split, and the answers to the test questions, from the files of the blocks."""
    for split in SPLITS:
        sets = [
            questions
            for block in blocks_of(planned_sets)
            if block[1] == split
            for questions in read_questions_strict(block_file(layout, block))
        ]
        if split == "test":
            write_submission(layout.answers(), sets, answers_of(sets))
            sets = [without_answers(questions) for questions in sets]
        write_questions(layout.questions(split), sets)
