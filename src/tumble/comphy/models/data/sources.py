"""Where training data comes from: a dataset or a file of packed sets, and more questions about them.

More questions are asked in the same way and balanced alike, with as many options as those of the test split, which
have more than those of the others.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets, read_packed
from tumble.comphy.questions.ask import OptionSettings, ask_block, blocks
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback, total_progress
from tumble.output import print_error
from tumble.progress import bar


def read_sets(path: str | Path, split: Split = "train", limit: int | None = None) -> PackedSets:
    """The sets of a split of a dataset, or those of a file of packed sets; the first `limit` of them.

    Sets without annotations of motion have it from their tracks. Those that can't be read are skipped and named.
    """
    if Path(path).is_file():
        return read_packed(path).part(slice(limit))
    data = open_dataset(path)
    all_questions = data.split_questions(split)[:limit]
    sets, faults = [], list(data.faults)
    with bar("Reading sets", len(all_questions)) as advance:
        for questions in all_questions:
            try:
                sets.append((_shown_videos(data, questions.index), questions))
            except DataError as error:
                faults.append(Fault(f"set {questions.index:05d}", str(error)))
            advance(1)
    if not sets:
        raise DataError(f"{path}: none of the {len(all_questions)} sets can be read; the first: {faults[-1]}")
    for fault in faults:
        print_error(f"skipped: {fault}")
    return pack_sets(sets, from_tracks=not all(data.has_motion(questions.index) for _, questions in sets))


def _shown_videos(data: Dataset, index: int) -> VideoSet:
    """Bodies and motion of a set, without counterfactual motion."""
    target = data.target(index)
    references = data.references(index, target.bodies)
    if not references:
        raise DataError("it has neither annotations nor tracks of references")
    return VideoSet(index, 0, data.families[index], target.bodies, target.motion, references, {}, stage=target.stage)


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
        for outcome in executors.make_executor().run(jobs, total_progress(advance)):
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
