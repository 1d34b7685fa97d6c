"""Brief logs are read back as they were written, and the scores can be computed from them."""

from dataclasses import replace
from pathlib import Path

import pytest
from brief_results import brief_result

from tumble.phyre.evaluation import brief_log, shipped_results
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
    shipped_results.export(runs, "recipe", tmp_path / "data.txt")
    lines = (tmp_path / "data.txt").read_text().splitlines()
    assert len(lines) == 2
    assert lines[1].split()[:3] == [SETTING, "3", "5"]
