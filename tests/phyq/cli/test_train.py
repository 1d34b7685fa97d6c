"""`tumble phyq train`: what it writes, and how it refuses."""

from pathlib import Path

from typer.testing import CliRunner, Result

from tumble.cli.app import app

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
TINY = ("first_units=4", "second_units=4", "head_units=4", "first_attempts=1", "steps=1", "players=1", "attempts=1")


def run(*arguments: object) -> Result:
    return runner.invoke(app, ["phyq", "train", *map(str, arguments)])


def test_a_network_is_trained_and_its_curves_are_drawn(tmp_path: Path) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    command = ("dddqn-symbolic", "--setting", "local", "--only", "1.1", "--preset", "paper", "--rounds", 2)
    given = (*command, "--device", "cpu", "--out", tmp_path, "--outcomes", tmp_path / "shots.npz", *settings)
    result = run(*given)
    assert result.exit_code == 0, result.output
    assert "Into replay: 81 shots" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "dddqn-symbolic-local-1.1.pt",
        "dddqn-symbolic-local.html",
        "shots.npz",
    ]
    assert "local-1.1" in (tmp_path / "dddqn-symbolic-local.html").read_text(encoding="utf-8")
    again = run(*given)
    assert again.exit_code == 0
    assert "Into replay" not in again.stdout  # it had finished


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    for arguments, message in (
        (("ppo",), "no learner 'ppo'"),
        (("dddqn-image", "--setting", "wide"), "no setting 'wide'"),
        (("dddqn-image", "--only", "6.4"), "not of templates"),
        (("dddqn-image", "--preset", "long"), "no preset 'long'"),
        (("dddqn-image", "--set", "depth=3"), "no setting 'depth'"),
    ):
        result = run(*arguments, "--out", tmp_path)
        assert result.exit_code == 1
        assert message in result.stderr
    assert not list(tmp_path.iterdir())
