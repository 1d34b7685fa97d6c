"""Run logs of people: reports, lists and replays accept them, beside those of agents."""

import os
from pathlib import Path

import pytest
from study_files import PHYQ, PHYRE, study_file, valid_actions
from typer.testing import CliRunner

from tumble.benchmark import benchmark, open_study
from tumble.cli.app import app
from tumble.leaderboard.check import check_logs
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import read
from tumble.studies.export import export_study
from tumble.studies.store import Store
from tumble.studies.study import Move, StudyError

runner = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"})


def take_part(store: Store, tasks: int = 100, seed: int = 0, released: float = 2000.0) -> str:
    """A participant who attempts a number of tasks at random; returns their code."""
    code = store.begin()
    step = store.next_task(code)
    while step.is_task and step.position < tasks:
        (action,) = valid_actions(store.study.benchmark, step.task, 1, 100 * seed + step.attempt + 10 * step.part)
        store.seen(code, step.position, step.attempt)
        move = Move(step.position, step.attempt, step.part, tuple(action), released / 2, released)
        step = store.attempt(code, move).step
    return code


@pytest.fixture(scope="module")
def phyre_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with two participants who finished and one who did not."""
    file = study_file(tmp_path_factory.mktemp("phyre"), PHYRE)
    with open_study(file) as store:
        for seed in range(2):
            take_part(store, seed=seed)
        take_part(store, tasks=2, seed=2, released=100.0)
        store.invite(1)
    return file


def test_people_are_shown_beside_agents_under_equal_conditions(phyre_study: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    result = runner.invoke(app, ["study", "export", str(phyre_study), "-o", str(runs)])
    assert result.exit_code == 0, result.output
    assert "3 run logs of people" in result.output
    phyre = benchmark("phyre")
    agent = phyre.run(PhyreRunSpec("rand", "ball_within_template", limit=3, attempts=4), runs)
    people = [read(path) for path in sorted(runs.glob("phyre-people-*"))]
    assert [log.header.spec["seed"] for log in sorted(people, key=lambda log: log.header.spec["seed"])] == [0, 1, 2]
    results = [phyre.result(log) for log in [agent, *people]]
    assert len({phyre.conditions(one) for one in results}) == 1
    listed = runner.invoke(app, ["runs", "list", str(runs)])
    assert listed.exit_code == 0, listed.output
    assert listed.stdout.count("people study=pilot") == 3
    verified = runner.invoke(app, ["runs", "verify", str(runs)])
    assert verified.exit_code == 0, verified.output
    assert verified.stdout.count("replay identical") == 4
    report = runner.invoke(app, ["report", str(runs), "--text"])
    assert report.exit_code == 0, report.output
    assert "people" in report.stdout
    entries, refusals = check_logs([runs])
    assert [entry.log.header.agent for entry in entries].count("people") == 2
    assert ["not finished" in refusal.reason for refusal in refusals] == [True]


def test_exported_logs_have_codes_and_are_for_their_owner_only(phyre_study: Path, tmp_path: Path) -> None:
    runs = tmp_path / "new" / "runs"
    before = os.umask(0o022)
    try:
        with open_study(phyre_study) as store:
            logs = export_study(store, runs)
        (tmp_path / "other").touch()
    finally:
        os.umask(before)
    assert {file.stat().st_mode & 0o777 for file in logs} == {0o600}
    assert runs.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o644


def test_an_export_again_replaces_the_logs(phyre_study: Path, tmp_path: Path) -> None:
    store = open_study(phyre_study)
    first = export_study(store, tmp_path)
    rows = {path.name: list(read(path).rows()) for path in first}
    second = export_study(store, tmp_path)
    assert {path.name: list(read(path).rows()) for path in second} == rows
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in first)
    times = next(iter(rows.values()))[0]
    assert (times["touched_ms"], times["released_ms"]) == ([1000], [2000])
    assert times["seen"] > 1e9


def test_people_cannot_be_resumed_like_an_agent(phyre_study: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    export_study(open_study(phyre_study), runs)
    result = runner.invoke(app, ["runs", "resume", str(runs), "--workers", "1"])
    assert result.exit_code == 1
    assert "people can't be run like an agent" in result.output
    assert "Traceback" not in result.output
    command = ["phyre", "evaluate", "--agent", "people", "--setting", "ball_within_template", "--limit", "1"]
    result = runner.invoke(app, [*command, "--runs", str(tmp_path / "other"), "--workers", "1"])
    assert result.exit_code == 1


def test_the_report_shows_progress_and_what_looks_wrong(phyre_study: Path, tmp_path: Path) -> None:
    target = tmp_path / "pilot.html"
    result = runner.invoke(app, ["study", "report", str(phyre_study), "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert "3 participants began, 2 finished; 1 code not used." in result.stdout
    assert "unfinished; " in result.stdout
    assert "attempts within 0.5 s" in result.stdout
    assert "Tasks solved within a number of attempts" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600  # it has codes


def test_listed_tasks_are_written_beside_the_logs(tmp_path: Path) -> None:
    toml = PHYRE.replace('setting = "ball_within_template"', "").replace(
        "limit = 3", 'ids = ["00001:000", "00002:001"]'
    )
    store = open_study(study_file(tmp_path, toml))
    take_part(store)
    (path,) = export_study(store, tmp_path / "runs")
    log = read(path)
    assert sorted(log.tasks) == ["00001:000", "00002:001"]
    assert (tmp_path / "runs" / log.header.spec["tasks"]).is_file()
    assert benchmark("phyre").replay(log, lambda _: None) == ""


def test_shots_of_several_birds_are_attempts_of_several_parts(tmp_path: Path) -> None:
    store = open_study(study_file(tmp_path, PHYQ))
    take_part(store)
    code = take_part(store, tasks=1, seed=1)
    assert store.give_up(code, 1).kind == "finished"
    phyq = benchmark("phyq")
    logs = [read(path) for path in export_study(store, tmp_path / "runs")]
    assert all(log.finished for log in logs)
    assert [phyq.replay(log, lambda _: None) for log in logs] == ["", ""]
    assert phyq.result(logs[1]).attempts_given_up == 2  # type: ignore[attr-defined]
    assert [len(phyq.result(log).thought) for log in logs] == [2, 1]  # type: ignore[attr-defined]
    agent = phyq.run(PhyQRunSpec("random", "tasks", ("1.1", "10.1"), 2, limit=1), tmp_path / "runs")
    assert phyq.conditions(phyq.result(agent)) == phyq.conditions(phyq.result(logs[0]))
    report = runner.invoke(app, ["report", str(tmp_path / "runs"), "--text"])
    assert report.exit_code == 0, report.output
    assert "people" in report.stdout


def test_nothing_to_export_is_said(tmp_path: Path) -> None:
    store = open_study(study_file(tmp_path, PHYRE))
    store.invite(3)
    with pytest.raises(StudyError, match="no participant has finished a task yet"):
        export_study(store, tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_the_commands_for_new_studies(tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    assert runner.invoke(app, ["study", "new", str(file)]).exit_code == 0
    again = runner.invoke(app, ["study", "new", str(file)])
    assert again.exit_code == 1
    assert "exists; name a new file" in again.stderr
    codes = runner.invoke(app, ["study", "invite", str(file), "--count", "3"])
    assert len(set(codes.stdout.split())) == 3
    wrong = runner.invoke(app, ["study", "new", str(tmp_path / "new.txt")])
    assert "must end in .toml" in wrong.stderr
    other = runner.invoke(app, ["study", "new", str(tmp_path / "c.toml"), "--benchmark", "comphy"])
    assert "has no studies with people" in other.stderr
