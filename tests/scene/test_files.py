"""A file is written whole or not at all."""

from pathlib import Path

import pytest

from tumble.scene.files import whole_file


def test_a_finished_file_takes_its_name(tmp_path: Path) -> None:
    with whole_file(tmp_path / "scene.txt") as temporary:
        temporary.write_text("new")
        assert not (tmp_path / "scene.txt").exists()
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("scene.txt", "new")]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "scene.txt").write_text("old")
    with pytest.raises(RuntimeError), whole_file(tmp_path / "scene.txt") as temporary:  # noqa: PT012
        temporary.write_text("half of the n")
        raise RuntimeError
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("scene.txt", "old")]
