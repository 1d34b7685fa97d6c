"""Logs of inspect_ai become run logs, whose attempts replay to the same status."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from mock_models import perfect, scripted

from tumble.benchmark import benchmark
from tumble.cli.logs import import_inspect
from tumble.errors import TumbleError
from tumble.inspect_tasks.import_log import import_log
from tumble.runs.log import read

Evaluate = Callable[..., Any]


def some_wrong(text: str) -> str:
    """Solves tasks of one template at the second attempt; of the other one it says nonsense at first."""
    if "er." in text or "lost" in text:
        return perfect(text)
    return '{"guess": 1}' if "Task odd" in text else "no idea"


def test_every_attempt_is_there_and_replays(evaluate: Evaluate, tmp_path: Path) -> None:
    log = evaluate(scripted(some_wrong), {"temperature": 0.5}, limit=20)
    (path,) = import_log(Path(log.location), tmp_path / "runs")
    run = read(path)
    assert run.finished
    assert run.header.agent == "llm"
    assert run.header.given_settings == {
        "model": "mockllm/model",
        "mode": "text",
        "prompts": "guess-1",
        "temperature": 0.5,
    }
    turns = {sample.id: sample.store["turns"] for sample in log.samples}
    assert {task: [row["status"] for row in rows] for task, rows in run.tasks.items()} == {
        task: [int(turn["solved"]) for turn in own] for task, own in turns.items()
    }
    assert run.tasks["even:1"][0]["guess"] is None
    details = run.header.details
    assert details["answers"] == {"malformed": 10, "valid": sum(map(len, turns.values())) - 10}
    assert details["usage"]["requests"] == sum(sample.store["usage"]["requests"] for sample in log.samples)
    assert (details["model"], details["prompt_version"]) == ("mockllm/model", "guess-1")
    assert benchmark("guess").replay(run, lambda _: None) == ""
    run.tasks["odd:3"][0]["status"] = 1 - run.tasks["odd:3"][0]["status"]
    assert "odd:3" in benchmark("guess").replay(run, lambda _: None)
    assert import_log(Path(log.location), tmp_path / "runs") == [path]  # again: the same file
    assert [file.name for file in (tmp_path / "runs").iterdir()] == [path.name]


def test_epochs_are_runs_and_missing_samples_leave_a_run_unfinished(evaluate: Evaluate, tmp_path: Path) -> None:
    log = evaluate(scripted(perfect), {"epochs": 2, "limit": 3}, limit=4)
    paths = import_log(Path(log.location), tmp_path / "runs")
    runs = [read(path) for path in paths]
    assert [run.header.spec["seed"] for run in runs] == [0, 1]
    assert [(len(run.tasks), run.header.task_count, run.finished) for run in runs] == [(3, 4, False)] * 2


def test_a_seed_names_tasks_that_a_run_of_the_whole_selection_has(evaluate: Evaluate, tmp_path: Path) -> None:
    log = evaluate(scripted(perfect), seed=2, limit=4)
    (path,) = import_log(Path(log.location), tmp_path / "runs")
    assert set(read(path).tasks) == {sample.id for sample in log.samples}


def test_files_that_are_no_log_are_refused_in_one_line(
    evaluate: Evaluate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TumbleError, match="there is no such file"):
        import_log(tmp_path / "nothing.eval", tmp_path)
    for name in ("wrong.eval", "wrong.json", "wrong.txt"):
        (tmp_path / name).write_text(json.dumps({"version": 2}))
        with pytest.raises(TumbleError, match="not a log of inspect_ai"):
            import_log(tmp_path / name, tmp_path)
    with pytest.raises(typer.Exit):
        import_inspect(tmp_path / "wrong.json", tmp_path)
    assert capsys.readouterr().err.count("\n") <= 2
    assert not list(tmp_path.glob(".*"))
