"""An export is refused where something else is, shows when it is unfinished, and can be repeated."""

import json
from pathlib import Path

import pytest
from few_sets import few_sets
from generated_dataset import contents, made

from tumble.comphy.cli import generate
from tumble.comphy.dataset.export.folder import MARKER
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.load import Dataset, Example, open_dataset


def is_finished(folder: Path) -> bool:
    return bool(json.loads((folder / MARKER).read_text())["finished"])


WRITERS = {**generate.WRITERS, **{name: generate.writer_of_tables(name) for name in generate.TABLES}}


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "pcr"])
def test_an_interrupted_export_is_unfinished_and_can_be_repeated(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, calls = Dataset.example, []

    def interrupted(data: Dataset, index: int) -> Example:
        calls.append(index)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return read(data, index)

    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(Dataset, "example", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WRITERS[name](few_sets(), folder)
    assert not is_finished(folder)
    assert not (folder / "README.md").exists()
    WRITERS[name](few_sets(), folder)
    WRITERS[name](few_sets(), tmp_path / "at once")
    assert is_finished(folder)
    assert contents(folder) == contents(tmp_path / "at once")


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_of_something_else_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match=r"holds thesis.txt and is no export; choose an empty folder"):
        WRITERS[name](few_sets(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_the_dataset_itself_is_refused() -> None:
    before = contents(made())
    with pytest.raises(DataError, match="is no export"):
        WRITERS["parquet"](open_dataset(made()), made())
    assert contents(made()) == before


def test_an_export_of_another_dataset_or_format_is_refused(tmp_path: Path) -> None:
    WRITERS["parquet"](few_sets(), tmp_path)
    with pytest.raises(DataError, match="holds another export"):
        WRITERS["huggingface"](few_sets(), tmp_path)
    with pytest.raises(DataError, match="holds another export"):
        WRITERS["parquet"](open_dataset(made()), tmp_path)
    assert is_finished(tmp_path)


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(DataError, match="is a file; name a folder"):
        WRITERS["parquet"](few_sets(), tmp_path / "out")
