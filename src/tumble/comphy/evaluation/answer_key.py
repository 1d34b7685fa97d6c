"""The answer key of a split of a dataset: questions with their answers, to score agents and to train them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from tumble.comphy.dataset.layout import named_split
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import Task
from tumble.comphy.tasks.video_set import Family, VideoSet


@dataclass(frozen=True)
class Key:
    """The questions of a split with their answers."""

    sets: tuple[QuestionSet, ...]
    faults: tuple[str, ...]
    """Messages about faulty entries of the files, which were skipped."""
    families: Mapping[int, Family]
    """The family of each set of the dataset, by index."""


def read_key(root: Path, split: str) -> Key:
    """Reads the questions of a split with their answers, where these are not withheld."""
    data = open_dataset(root)
    return Key(data.split_questions(named_split(split)), tuple(map(str, data.faults)), data.families)


def training_tasks(root: Path, sets: Sequence[QuestionSet]) -> list[Task]:
    """Tasks with the answers; their videos are read when needed."""
    return [Task(questions, partial(_videos, root, questions.index)) for questions in sets]


def evaluation_tasks(root: Path, sets: Sequence[QuestionSet]) -> list[Task]:
    """The same without the answers."""
    return training_tasks(root, [without_answers(questions) for questions in sets])


def digest(sets: Sequence[QuestionSet]) -> str:
    """SHA-256 of questions and answers; runs can be compared only if it is the same."""
    return sha256(json.dumps([asdict(questions) for questions in sets], sort_keys=True).encode()).hexdigest()


def _videos(root: Path, index: int) -> VideoSet:
    return _dataset(root).stored_set(index).videos


@lru_cache(maxsize=4)
def _dataset(root: Path) -> Dataset:
    return open_dataset(root)


@lru_cache(maxsize=4)
def cached_key(data: str, split: str) -> Key:
    """The key of a split, which is read once per process."""
    return read_key(Path(data), split)
