"""The `tumble` command: what it prints and how it refuses."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tumble
from tumble.cli import evaluate
from tumble.cli.app import app
from tumble.output import file_error

runner = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"})


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo that writes one file, in place of the real one."""
    monkeypatch.setattr(evaluate, "run_demo", lambda out: (out / "worlds.txt").write_text("one world"))


def test_version_is_printed() -> None:
    result = runner.invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"tumble {tumble.__version__}\n"


def test_without_arguments_the_help_is_shown() -> None:
    assert "demo" in runner.invoke(app, []).output


@pytest.mark.parametrize("command", [["-m", "tumble"], ["-c", "from tumble.cli.app import main; main()"]])
def test_module_and_script_are_the_same_command(command: list[str]) -> None:
    result = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"tumble {tumble.__version__}\n")


def test_help_does_not_wait_for_warp() -> None:
    code = "import sys, tumble.cli.app; sys.exit('warp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.usefixtures("small_demo")
def test_demo_makes_its_folder_and_lists_its_files(tmp_path: Path) -> None:
    out = tmp_path / "a folder" / "demo [1]"
    result = runner.invoke(app, ["demo", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert str(out / "worlds.txt") in result.stdout


@pytest.mark.usefixtures("small_demo")
@pytest.mark.parametrize("below", [".", "deeper/demo"])
def test_demo_refuses_a_file_as_folder(tmp_path: Path, below: str) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    result = runner.invoke(app, ["demo", "--out", str(notes / below)])
    assert result.exit_code == 2
    assert "--out" in result.stderr
    assert "notes.txt is not a folder; choose" in " ".join(result.stderr.split())
    assert notes.read_text() == "mine"


@pytest.mark.usefixtures("small_demo")
def test_demo_reports_why_a_folder_cannot_be_created(tmp_path: Path) -> None:
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / ("d" * 300))])
    assert result.exit_code == 2
    assert "File name too long" in result.stderr


def test_a_mistyped_command_is_refused() -> None:
    result = runner.invoke(app, ["dmeo"])
    assert result.exit_code == 2
    assert "dmeo" in result.stderr


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.json"), "a.json: No such file or directory"),
        (PermissionError(errno.EACCES, "Permission denied", b"a", None, b"b"), "a to b: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("damaged"), "damaged"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_errors_of_the_file_system_name_their_files(error: OSError, text: str) -> None:
    assert file_error(error) == text


def test_a_missing_gpu_is_reported_in_one_line() -> None:
    """In a process of its own, as Warp's native code prints past Python."""
    command = ["phyre", "simulate", "00000:000", "0.5", "0.5", "0.5", "--device", "cuda:99"]
    result = subprocess.run([sys.executable, "-m", "tumble", *command], capture_output=True, text=True)
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("tumble: there is no device 'cuda:99'; this machine has: cpu")
