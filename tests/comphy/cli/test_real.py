"""The commands work on folders of real videos."""

from pathlib import Path

from real_videos import real_folder
from typer.testing import CliRunner, Result

from tumble.cli.app import app

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})


def run(*arguments: object) -> Result:
    return runner.invoke(app, ["comphy", *map(str, arguments)])


def test_models_are_scored_on_real_videos(tmp_path: Path) -> None:
    folder = real_folder(tmp_path / "magnet", pictures=False)
    done = run(
        "evaluate", folder, "--split", "validation", "--agent", "frequent", "--runs", tmp_path / "runs", "--workers", 1
    )
    assert done.exit_code == 0, done.output
    assert "skipped" in done.stderr
    assert "it has no answer (NULL)" in done.stderr
    assert "frequent" in done.stdout


def test_sets_of_real_videos_are_counted_but_not_shown(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, pictures=False)
    counted = run("stats", folder)
    assert counted.exit_code == 0, counted.output
    refused = run("show", "2", "--data", folder)
    assert refused.exit_code == 1
    assert "real videos have no annotations of motion" in refused.stderr
