"""Jobs on a Ray cluster of two nodes, one of which is killed midway: nothing is lost, and every byte is the same."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import pytest

from tumble.jobs.executors import make
from tumble.jobs.job import ExecutorError
from tumble.runs import log as run_log

pytest.importorskip("ray", reason="needs Ray: pip install tumble[cluster]")

MARK = "TUMBLE_TEST_RAY"
PROGRAM = Path(__file__).parent / "ray_cluster.py"


@pytest.fixture
def ray_folder() -> Iterator[Path]:
    """A folder with a short name; afterwards no process that uses it may be left."""
    folder = Path(mkdtemp(prefix="ray", dir="/tmp"))
    yield folder
    left = processes_using(folder)
    for process in left:
        os.kill(process, signal.SIGKILL)
    rmtree(folder, ignore_errors=True)
    assert not left, "processes of Ray were left behind"


def processes_using(folder: Path) -> list[int]:
    """Processes that `play` has started, and those that they have started, by a variable of their environment."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended
            continue
    return found


def play(scenario: str, folder: Path, ray_folder: Path, timeout: float = 400.0) -> tuple[Any, str]:
    """The result of a scenario of `ray_cluster`, and all that it printed."""
    paths = os.pathsep.join([str(PROGRAM.parent), *sys.path])
    process = subprocess.run(
        [sys.executable, str(PROGRAM), scenario, str(folder), str(ray_folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, MARK: str(ray_folder)},
        timeout=timeout,
    )
    assert process.returncode == 0, process.stdout
    return json.loads((folder / "result.json").read_text()), process.stdout


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_sweep_survives_a_killed_node_and_errors_belong_to_their_job(tmp_path: Path, ray_folder: Path) -> None:
    result, printed = play("quick", tmp_path, ray_folder, timeout=120.0)
    assert len(contents(tmp_path / "ray")) == 2 + 12
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    outcomes, starts = result["outcomes"], result["starts"]
    assert outcomes["fails"]["error"] == "no ball here"
    assert starts["fails"] == 1, "errors of a job are not repeated"
    assert "lost 2 times: The worker died" in outcomes["dies"]["error"]
    assert starts["dies"] == 2
    assert "locked: lost, because its node or its process died; it runs again" in printed
    assert (outcomes["locked"]["error"], starts["locked"] > 2) == ("", True), "it waited for the lock"
    assert "can't be pickled" in outcomes["unpicklable"]["error"]
    assert outcomes["nine"]["value"] == 9
    assert result["progress"]["nine"] == [[2, 2]]


@pytest.mark.slow
def test_only_the_job_of_a_killed_node_runs_twice(tmp_path: Path, ray_folder: Path) -> None:
    result, printed = play("lost_jobs", tmp_path, ray_folder)
    (lost,) = [name for name in "ab" if result["outcomes"][name]["value"] == 1]
    assert f"{lost}: lost, because its node or its process died; it runs again" in printed
    assert sorted(result["starts"].values()) == [1, 2]
    for name in "ab":
        assert result["progress"][name][-1] == [2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["sweep", "generation"])
def test_files_are_those_of_a_local_run(scenario: str, tmp_path: Path, ray_folder: Path) -> None:
    """Whether a job ran on the node when it was killed is chance; the test above makes sure that one does."""
    play(scenario, tmp_path, ray_folder)
    assert len(contents(tmp_path / "ray")) > 3
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


@pytest.mark.slow
def test_logs_are_those_of_a_local_run(tmp_path: Path, ray_folder: Path) -> None:
    play("evaluation", tmp_path, ray_folder)
    local = sorted((tmp_path / "local").iterdir())
    assert [file.name for file in local] == sorted(file.name for file in (tmp_path / "ray").glob("[!.]*"))
    assert len(local) == 4
    for file in local:
        ours, theirs = run_log.read(file), run_log.read(tmp_path / "ray" / file.name)
        assert theirs.finished
        assert list(ours.rows()) == list(theirs.rows())


def test_a_cluster_that_is_not_there_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "not an address")
    with pytest.raises(ExecutorError, match="can't use Ray at not an address: "):
        next(make("ray").run([]))
