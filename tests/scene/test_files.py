"""A file is written whole or not at all."""

import errno
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


@pytest.mark.parametrize("filename", [None, "temporary"])
def test_an_error_of_the_file_system_names_the_file(tmp_path: Path, filename: str | None) -> None:
    with pytest.raises(OSError, match="No space left") as caught, whole_file(tmp_path / "scene.txt") as temporary:
        raise OSError(errno.ENOSPC, "No space left on device", filename and str(temporary))
    assert caught.value.filename == str(tmp_path / "scene.txt")
