"""Brief logs are read back as they were written, and the scores can be computed from them."""

from dataclasses import replace
from pathlib import Path

import pytest
from brief_results import brief_result

from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import export_shipped
from tumble.phyre.evaluation.metrics import auccess
from tumble.runs.log import LogError

SETTING = "ball_within_template"


def test_results_are_merged_by_run(tmp_path: Path) -> None:
    count = len(brief_result(SETTING, 1, 1).solved_at)
    mixed = tuple([3, None, 100, 1][k % 4] for k in range(count))
    first = [brief_result(SETTING, 1, 7), brief_result(SETTING, 0, None, "explorer-o", ranking_ms=None)]
    brief_log.merge(tmp_path, first)
    brief_log.merge(tmp_path, [replace(first[0], solved_at=mixed), brief_result("ball_cross_template", 2, 1)])
    read = brief_log.read(tmp_path / f"{SETTING}.txt")
    assert read == [replace(first[0], solved_at=mixed), first[1]]
    assert read[0].auccess == 100.0 * auccess(mixed)
    assert read[0].success(10) == pytest.approx(50.0, abs=0.2)
    assert len(brief_log.read_folder(tmp_path)) == 3


def test_replaced_runs_on_test_folds_are_kept(tmp_path: Path) -> None:
    runs = [brief_result(SETTING, 1, at, settings={"updates": at}, earlier_runs=at) for at in range(4)]
    brief_log.merge(tmp_path / "a", [runs[0], brief_result(SETTING, 1, 1, split="validation")])
    brief_log.merge(tmp_path / "a", [runs[1], brief_result(SETTING, 1, 2, split="validation")])
    brief_log.merge(tmp_path / "a", [replace(runs[1], evaluation_seconds=1.0)])  # the same attempts again
    assert brief_log.read_earlier(tmp_path / "a") == runs[:1]
    brief_log.merge(tmp_path / "b", runs[2:])
    brief_log.merge(tmp_path / "b", brief_log.read_folder(tmp_path / "a"), brief_log.read_earlier(tmp_path / "a"))
    assert brief_log.read_earlier(tmp_path / "b") == [runs[0], runs[2], runs[3]]
    brief_log.merge(tmp_path / "b", [runs[2]])
    assert [one.settings["updates"] for one in brief_log.read_earlier(tmp_path / "b")] == [0, 1, 3]
    known = [*brief_log.read_earlier(tmp_path / "b"), *brief_log.read_folder(tmp_path / "b")]
    assert brief_log.count_earlier(known, SETTING, "dqn", 1) == 4
    assert brief_log.count_earlier(known, SETTING, "dqn", 2) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(" 7", "", 1), "attempts for"),
        (lambda text: text.replace('"agent"', '"agents"'), "its fields must be"),
        (lambda text: text.splitlines()[0], "two lines for each run"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: object, message: str) -> None:
    path = tmp_path / "log.txt"
    brief_log.write(path, [brief_result(SETTING, 1, 7)])
    path.write_text(change(path.read_text()))  # type: ignore[operator]
    with pytest.raises(LogError, match=message):
        brief_log.read(path)


def test_dqns_results_on_test_tasks_can_be_shipped(tmp_path: Path) -> None:
    runs = [
        brief_result(SETTING, 3, 5),
        brief_result(SETTING, 3, 6, "dqn-o"),
        brief_result(SETTING, 4, 6, variant="other"),
        brief_result(SETTING, 4, 6, physics="other"),
    ]
    export_shipped(runs, "recipe", tmp_path / "data.txt")
    lines = (tmp_path / "data.txt").read_text().splitlines()
    assert len(lines) == 2
    assert lines[1].split()[:3] == [SETTING, "3", "5"]
