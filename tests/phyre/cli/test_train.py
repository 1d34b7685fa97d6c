"""`tumble phyre train`: what it writes and prints, and how it refuses."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch")
from tiny_dqn import TINY

from tumble.cli.app import app
from tumble.learning.checkpoint import load_network
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.evaluation.run_spec import PhyreRunSpec

runner = CliRunner(env={"COLUMNS": "1000", "TERM": "dumb"})
TINY_SETTINGS = [part for name, value in TINY.items() if name != "device" for part in ("--set", f"{name}={value}")]


def train(*arguments: object) -> Result:
    common = ["phyre", "train", "--setting", "ball_cross_template", "--device", "cpu"]
    return runner.invoke(app, [*common, *map(str, arguments)])


def test_a_network_is_trained_once_and_can_be_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = list(published_tasks("B").values())[:2]
    monkeypatch.setattr(PhyreRunSpec, "training_tasks", lambda _: tasks)
    path = tmp_path / "net.pt"
    arguments = (*TINY_SETTINGS, "--set", "mutated=1", "--checkpoint", path, "--fold", 3, "--agent", "explorer")
    done = train(*arguments)
    assert done.exit_code == 0, done.output
    written = path.read_bytes()
    settings = load_network(path, "dqn")["config"]
    assert (settings["fusion"], settings["updates"], settings["mutated"]) == ("last", 10, 1)
    command = shlex.split(done.output.splitlines()[-1])
    assert command[:7] == ["tumble", "phyre", "evaluate", "--agent", "explorer", "--setting", "ball_cross_template"]
    assert f"checkpoint={path}" in command
    assert "loaded=true" in command
    assert "ranked=200" in command
    assert not any(word.startswith("updates=") for word in command)
    assert train(*arguments).output.splitlines()[-1] == done.output.splitlines()[-1]
    assert path.read_bytes() == written
    evaluated = runner.invoke(app, [*command[1:-1], str(tmp_path / "runs"), "--limit", "1", "--workers", "1"])
    assert evaluated.exit_code == 0, evaluated.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "mem"], "no recommended settings of 'mem'"),
        (["--set", "wings=2"], "no setting 'wings'"),
        (["--set", "checkpoint=a.pt"], "use --checkpoint"),
        (["--set", "updates=1", "--set", "updates=2"], "has 2 values"),
        (["--checkpoint", "net.txt"], "must end in .pt"),
    ],
)
def test_what_cannot_be_trained_is_refused(arguments: list[str], message: str) -> None:
    refused = train(*arguments)
    assert refused.exit_code == 1
    assert message in refused.output
