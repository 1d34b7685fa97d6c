"""Detected tracks as files."""

from pathlib import Path

import pytest
from generated_dataset import made
from typer.testing import CliRunner, Result

pytest.importorskip("torch")

from tumble.cli.app import app
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.tracks import read_boxes


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "160", "TERM": "dumb"}).invoke(app, ["comphy", "perceive", *map(str, arguments)])


@pytest.mark.slow
def test_boxes_of_every_video_are_written(tmp_path: Path) -> None:
    done = run(made(), "--split", "test", "--limit", "1", "--device", "cpu", "-o", tmp_path)
    assert done.exit_code == 0, done.output
    index = open_dataset(made()).indices("test")[0]
    assert read_boxes(tmp_path / "target" / "tracks" / f"sim_{index:05d}.npy").shape[::2] == (125, 4)
    for number in range(4):
        assert len(read_boxes(tmp_path / "reference" / "tracks" / f"sim_{index:05d}_{number}.npy")) == 50


def test_typing_errors_are_named(tmp_path: Path) -> None:
    assert "no split" in run(made(), "--split", "tset", "-o", tmp_path).stderr
    assert "no device" in run(made(), "--device", "gpu", "-o", tmp_path).stderr
    missing = run(made(), "--checkpoint", "none.pt", "-o", tmp_path)
    assert missing.exit_code == 1
    assert "none.pt: No such file" in missing.stderr
