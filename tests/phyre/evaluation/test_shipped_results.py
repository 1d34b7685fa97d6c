"""DQN's shipped results are those of its evaluation."""

import csv
import gzip
from pathlib import Path

import pytest

from tumble.phyre.evaluation import shipped_results
from tumble.phyre.evaluation.shipped_results import dqn_results, write
from tumble.phyre.tasks.splits import fold

TABLE = Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "phyre-dqn-folds-solved-at.csv.gz"


def test_they_are_those_of_the_table() -> None:
    if not TABLE.exists():
        pytest.skip(f"needs {TABLE.name}, which source packages do not have")
    with gzip.open(TABLE, "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["agent"] == "dqn"]
    by_key = {(row["task"], row["setting"], int(row["fold"])): int(row["solved_at"] or 0) or None for row in rows}
    shown = [(task_id, one) for task_id, results in dqn_results().items() for one in results]
    assert len(shown) > 5000
    for task_id, one in shown:
        assert by_key[task_id, one.setting, one.fold] == one.solved_at


def test_results_of_other_physics_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = "ball_within_template"
    write(tmp_path / "data.txt", [(setting, 0, dict.fromkeys(fold(setting, 0).test, 7))])
    assert (tmp_path / "data.txt").read_text().splitlines()[1].split()[:3] == [setting, "0", "7"]
    monkeypatch.setattr(shipped_results, "physics_id", lambda: "another")
    dqn_results.cache_clear()
    assert dqn_results() == {}
    dqn_results.cache_clear()
