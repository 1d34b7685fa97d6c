"""More questions about the sets of a generated dataset, to train on: asked in the same way and balanced alike.

They have as many options as those of the test split, which have more than those of the others.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.questions.ask import OptionSettings, ask_block, blocks
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback, total_progress
from tumble.progress import bar


def with_more_questions(sets: PackedSets, folder: Path, repeats: int) -> PackedSets:
    """Packed sets of a dataset, with the questions of further repeats after their own."""
    settings = open_dataset(folder).settings
    if settings is None:
        raise DataError(f"{folder}: more questions can only be asked about a dataset that `generate` made")
    indices = [int(index) for index in sets.index]
    jobs = [
        Job(
            f"questions about {len(block)} sets from {block[0]:05d} on",
            ask_more,
            (folder, settings.seed, block, repeats, settings.option_settings("test")),
        )
        for block in blocks(indices)
    ]
    asked: dict[int, tuple[Question, ...]] = {}
    with bar("Asking questions", len(indices)) as advance:
        for outcome in executors.make().run(jobs, total_progress(advance)):
            if outcome.error:
                raise DataError(f"{outcome.job.name}: {outcome.error}")
            asked.update(outcome.value)
    return replace(sets, questions=tuple(_joined(own, asked[own.index]) for own in sets.questions))


def ask_more(
    folder: Path, seed: int, indices: Sequence[int], repeats: int, options: OptionSettings, report: ProgressCallback
) -> dict[int, tuple[Question, ...]]:
    """The questions of some repeats about the sets of a block."""
    data, scenes = open_dataset(folder), {}
    for index in indices:
        scenes[index] = symbolic_scene(data.stored_set(index).videos)
        report(len(scenes), len(indices))
    asked: dict[int, tuple[Question, ...]] = dict.fromkeys(indices, ())
    for repeat in range(1, repeats + 1):
        for own in ask_block(scenes, seed, options, repeat):
            asked[own.index] += own.questions
    return asked


def _joined(own: QuestionSet, more: Sequence[Question]) -> QuestionSet:
    questions = (*own.questions, *more)
    return replace(own, questions=tuple(replace(question, id=number) for number, question in enumerate(questions)))
