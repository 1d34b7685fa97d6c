"""Where training data comes from: the folder of a dataset, or a file of packed sets."""

from pathlib import Path

from tumble.comphy.dataset.annotations import read_references, read_target
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets, read_packed
from tumble.comphy.tasks.video_set import VideoSet
from tumble.progress import bar


def read_sets(path: str | Path, split: Split = "train", limit: int | None = None) -> PackedSets:
    """The sets of a split of a dataset, or those of a file of packed sets; the first `limit` of them."""
    if Path(path).is_file():
        return read_packed(path).part(slice(limit))
    data = open_dataset(path)
    root, check = data.layout.root, data.files.check
    all_questions = data.split_questions(split)[:limit]
    sets = []
    with bar("Reading sets", len(all_questions)) as advance:
        for questions in all_questions:
            target = read_target(root, questions.index, check)
            references = read_references(root, questions.index, target.bodies, check)
            if not references:
                raise DataError(f"set {questions.index:05d}: it has no annotations of references")
            family = data.families[questions.index]
            videos = VideoSet(questions.index, 0, family, target.bodies, target.motion, references, {})
            sets.append((videos, questions))
            advance(1)
    return pack_sets(sets)
