"""More questions about the same sets."""

from pathlib import Path

import pytest
from generated_dataset import made
from typer.testing import CliRunner, Result

from tumble.cli.app import app
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.models.data.packed_sets import PackedSets, read_packed
from tumble.comphy.models.data.sources import read_sets, with_more_questions


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


def test_the_command_packs_them(tmp_path: Path) -> None:
    def pack(*options: object) -> Result:
        out = ("-o", tmp_path / "sets.xz", "--split", "train", "--limit", 1)
        return CliRunner().invoke(app, [str(word) for word in ("comphy", "pack", made(), *out, *options)])

    counts = []
    for options in ((), ("--questions", 3)):
        done = pack(*options)
        assert done.exit_code == 0, done.output
        counts.append(len(read_packed(tmp_path / "sets.xz").questions[0].questions))
    assert counts[1] > counts[0] + 4
    assert pack("--questions", 0).exit_code == 2


def test_they_are_the_same_every_time() -> None:
    own = read_sets(made(), split="train")
    assert with_more_questions(own, made(), 1).digest == with_more_questions(own, made(), 1).digest


def test_published_files_are_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = read_sets(made(), split="train")
    data = type("Published", (), {"settings": None})
    monkeypatch.setattr("tumble.comphy.models.data.sources.open_dataset", lambda folder: data)
    with pytest.raises(DataError, match="only be asked about a dataset that"):
        with_more_questions(own, tmp_path, 1)
