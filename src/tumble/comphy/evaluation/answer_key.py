"""The questions of a split of some data with their answers: what models are scored against, and learn from."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.layout import named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import Task
from tumble.comphy.tasks.video_set import VideoSet


@dataclass(frozen=True)
class Key:
    """The questions of a split."""

    sets: tuple[QuestionSet, ...]
    faults: tuple[str, ...]
    """What in the files was faulty and had to be left out."""


def read_key(root: Path, split: str) -> Key:
    """The questions of a split with their answers, as far as these are known."""
    data = open_dataset(root)
    return Key(data.split_questions(named_split(split)), tuple(map(str, data.faults)))


def to_learn_from(root: Path, sets: Sequence[QuestionSet]) -> list[Task]:
    """Questions with their answers, and the videos behind them."""
    return [Task(own, partial(_videos, root, own.index)) for own in sets]


def to_ask(root: Path, sets: Sequence[QuestionSet]) -> list[Task]:
    """The same without answers."""
    return to_learn_from(root, [without_answers(own) for own in sets])


def digest(sets: Sequence[QuestionSet]) -> str:
    """Of questions and answers: runs can be compared only where it is the same."""
    return sha256(json.dumps([asdict(own) for own in sets], sort_keys=True).encode()).hexdigest()


def _videos(root: Path, index: int) -> VideoSet:
    return read_set(root, index).videos


@lru_cache(maxsize=4)
def known_key(data: str, split: str) -> Key:
    """The key of a split, read once."""
    return read_key(Path(data), split)
