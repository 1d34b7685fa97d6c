"""Where training data comes from: the folder of a dataset, or a file of packed sets."""

from pathlib import Path

from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets, read_packed
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
