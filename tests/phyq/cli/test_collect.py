"""The shots that `tumble phyq train shot-ranker` plays."""

from pathlib import Path

from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.phyq.models.ranker.collect import read_shots
from tumble.phyq.models.ranker.make_data import DataPlan

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})


def test_it_writes_shots_of_the_chosen_templates(tmp_path: Path) -> None:
    out = tmp_path / "shots.npz"
    others = [key for key in DataPlan().templates() if key != "6.3"]
    options = [option for key in others for option in ("--without", key)]
    given = ["--tasks", "1", "--variants", "1", "--shots", "6", "--workers", "1", *options]
    result = runner.invoke(app, ["phyq", "train", "shot-ranker", "--data", str(out), *given])
    assert result.exit_code == 0, result.output
    assert f"written to {out}" in result.stdout.replace("\n", "")
    collected = read_shots(out).collected
    assert collected.templates.tolist() == ["6.3", "6.3v"]
    assert list(tmp_path.iterdir()) == [out]


def test_it_refuses_other_files_and_templates(tmp_path: Path) -> None:
    for given, problem in (
        (["--data", str(tmp_path / "shots.csv")], "must end with .npz"),
        (["--data", str(tmp_path / "shots.npz"), "--without", "6.4"], "no training template"),
    ):
        result = runner.invoke(app, ["phyq", "train", "shot-ranker", *given])
        assert result.exit_code == 1
        assert problem in result.stderr
