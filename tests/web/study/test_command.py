"""`tumble study serve`."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from study_files import PHYRE, study_file
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.errors import TumbleError
from tumble.web.responses import StaticFiles
from tumble.web.study_app import task_page

TOKEN = "0123456789abcdef"


def test_it_serves_a_study_and_says_where(tmp_path: Path) -> None:
    file = study_file(tmp_path, PHYRE)
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    command = [sys.executable, "-m", "tumble", "study", "serve", str(file), "--port", "0", "--no-open"]
    with subprocess.Popen(
        [*command, "--admin-token-file", str(token)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(3)]
            address = lines[0].split()[2]
            assert address.endswith("/study/")
            assert f"{address}CODE" in lines[1]
            assert lines[2].startswith("Progress, for you only:")
            assert TOKEN not in "".join(lines)
            asked = urllib.request.Request(f"{address}api/admin", headers={"Authorization": f"Bearer {TOKEN}"})
            with urllib.request.urlopen(asked, timeout=20) as answer:
                assert json.load(answer)["title"] == "Balls"
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{address}api/admin", timeout=20)
            assert refused.value.code == 401
            refused.value.close()
        finally:
            server.terminate()


def failure(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["study", "serve", *map(str, arguments), "--no-open"])
    assert result.exit_code == 1
    return result.output.replace("\n", " ")


def test_wrong_tokens_and_studies_are_named(tmp_path: Path) -> None:
    file = study_file(tmp_path, PHYRE)
    short = tmp_path / "short"
    short.write_text("abc")
    assert "a token has 16 characters or more" in failure(file, "--admin-token-file", short)
    assert "No such file" in failure(file, "--admin-token-file", tmp_path / "none")
    assert "No such file" in failure(tmp_path / "none.toml")


def test_a_play_page_without_the_class_is_refused() -> None:
    with pytest.raises(TumbleError):
        task_page(StaticFiles("tumble.web"))
