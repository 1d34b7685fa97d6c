"""`tumble phyre analyse`."""

import json
import re
from pathlib import Path

import pytest
from phyre_commands import printed, refusal, row, run

from tumble.phyre.generation import task_analysis


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 200 attempts, and one of them only: most verdicts stay open."""
    monkeypatch.setattr(task_analysis, "BATCH_SIZE", 200)
    monkeypatch.setattr(task_analysis, "MAX_BATCHES", 1)


@pytest.mark.usefixtures("small_batches")
def test_analyse_prints_and_stores_verdicts(tmp_path: Path, template: Path) -> None:
    out = tmp_path / "known.json"
    text = printed("analyse", f"{template}#mine:001", "00106:002", "--out", out)
    kept = {(record["task"], record["tier"]): record for record in json.loads(out.read_text())["analyses"]}
    assert set(kept) == {("mine:001", "B"), ("00106:002", "2B"), ("00106:002", "B")}
    cells = row(text, "mine:001")
    assert cells[1] == "1"
    assert cells[2] == str(200 - kept["mine:001", "B"]["counts"]["invalid"])
    assert cells[4:6] == ["undecided", "yes"]  # trivial: the ball falls onto the floor by itself
    assert "Stably solved" in printed("simulate", f"{template}#mine:001", *cells[6].split(), "--stable")
    assert "00106: one ball solves 0 % of its tasks" in text
    before = out.read_bytes()
    assert printed("analyse", f"{template}#mine:001", "00106:002", "--out", out) == text
    assert out.read_bytes() == before


@pytest.mark.usefixtures("small_batches")
def test_analyse_takes_all_tasks_of_a_file(tmp_path: Path, template: Path) -> None:
    text = printed("analyse", "--file", template, "--out", tmp_path / "known.json")
    assert re.findall(r"mine:\d+", text) == [f"mine:{number:03d}" for number in range(4)]


def test_analyse_refuses_wrong_input(tmp_path: Path) -> None:
    assert run("analyse").exit_code == 2
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert f"{notes} is not a file of analyses" in refusal("analyse", "00002:000", "--out", notes)
    assert notes.read_text() == "mine"
    assert "there is no folder" in refusal("analyse", "00002:000", "--out", tmp_path / "nowhere" / "known.json")
    assert refusal("analyse", "--file", tmp_path / "none.json").endswith("none.json: no such file")
