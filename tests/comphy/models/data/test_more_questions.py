"""More questions about the same sets."""

from pathlib import Path

import pytest
from generated_dataset import made

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.models.data.more_questions import with_more_questions
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.sources import read_sets


def programs(sets: PackedSets, row: int) -> list[object]:
    return [(question.program, question.text) for question in sets.questions[row].questions]


def test_own_questions_come_first_and_others_follow() -> None:
    own = read_sets(made(), split="train")
    more = with_more_questions(own, made(), 2)
    assert more.target is own.target
    for row in range(len(own)):
        before, after = programs(own, row), programs(more, row)
        assert after[: len(before)] == before
        assert len(set(after)) > len(set(before)) + 2
        assert [question.id for question in more.questions[row].questions] == list(range(len(after)))
        assert all(question.answer or question.choices for question in more.questions[row].questions)


def test_they_are_the_same_every_time() -> None:
    own = read_sets(made(), split="train")
    assert with_more_questions(own, made(), 1).digest == with_more_questions(own, made(), 1).digest


def test_published_files_are_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = read_sets(made(), split="train")
    data = type("Published", (), {"settings": None})
    monkeypatch.setattr("tumble.comphy.models.data.more_questions.open_dataset", lambda folder: data)
    with pytest.raises(DataError, match="only be asked about a dataset that"):
        with_more_questions(own, tmp_path, 1)
