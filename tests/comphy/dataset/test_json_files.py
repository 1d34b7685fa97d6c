"""JSON that is nested too deeply gives an error of one line, wherever it is read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.folder import read_settings
from tumble.comphy.dataset.json_files import DataError, read_json
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.question_files import read_answer_key, read_questions, read_submission

NESTED = "[" * 100_000 + "]" * 100_000
READERS: dict[str, Callable[[Path], Any]] = {
    "any": read_json,
    "submission": read_submission,
    "key": read_answer_key,
    "questions": read_questions,
}


def _complaint(read: Callable[[], Any]) -> str:
    with pytest.raises(DataError) as error:
        read()
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
    return str(error.value)


@pytest.mark.parametrize("text", [NESTED, NESTED.replace("[", '{"a":').replace("]", "}"), "[" * 100_000])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_file_of_brackets(tmp_path: Path, read: Callable[[Path], Any], text: str) -> None:
    path = tmp_path / "nested.json"
    path.write_text(text)
    assert _complaint(lambda: read(path)) == f"{path}: this JSON is nested too deeply: at most 100 levels are read"


def test_a_nested_annotation_and_nested_settings(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.annotation(0).parent.mkdir(parents=True)
    layout.annotation(0).write_text(NESTED)
    layout.settings.write_text(NESTED)
    assert "nested too deeply" in _complaint(lambda: read_set(tmp_path, 0, lambda path: path))
    assert "nested too deeply" in _complaint(lambda: read_settings(tmp_path))


@pytest.mark.parametrize("depth", [10, *range(850, 1000, 7), 5_000])
def test_an_answer_that_is_just_not_too_deep_to_be_parsed(tmp_path: Path, depth: int) -> None:
    """It may be parsed, and then be too deep to be printed."""
    nested = "[" * depth + "]" * depth
    path = tmp_path / "s.json"
    path.write_text('[{"scene_index": 7, "questions": [{"question_id": 0, "answer": ' + nested + "}]}]")
    _complaint(lambda: read_submission(path))
