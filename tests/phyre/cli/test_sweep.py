"""`tumble phyre sweep`."""

from pathlib import Path

import pytest
from phyre_commands import printed, refusal, row, run

from tumble import phyre
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import TIERS


def test_sweep_creates_and_repairs_a_store(tmp_path: Path, template: Path) -> None:
    store = tmp_path / "swept"
    arguments = ("sweep", store, "--tasks", f"{template},00002:000", "--actions", 20)
    text = printed(*arguments)
    counts = phyre.Simulator(task_files.load_named(template).values(), "B").sweep(
        phyre.actions.fixed_set(TIERS["B"], 20)
    )
    solved, failed, invalid = ((counts == status).sum() for status in (1, -1, 0))
    share = f"{100.0 * solved / (solved + failed):.3g} %"
    assert row(text, "mine") == ["mine", "4", "4", str(solved), str(failed), str(invalid), share]
    assert row(text, "all")[1] == "5"
    assert "5 tasks, 20 actions each, tier B" in text

    assert f"{store} is complete" in printed("sweep", store, "--verify")
    (store / "shard-00000.bin").unlink()
    result = run("sweep", store, "--verify")
    assert result.exit_code == 1
    assert "missing or damaged: 1 shard" in result.stderr
    assert printed(*arguments) == text
    assert f"{store} is complete" in printed("sweep", store, "--verify")
    assert "holds another sweep, differing in the actions" in refusal(*arguments, "--seed", 1)


def test_sweep_with_several_workers_writes_the_same_files(tmp_path: Path) -> None:
    arguments = ("--tasks", "00002:000,00002:001", "--actions", 5000)
    printed("sweep", tmp_path / "one", *arguments)
    assert "2 tasks, 5,000 actions each" in printed("sweep", tmp_path / "two", *arguments, "--workers", 2)
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert files[0] == files[1]
    assert "no executor 'slurm'" in refusal("sweep", tmp_path / "other", *arguments, "--executor", "slurm")
    assert not (tmp_path / "other").exists()


def test_sweep_takes_the_published_tasks_of_a_template(tmp_path: Path) -> None:
    text = printed("sweep", tmp_path / "swept", "--tasks", "twin_sticks", "--actions", 1)
    assert row(text, "00115")[1] == "100"
    assert "tier 2B" in text


def test_a_stopped_sweep_prints_how_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(phyre.Simulator, "sweep", interrupted)
    result = run("sweep", tmp_path / "swept", "--tasks", "00002:000", "--actions", 5)
    assert result.exit_code == 130
    assert "Repeat the command to resume" in result.stderr


def test_sweep_refuses_wrong_input(tmp_path: Path) -> None:
    store = tmp_path / "swept"
    assert refusal("sweep", store, "--tier", "3B") == "no tier '3B'; there are B, 2B"
    assert "tiers 2B and B; choose one with --tier" in refusal("sweep", store, "--tasks", "00002:000,00106:002")
    assert "none of the tasks is of tier 2B" in refusal("sweep", store, "--tasks", "00002:000", "--tier", "2B")
    assert refusal("sweep", store, "--tasks", " , ") == "an empty list of tasks; give ids, a template or a file"
    assert "no sweep store here" in refusal("sweep", store, "--verify")
    assert not store.exists()
