"""`tumble play`."""

import builtins
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.web.server import ServerError, listen


def test_it_serves_and_says_where() -> None:
    command = [sys.executable, "-m", "tumble", "play", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = line.split()[2]
            assert address.startswith("http://localhost:")
            with urllib.request.urlopen(address, timeout=20) as answer:
                assert b"<title>Tumble</title>" in answer.read()
        finally:
            server.terminate()


def test_without_fastapi_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_fastapi(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == "fastapi":
            raise ImportError("no such package", name="fastapi")
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_fastapi)
    result = CliRunner().invoke(app, ["play", "--no-open"])
    assert result.exit_code == 1
    assert "pip install 'tumble[web]'" in result.output


def test_a_missing_folder_of_logs_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["play", "--no-open", "--runs", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert "no such folder" in result.output


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ServerError, match=r"can't listen at .*, port"):
            listen("127.0.0.1", taken.getsockname()[1])
