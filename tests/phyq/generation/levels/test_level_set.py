"""Sets are made, written, resumed after a kill and refused where they are of another seed."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tumble import phyq
from tumble.cli.app import app
from tumble.phyq.catalogue import level_json
from tumble.phyq.catalogue.level import Level, LevelError
from tumble.phyq.generation import level_set
from tumble.phyq.generation.candidates import Shots
from tumble.phyq.generation.level_set import MOVES, UNSOLVED, make_levels, solutions_in, won_by_one_bird
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
SHOTS = (Shot(30.0), Shot(41.25, tap_ms=640.0))
KILLED = """
import os, sys
from tumble.phyq.generation import level_set
from tumble.phyq.simulation.shots import Shot

calls = []
def examine(levels, device, threads):
    calls.append(1)
    if len(calls) == 3:
        os._exit(9)
    return [""] * len(levels), [(Shot(30.0), Shot(41.25, tap_ms=640.0))] * len(levels)

level_set.examine_levels = examine
level_set.make_levels(7, 4, folder=sys.argv[1])
"""
Examine = Callable[..., tuple[list[str], list[Shots]]]


def accept(levels: list[Level], device: str, threads: int) -> tuple[list[str], list[Shots]]:
    return [""] * len(levels), [SHOTS] * len(levels)


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draw is accepted without a search."""
    monkeypatch.setattr(level_set, "examine_levels", accept)


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(folder.iterdir())}


@pytest.mark.slow
def test_levels_hold_what_they_promise(tmp_path: Path) -> None:
    made = phyq.make_levels(7, 3, folder=tmp_path)
    levels = [level_json.load(tmp_path / f"{one.name}.json") for one in made]
    simulator = Simulator(levels)
    assert simulator.settle(10.0).at_rest.all()
    assert not won_by_one_bird(simulator).any()
    stored = solutions_in(tmp_path)
    assert simulator.play(range(3), [stored[one.name] for one in made]).won.all()
    assert [one.level for one in phyq.make_levels(7, 3)] == levels, "also without a folder"


@pytest.mark.usefixtures("_quick")
def test_a_set_is_written(tmp_path: Path) -> None:
    done: list[int] = []
    made = make_levels(7, 3, folder=tmp_path / "new" / "set", progress=done.append)
    folder = tmp_path / "new" / "set"
    assert sum(done) == 3
    assert sorted(contents(folder)) == ["level-000.json", "level-001.json", "level-002.json", "set.json"]
    assert [level_json.load(folder / f"{one.name}.json") for one in made] == [one.level for one in made]
    assert solutions_in(folder) == {f"level-00{k}": SHOTS for k in range(3)}
    assert Simulator([one.level for one in made]).settle(10.0).at_rest.all(), "in the poses in which they rest"
    assert make_levels(7, 5)[:3] == made, "a longer set begins with the same levels"


@pytest.mark.usefixtures("_quick")
def test_a_killed_run_resumes(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    assert subprocess.run([sys.executable, "-c", KILLED, str(killed)], check=False).returncode == 9
    assert sorted(contents(killed)) == ["level-000.json", "level-001.json", "set.json"]
    before = (killed / "level-000.json").stat().st_mtime_ns
    done: list[int] = []
    make_levels(7, 4, folder=killed, progress=done.append)
    assert done == [2, 1, 1], "two were there"
    assert (killed / "level-000.json").stat().st_mtime_ns == before
    make_levels(7, 4, folder=whole)
    assert contents(killed) == contents(whole)


@pytest.mark.usefixtures("_quick")
def test_damaged_levels_are_made_again(tmp_path: Path) -> None:
    make_levels(7, 2, folder=tmp_path)
    expected = contents(tmp_path)
    level = level_json.load(tmp_path / "level-001.json")
    level_json.save(level.shifted(0.5, 0.0), tmp_path / "level-001.json")
    (tmp_path / "level-000.json").unlink()
    make_levels(7, 2, folder=tmp_path)
    assert contents(tmp_path) == expected


@pytest.mark.usefixtures("_quick")
def test_other_sets_are_not_overwritten(tmp_path: Path) -> None:
    make_levels(7, 1, folder=tmp_path)
    with pytest.raises(LevelError, match=r"has a set of seed 7, not 8; choose another folder"):
        make_levels(8, 1, folder=tmp_path)
    document = json.loads((tmp_path / "set.json").read_text())
    (tmp_path / "set.json").write_text(json.dumps({**document, "physics": "old"}))
    with pytest.raises(LevelError, match=r"has a set of physics old"):
        make_levels(7, 1, folder=tmp_path)
    for text in ("[]", "{", '{"levels": {"level-000": 3}}', '{"levels": {"level-000": {"solution": "x"}}}'):
        (tmp_path / "set.json").write_text(text)
        with pytest.raises(LevelError, match=r"set\.json: this is not the file of a level set"):
            make_levels(7, 1, folder=tmp_path)


@pytest.mark.parametrize(("seed", "count"), [(1.5, 1), (0, 0), (0, 1001)])
def test_wrong_arguments_are_refused(seed: int, count: int) -> None:
    with pytest.raises(LevelError, match=r"seed|count"):
        make_levels(seed, count)


def test_rejected_draws_are_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = iter([MOVES, UNSOLVED, "", ""])

    def examine(levels: list[Level], device: str, threads: int) -> tuple[list[str], list[Shots]]:
        return [next(reasons) for _ in levels], [SHOTS for _ in levels]

    first, second = (one.draw for one in _made(monkeypatch, accept))
    assert [one.draw for one in _made(monkeypatch, examine)] == [_third_draw(first), second]


def _made(monkeypatch: pytest.MonkeyPatch, examine: Examine) -> list[level_set.MadeLevel]:
    monkeypatch.setattr(level_set, "examine_levels", examine)
    return make_levels(7, 2)


def _third_draw(first: int) -> int:
    """The draw that fits after two others, for level 0."""
    fitting = [draw for draw in range(first, 40) if level_set.compose_level(7, 0, draw) is not None]
    return fitting[2]


def test_a_seed_without_levels_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_set, "compose_level", lambda *_: None)
    with pytest.raises(LevelError, match="level 0 of seed 7: none of 400 draws can be used"):
        make_levels(7, 1)


@pytest.mark.usefixtures("_quick")
def test_the_command(tmp_path: Path) -> None:
    result = runner.invoke(app, ["phyq", "generate", "--seed", "7", "--count", "2", "-o", str(tmp_path / "set")])
    assert result.exit_code == 0, result.output
    assert "Written to" in result.stdout
    assert "2 levels of seed 7." in result.stdout
    assert "30.00°; 41.25° tap 640 ms" in result.stdout
    (tmp_path / "file").write_text("")
    refused = runner.invoke(app, ["phyq", "generate", "-o", str(tmp_path / "file")])
    assert refused.exit_code == 1
    assert "is a file; name a folder" in refused.stderr
