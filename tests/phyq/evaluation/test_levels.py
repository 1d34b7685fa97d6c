"""Agents on folders of levels: runs, scores, replays and reports."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tumble.cli.app import app
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue import level_json
from tumble.phyq.catalogue.level import Level, Pig, Platform
from tumble.phyq.catalogue.physics import PIG_SCORE, UNUSED_BIRD_SCORE
from tumble.phyq.evaluation.result import PhyQResult, result_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.runs.log import Log, LogError, read, write_finished
from tumble.runs.spec import RunSpecError

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
EASY = Level(("red", "red"), (Pig("small", 2.0, -3.262),))
CELL = tuple(
    Platform(x, y, 0.0, *scales)
    for x, y, *scales in ((5.0, -2.6, 3.0, 0.4), (4.2, -3.1, 0.4, 2.0), (5.8, -3.1, 0.4, 2.0))
)
HOPELESS = Level(("red",), (Pig("small", 5.0, -3.262),), platforms=CELL)


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    folder = tmp_path / "levels"
    folder.mkdir()
    level_json.save(EASY, folder / "easy.json")
    level_json.save(HOPELESS, folder / "hopeless.json")
    return folder


def run(levels: Path, folder: Path, agent: str = "pig_shooter", attempts: int = 2) -> Log:
    return PHYQ.run(PhyQRunSpec(agent, "levels", (str(levels),), attempts), folder)


def printed(*arguments: object) -> str:
    result: Result = runner.invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.stdout


def test_pass_rates_and_scores(levels: Path, tmp_path: Path) -> None:
    log = run(levels, tmp_path / "runs")
    result = result_of(log)
    assert isinstance(result, PhyQResult)
    assert result.task_rates() == {"levels/easy": 1.0, "levels/hopeless": 0.0}
    assert result.mean == 0.5
    assert result.levels_solved == 1
    assert result.scenario_rates() == {}
    assert result.phy_q is None
    assert result.scores["levels/hopeless"] == [0, 0], "an attempt that fails has no points"
    best = max(result.scores["levels/easy"])
    assert best >= PIG_SCORE
    assert result.total_score == best
    assert result.mean_score == sum(result.scores["levels/easy"]) / 4
    assert "solved 1 of 2 levels, passed 50.0 % of attempts, mean score" in result.summary
    used = {len(row["action"]) // 5: row["score"] for row in log.tasks["levels/easy"]}
    assert all(score >= PIG_SCORE + (len(EASY.birds) - shots) * UNUSED_BIRD_SCORE for shots, score in used.items())


def test_runs_are_replayed_and_depend_on_the_levels(levels: Path, tmp_path: Path) -> None:
    log = run(levels, tmp_path / "runs")
    assert PHYQ.replay(log, lambda _: None) == ""
    changed = Log(log.path, log.header, {**log.tasks}, finished=True)
    first = {**changed.tasks["levels/easy"][0], "score": 7}
    changed.tasks["levels/easy"] = [first, *changed.tasks["levels/easy"][1:]]
    assert "score 7; replayed: score" in PHYQ.replay(changed, lambda _: None)
    level_json.save(EASY.shifted(0.1, 0.0), levels / "easy.json")
    assert PHYQ.replay(log, lambda _: None) == "", "a log has its levels beside it"
    other = run(levels, tmp_path / "others")
    assert other.path.name != log.path.name, "other levels are another run"
    (own,), (others,) = ((tmp_path / name).glob("levels-*.json") for name in ("runs", "others"))
    own.write_bytes(others.read_bytes())
    with pytest.raises(LogError, match="tasks: changed since the run was started"):
        PHYQ.replay(log, lambda _: None)
    own.unlink()
    with pytest.raises(LogError, match=r"are not in .*; name their folder with --data DIR"):
        PHYQ.replay(log, lambda _: None)


def test_the_same_levels_elsewhere_are_the_same_run(levels: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "levels"
    other.mkdir(parents=True)
    for file in levels.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    names = [PhyQRunSpec("random", "levels", (str(folder),)).file_name() for folder in (levels, other)]
    assert names[0] == names[1]
    with pytest.raises(RunSpecError, match="two levels are named levels/easy"):
        PhyQRunSpec("random", "levels", (str(levels), str(other))).task_ids()


def test_selections(levels: Path) -> None:
    assert PhyQRunSpec("random", "levels", (str(levels),), limit=1).task_ids() == ["levels/easy"]
    assert PhyQRunSpec("random", "levels", (str(levels / "hopeless.json"),)).task_ids() == ["levels/hopeless"]
    with pytest.raises(RunSpecError, match="name folders of levels or level files"):
        PhyQRunSpec("random", "levels")


def test_commands_and_report(levels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    monkeypatch.chdir(tmp_path)
    text = printed(
        *("phyq", "evaluate", "--agent", "pig_shooter,random", "--levels", "levels", "--attempts", 1),
        *("--runs", runs, "--workers", 1),
    )
    assert "pig_shooter, levels, seed 0: solved 1 of 2 levels" in text
    monkeypatch.chdir(levels)
    assert "replay identical" in printed("runs", "verify", runs), "levels are found from any folder"
    assert printed("runs", "list", runs).count("levels levels") == 2
    report = printed("report", runs, "--text")
    assert "Levels of levels, 1 attempt" in report
    assert "solved, %" in report
    assert "mean score" in report
    assert "levels/hopeless" in report
    printed("report", runs, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/svg+xml,") == 2, "a passed and a failed attempt"
    assert "levels/easy, attempt 1: passed" in page
    next(runs.glob("levels-*.json")).unlink()
    printed("report", runs, "-o", tmp_path / "report.html")
    assert "their files are gone" in (tmp_path / "report.html").read_text()


def test_wrong_options_are_refused(levels: Path, tmp_path: Path) -> None:
    both = runner.invoke(
        app, ["phyq", "evaluate", "--agent", "random", "--levels", str(levels), "--only", "3", "--runs", "runs"]
    )
    assert both.exit_code == 2
    assert "not both" in both.output
    missing = runner.invoke(
        app, ["phyq", "evaluate", "--agent", "random", "--levels", str(tmp_path / "none"), "--runs", "runs"]
    )
    assert missing.exit_code == 1
    assert "there is no such folder or level file" in missing.stderr


def test_a_log_with_a_wrong_score_is_refused(levels: Path, tmp_path: Path) -> None:
    log = run(levels, tmp_path / "runs", attempts=1)
    log.tasks["levels/easy"][0]["score"] = "many"
    write_finished(log, log.path)
    with pytest.raises(LogError, match="damaged: the line of task 'levels/easy'"):
        read(log.path)
