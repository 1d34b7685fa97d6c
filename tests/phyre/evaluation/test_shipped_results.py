"""DQN's shipped results are those of its evaluation."""

from pathlib import Path

import pytest

from tumble.phyre.catalogue.tasks_by_id import fold
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import dqn_results, write_shipped

BRIEF = Path(__file__).resolve().parents[3] / "benchmarks" / "results" / "phyre-folds"


def test_they_are_those_of_the_brief_logs() -> None:
    if not BRIEF.exists():
        pytest.skip(f"needs {BRIEF.name}, which source packages do not have")
    known = {
        (task_id, one.setting, one.fold): solved_at
        for one in brief_log.read_folder(BRIEF)
        if (one.agent, one.variant, one.split) == ("dqn", "recipe", "test")
        for task_id, solved_at in zip(one.task_ids, one.solved_at, strict=True)
    }
    shown = [(task_id, one) for task_id, results in dqn_results().items() for one in results]
    assert len(shown) > 5000
    for task_id, one in shown:
        assert known[task_id, one.setting, one.fold] == one.solved_at


def test_results_of_other_physics_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = "ball_within_template"
    write_shipped(tmp_path / "data.txt", [(setting, 0, dict.fromkeys(fold(setting, 0).test, 7))])
    assert (tmp_path / "data.txt").read_text().splitlines()[1].split()[:3] == [setting, "0", "7"]
    monkeypatch.setattr(brief_log, "physics_id", lambda: "another")
    dqn_results.cache_clear()
    assert dqn_results() == {}
    dqn_results.cache_clear()
