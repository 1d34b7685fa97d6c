"""`tumble phyq serve` as a process: its options, Ctrl-C, and the reports on what it recorded."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from protocol_client import Client, play_as_datalab
from serving import release_at
from typer.testing import CliRunner

from tumble.cli.app import app

RUNNER = CliRunner()


@contextmanager
def served(*options: object) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """The command in a process, and its port."""
    arguments = [sys.executable, "-m", "tumble", "phyq", "serve", "--port", "0", *map(str, options)]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"}
    ) as process:
        assert process.stdout is not None
        try:
            found = None
            for line in process.stdout:
                found = re.search(r"127\.0\.0\.1:(\d+)", line)
                if found:
                    break
            assert found, "the server did not start"
            yield int(found[1]), process
        finally:
            process.kill()


def printed(*arguments: object) -> str:
    result = RUNNER.invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.output


def test_control_c_leaves_logs_that_are_scored_reported_and_verified(tmp_path: Path) -> None:
    with served("--tasks", "1.1:080-081,1.2:080", "--runs", tmp_path, "--agent", "My agent") as (port, process):
        with Client(port) as client:
            play_as_datalab(client, lambda level, shot: release_at(35.0))
        waiting = Client(port)
        assert waiting.state() == 9
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        waiting.close()
    assert process.returncode == 0
    assert "client 1: level 3 of 3 (1.2:080):" in output
    assert "Stopped; 3 attempts recorded in" in output
    assert "Traceback" not in output
    assert re.search(r"My agent +tasks +0 +3", printed("phyq", "score", tmp_path))
    assert "replay identical" in printed("runs", "verify", tmp_path)
    assert "My agent" in printed("report", tmp_path, "--text")
    assert "My agent" in printed("runs", "list", tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--runs", "runs"), "name the agent whose attempts are recorded"),
        (("--runs", "runs", "--agent", "a:b"), "no name for an agent: 'a:b'"),
        (("--tasks", "6.4:099-080"), "'6.4:099-080' is not a range of tasks, as in 6.4:080-099"),
        (("--tasks", "77"), "no scenario 77"),
        (("--setting", "tasks"), "select scenarios, templates or tasks"),
        (("--setting", "wide"), "no setting 'wide'"),
    ],
)
def test_wrong_options(options: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = RUNNER.invoke(app, ["phyq", "serve", *options])
    assert result.exit_code == 1
    assert message in result.output


def test_a_port_that_is_taken_is_an_error_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = RUNNER.invoke(app, ["phyq", "serve", "--tasks", "1.1:080", "--port", str(port)])
    assert result.exit_code == 1
    assert "address already in use" in result.output
    assert "Traceback" not in result.output
