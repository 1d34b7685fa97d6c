"""The questions of a split of some data with their answers: what models are scored against, and learn from."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.layout import SPLITS, Layout, Split
from tumble.comphy.dataset.question_files import checked_questions, without_answers
from tumble.comphy.dataset.submission import read_submission, with_answers
from tumble.comphy.models import Asked
from tumble.comphy.questions.question import QuestionSet
from tumble.comphy.sets import VideoSet


def read_key(root: Path, split: str) -> list[QuestionSet]:
    """The questions of a split with their answers; those of the test split have a file of their own for these."""
    layout = Layout(root)
    if not root.is_dir():
        raise ValueError(f"{root}: no such folder; make one by: tumble comphy generate --sets 100 -o {root}")
    own = named_split(split)
    path = layout.questions(own)
    if not path.exists():
        there = ", ".join(other for other in SPLITS if layout.questions(other).exists()) or "none"
        raise ValueError(f"{root}: no questions of the split {split!r}; there are those of: {there}")
    sets = checked_questions(path)
    if own == "test" and layout.answers().exists():
        sets = with_answers(sets, read_submission(layout.answers()))
    return sets


def named_split(name: str) -> Split:
    """A split by its name."""
    found = next((split for split in SPLITS if split == name), None)
    if found is None:
        raise ValueError(f"no split {name!r}; there are {', '.join(SPLITS)}")
    return found


def to_learn_from(root: Path, sets: Sequence[QuestionSet]) -> list[Asked]:
    """Questions with their answers, and the videos behind them."""
    return [Asked(own, partial(_videos, root, own.index)) for own in sets]


def to_ask(root: Path, sets: Sequence[QuestionSet]) -> list[Asked]:
    """The same without answers."""
    return to_learn_from(root, [without_answers(own) for own in sets])


def digest(sets: Sequence[QuestionSet]) -> str:
    """Of questions and answers: runs can be compared only where it is the same."""
    return sha256(json.dumps([asdict(own) for own in sets], sort_keys=True).encode()).hexdigest()


def _videos(root: Path, index: int) -> VideoSet:
    return read_set(root, index).videos
