"""Jobs on a Ray cluster of two nodes, one of which is killed midway: nothing is lost, and every byte is the same."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import pytest

from tumble.jobs.executors import make_executor
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
        next(make_executor("ray").run([]))


def test_an_address_where_nothing_listens_or_answers_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(ExecutorError) as refused:
            next(make_executor("ray").run([]))
    assert str(refused.value) == f"can't use Ray at {address}: [Errno {errno.ECONNREFUSED}] Connection refused"

    def never(*_: object) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", never)
    with pytest.raises(ExecutorError) as refused:
        next(make_executor("ray").run([]))
    assert str(refused.value) == f"can't use Ray at {address}: no answer within 10 s"


LISTENING = """
import os
from pathlib import Path
from tumble.jobs.executors import make
def own_sockets():
    links = []
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if MARK in (link.parent.parent / "environ").read_bytes():
                links.append(os.readlink(link))
        except OSError:
            continue
    return {link[8:-1] for link in links if link.startswith("socket:[")}
MARK = f"TUMBLE_TEST_RAY={os.environ['TUMBLE_TEST_RAY']}".encode()
executor = make("ray", 1)
executor.connect()
sockets = own_sockets()
for version in ("tcp", "tcp6"):
    for line in Path(f"/proc/net/{version}").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in sockets:
            print("listens at", fields[1].partition(":")[0])
executor._ray.shutdown()
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.mark.slow  # Ray starts: ten seconds
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc to find out who listens where")
def test_ray_on_this_machine_listens_on_loopback_only(ray_folder: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    done = subprocess.run(
        [sys.executable, "-c", LISTENING],
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path), MARK: str(ray_folder)},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    addresses = {line.split()[-1] for line in done.stdout.splitlines() if line.startswith("listens at")}
    assert addresses
    assert addresses <= LOOPBACK
