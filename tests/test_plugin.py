"""A fourth benchmark, installed as a package of its own, works in all commands without a change in Tumble."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).with_name("plugin")
MOST_LINES = 200


class Installed:
    """Tumble with the plug-in on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*install, "--target", str(folder / "site"), str(PLUGIN)], check=True, capture_output=True)

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        paths = [str(self.folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.run(
            [sys.executable, "-m", "tumble", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "160"},
            cwd=self.folder,
            capture_output=True,
            text=True,
        )

    def printed(self, *arguments: object) -> str:
        result = self.run(*arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def tumble(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("plugin"))


def test_it_is_small() -> None:
    files = [file for file in PLUGIN.rglob("*") if file.suffix in (".py", ".toml")]
    assert sum(len(file.read_text().splitlines()) for file in files) < MOST_LINES


def test_its_commands_runs_and_reports_work(tumble: Installed, tmp_path: Path) -> None:
    assert "Throw: throw a ball" in tumble.printed("--help")
    runs = tmp_path / "runs"
    tumble.printed("throw", "evaluate", "--agent", "random", "--seed", "0-2", "--runs", runs)
    text = tumble.printed("throw", "evaluate", "--agent", "solver", "--runs", runs)
    assert "solver, seed 0: solved 100 %" in text
    assert len(list(runs.iterdir())) == 4
    listed = tumble.printed("runs", "list", runs)
    assert listed.count("solved 100 %") == 1
    (solver, *_) = sorted(runs.glob("throw-solver-*"))
    shown = tumble.printed("runs", "show", solver)
    assert "physics: throw-1" in shown
    assert "benchmark: throw" in shown
    assert tumble.printed("runs", "verify", runs).count("replay identical") == 4
    assert "random" in tumble.printed("report", runs, "--text")
    tumble.printed("report", runs, "-o", tmp_path / "report.html")
    assert "Tumble: agents on Throw" in (tmp_path / "report.html").read_text()
    assert "4 runs replayed" in tumble.printed("leaderboard", "build", runs, "-o", tmp_path / "site")
    assert "solved 100 %" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.slow
def test_its_unfinished_runs_are_resumed(tumble: Installed, tmp_path: Path) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text(
        "from pathlib import Path\n"
        "from tumble_throw import Agent\n"
        "class Mine(Agent):\n"
        "    def propose(self, task, past):\n"
        f"        if task.distance > 3 and Path({str(tmp_path / 'broken')!r}).exists():\n"
        "            raise RuntimeError('broken')\n"
        "        return 5.0 * len(past)\n"
    )
    (tmp_path / "broken").touch()
    command = ("throw", "evaluate", "--agent", f"{agent}:Mine", "--runs", tmp_path / "runs")
    failed = tumble.run(*command)
    assert failed.returncode == 1
    assert "Mine failed proposing for task 4m" in failed.stderr
    assert "mine.py, line 6: RuntimeError: broken" in failed.stderr
    assert "3 of 10" in tumble.printed("runs", "list", tmp_path / "runs")
    (tmp_path / "broken").unlink()
    tumble.printed("runs", "resume", tmp_path / "runs", "--agent", f"{agent}:Mine")
    assert " 10 " in tumble.printed("runs", "list", tmp_path / "runs")
    assert "Nothing to resume" in tumble.printed("runs", "resume", tmp_path / "runs")


def test_a_broken_plug_in_is_named_and_breaks_no_other(tumble: Installed, tmp_path: Path) -> None:
    info = tumble.folder / "site" / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[tumble.benchmarks]\nbroken = nowhere_at_all:BROKEN\n")
    try:
        result = tumble.run("throw", "--help")
    finally:
        for file in info.iterdir():
            file.unlink()
        info.rmdir()
    assert result.returncode == 0
    assert "benchmark 'broken' of package 'broken' can't be loaded: ModuleNotFoundError" in result.stderr
