"""`tumble play`."""

import builtins
import re
import socket
import subprocess
import sys
import urllib.request
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.web.options import Limits, StudyLimits, WebOptions
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


@pytest.mark.parametrize("command", ["play", "study"])
def test_every_limit_is_an_option(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[WebOptions] = []
    monkeypatch.setattr("tumble.web.server.serve", lambda app, options, *_: told.append(options))
    monkeypatch.setattr("tumble.web.app.make_app", lambda options: None)
    monkeypatch.setattr("tumble.web.study_app.make_study_app", lambda *_: None)
    monkeypatch.setattr("tumble.cli.serve.open_study", lambda file: None)
    limits = fields(Limits if command == "play" else StudyLimits)
    given = {limit.name: limit.default + 1 for limit in limits}
    arguments = [text for name, value in given.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    proxies = ["--trusted-proxy", "10.0.0.5", "--trusted-proxy", "fd00::/8", "--allow-host", "a.example"]
    begin = ["play"] if command == "play" else ["study", "serve", "pilot.toml"]
    result = CliRunner().invoke(app, [*begin, *arguments, *proxies, "--no-open", "--port", "0"])
    assert result.exit_code == 0, result.output
    expected = WebOptions(**given, port=0, trusted_proxies=("10.0.0.5", "fd00::/8"), allowed_hosts=("a.example",))
    assert told == [expected]


def test_the_docs_list_every_limit_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guides" / "play.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `--")]
    told = {
        option: default.strip().replace(",", "")
        for _, options, defaults, *_ in rows
        for option, default in zip(re.findall(r"`--([a-z-]+)`", options), defaults.split(", "), strict=False)
    }
    for limit in fields(StudyLimits):
        assert told[limit.name.replace("_", "-")] == f"{limit.default:g}"


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
