"""`tumble phyq train shot-ranker`."""

from pathlib import Path

from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.models.ranker.collect import Plan, collect, write_shots
from tumble.phyq.models.ranker.ranker import Ranker

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})


def test_it_trains_and_exports(tmp_path: Path) -> None:
    data, out, half = tmp_path / "shots.npz", tmp_path / "ranker.pt", tmp_path / "half.pt"
    write_shots(data, collect([cached_task("6.3:000").level], ["6.3"], Plan(first=12, near=2), 0))
    small = [option for name in ("width=8", "layers=1", "heads=2", "scenes=2", "shots=4") for option in ("--set", name)]
    given = ["phyq", "train", "shot-ranker", "--data", str(data), "--device", "cpu", "--steps", "2", "-o"]
    result = runner.invoke(app, [*given, str(out), "--export", str(half), *small])
    assert result.exit_code == 0, result.output
    assert Ranker(half).legs == 2
    assert out.with_suffix(".html").exists()
    for wrong, problem in (("width=wide", "must be int"), ("depth=3", "no setting 'depth'")):
        result = runner.invoke(app, [*given, str(tmp_path / "other.pt"), "--set", wrong])
        assert result.exit_code == 1
        assert problem in result.stderr
