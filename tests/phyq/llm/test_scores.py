"""Scores from records, by hand; selections; and rows of a run log."""

from typing import Any

import pytest

from tumble.errors import TumbleError
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.metrics import phy_q
from tumble.phyq.llm.puzzle_set import PhyqPuzzles, run_log_rows
from tumble.phyq.llm.settings import settings_of

WON, LOST = {"status": 1}, {"status": -1}


def test_scores_of_two_scenarios() -> None:
    """3.1: wins at the attempts 1 and 3, so that rates are 1 and 0.6; 3.2: none; 4.1: a win at the fifth."""
    found = PHYQ.puzzles({"setting": "tasks", "only": ["3", "4"]}).scores(
        {"3.1:000": [WON], "3.1:001": [LOST, LOST, WON], "3.2:000": [LOST] * 5, "4.1:000": [*[LOST] * 4, WON]}
    )
    assert found["pass_rate_scenario_03"] == pytest.approx(0.4)
    assert found["pass_rate_scenario_04"] == pytest.approx(0.2)
    assert found["pass_rate"] == pytest.approx(0.3)
    assert found["first_attempt_rate"] == pytest.approx((0.25 + 0.0) / 2)
    assert [found[f"solved_within_{count}"] for count in range(1, 6)] == [0.25, 0.25, 0.5, 0.5, 0.75]
    assert "phy_q" not in found


def test_the_phy_q_score_needs_all_scored_scenarios() -> None:
    records = {f"{scenario}.1:000": [WON] for scenario in range(3, 16)}
    found = PHYQ.puzzles({}).scores(records)
    assert found["phy_q"] == pytest.approx(phy_q(dict.fromkeys(range(3, 16), 1.0)))
    assert found["phy_q_first_attempt"] == found["phy_q"]
    assert PHYQ.puzzles({}).scores({}) == {}


def test_selections() -> None:
    """34 of the 75 templates are for testing in the paper's table 7, with 20 tasks each."""
    assert len(PHYQ.puzzles({"setting": "broad"}).ids) == 34 * 20
    assert len(PHYQ.puzzles({"setting": "local"}).ids) == 75 * 20
    assert list(PHYQ.puzzles({"ids": ["6.4:017", "3.1:002"]}).ids) == ["6.4:017", "3.1:002"]
    assert list(PHYQ.puzzles({"setting": "tasks", "only": ["6.4"], "limit": 2}).ids) == ["6.4:000", "6.4:001"]


def test_a_limit_is_spread_over_scenarios_and_then_over_templates() -> None:
    def drawn(limit: int) -> tuple[int, int, int]:
        ids = PHYQ.puzzles({"setting": "broad", "limit": limit}).ids
        names = [task_id.partition(":")[0] for task_id in ids]
        return len(ids), len({name.partition(".")[0] for name in names}), len(set(names))

    assert drawn(15) == (15, 15, 15)
    assert drawn(34) == (34, 15, 34)
    assert drawn(50) == (50, 15, 34)
    assert drawn(10_000) == (680, 15, 34)


@pytest.mark.parametrize("only", ["3, 6.4", ["3", "6.4"], (3, 6.4)])
def test_names_may_be_typed(only: object) -> None:
    assert settings_of({"only": only}).only == ("3", "6.4")
    assert settings_of({"only": 6.4}).only == ("6.4",)


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        ({"setting": "wide"}, "setting"),
        ({"setting": "tasks"}, "needs only"),
        ({"mode": "sound"}, "mode"),
        ({"attempts": 0}, "attempts"),
        ({"ids": ["6.4:017"], "only": ["3"]}, "stand alone"),
        ({"colour": 1}, "colour"),
        ({"only": {"3": 1}}, "only"),
        ({"only": [True]}, "only"),
    ],
)
def test_wrong_selections_are_refused(selection: dict[str, object], problem: str) -> None:
    with pytest.raises(TumbleError, match=problem):
        settings_of(selection)


def test_a_run_log_has_all_attempts() -> None:
    lost = {"attempt": 1, "action": [20.0, 1.0, None, None, None], "status": -1, "steps": 300, "read": True}
    won = {"attempt": 2, "action": [30.0, 1.0, None, None, None], "status": 1, "steps": 200, "read": True}
    rows = run_log_rows([lost, won], 5)
    assert [row["attempt"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["status"] for row in rows] == [-1, 1, 1, 1, 1]
    assert [row["status"] for row in run_log_rows([lost], 3)] == [-1, 0, 0]
    assert run_log_rows([lost], 3)[-1]["action"] == []


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"setting": "local", "only": ["6"], "limit": 20},
        {"setting": "tasks", "only": ["6.4"], "attempts": 3},
        {"ids": ["6.4:017", "3.1:002"], "mode": "both"},
    ],
)
def test_the_run_specification_has_the_same_tasks_and_attempts(selection: dict[str, Any]) -> None:
    chosen = PhyqPuzzles(settings_of(selection))
    spec = chosen.spec("mockllm/model", {"temperature": 0.5})
    assert spec.task_ids() == chosen.ids
    assert spec.attempts == chosen.settings.attempts
    assert spec.settings["mode"] == chosen.settings.mode
    assert spec.settings["temperature"] == 0.5
    assert all(chosen.template(task_id) == chosen.puzzle(task_id).template for task_id in chosen.ids[:1])
