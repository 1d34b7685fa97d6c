"""The driver of all folds (benchmarks/agents/phyre_folds.py): jobs resume, test folds need frozen settings, and its
tables are made from brief logs.
"""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
import fold_driver
import fold_job
import fold_tables
import frozen_settings
import table
from brief_results import brief_result
from fold_driver import known_runs, plan, separated
from fold_job import AgentRun, Job, JobError, Share, TimeOverError, settings_for
from frozen_settings import FrozenError
from tiny_dqn import TINY

from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.run_spec import PhyreRunSpec

SETTING = "ball_cross_template"
SMALLER = {"ranked": 10, "updates": 5, "width": 0.05, "updates_online": 1, "recalled": 0}
SETTINGS = {name: value for name, value in TINY.items() if name != "device"} | SMALLER
NO_LIMIT = Share(0.0, 0.0, 1, 1)


@pytest.fixture
def _two_training_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = list(published_tasks("B").values())[:2]
    monkeypatch.setattr(PhyreRunSpec, "training_tasks", lambda _: tasks)


def job(out: Path) -> Job:
    runs = tuple(AgentRun(agent, "tiny", settings_for(agent, SETTINGS)) for agent in ("dqn", "dqn-o"))
    return Job(SETTING, 1, "validation", 3, runs, str(out), None, "", "cpu")


@pytest.mark.usefixtures("_two_training_tasks")
def test_a_job_may_only_train(tmp_path: Path) -> None:
    one = replace(job(tmp_path), only_trains=True)
    fold_job.work(one, NO_LIMIT)
    assert (tmp_path / "checkpoints" / f"{one.network}.pt").exists()
    assert brief_log.read_folder(tmp_path / "brief") == []
    assert one.name != job(tmp_path).name


def test_separated_jobs_evaluate_the_first_run_of_each_network_first(tmp_path: Path) -> None:
    whole = job(tmp_path)
    other = replace(whole, fold=2, runs=tuple(replace(run, variant="other") for run in whole.runs[:1]))
    trainings, single = separated([whole, other])
    assert [(one.fold, one.only_trains, one.runs) for one in trainings] == [
        (1, True, whole.runs),
        (2, True, other.runs),
    ]
    assert [(one.fold, one.runs[0].agent, one.only_trains) for one in single] == [
        (1, "dqn", False),
        (2, "dqn", False),
        (1, "dqn-o", False),
    ]
    same_agent = replace(whole, runs=(replace(whole.runs[0], variant="other"),))
    assert len({one.name for one in [*trainings, *single, same_agent]}) == 6
    assert {one.network for one in single} == {one.network for one in trainings}


@pytest.mark.slow
@pytest.mark.usefixtures("_two_training_tasks")
def test_a_job_resumes_with_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fold_job.work(job(tmp_path / "whole"), NO_LIMIT)
    with pytest.raises(TimeOverError):  # it does not begin what it could not finish
        fold_job.work(job(tmp_path / "parts"), Share(10.0, 0.0, 1, 1))
    check, calls = fold_job.Clock.check, []

    def stop_at_fifth(clock: Any) -> None:
        calls.append(clock)
        if len(calls) == 5:
            raise TimeOverError
        check(clock)

    monkeypatch.setattr(fold_job.Clock, "check", stop_at_fifth)
    with pytest.raises(TimeOverError):
        fold_job.work(job(tmp_path / "parts"), NO_LIMIT)
    assert len(brief_log.read_folder(tmp_path / "parts" / "brief")) < 2
    fold_job.work(job(tmp_path / "parts"), NO_LIMIT)
    whole, parts = (brief_log.read_folder(tmp_path / name / "brief") for name in ("whole", "parts"))
    assert [one.solved_at for one in parts] == [one.solved_at for one in whole]
    assert {one.agent for one in whole} == {"dqn", "dqn-o"}
    assert whole[0].training_seconds > 0.0
    assert plan(job(tmp_path), job(tmp_path).runs, whole) == []  # finished runs are skipped …
    changed = [replace(run, settings={**run.settings, "ranked": 30}) for run in job(tmp_path).runs]
    assert [len(one.runs) for one in plan(job(tmp_path), changed, whole)] == [2]  # … unless their settings changed
    other = [changed[0], replace(changed[1], settings={**changed[1].settings, "updates": 20})]
    assert [len(one.runs) for one in plan(job(tmp_path), other, whole)] == [1, 1]  # a network for each


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    command = ["git", "-C", str(folder), *names, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def frozen_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty file of frozen settings in a repository of its own."""
    path = tmp_path / "repository" / "phyre.json"
    path.parent.mkdir()
    path.write_text("[]")
    git(path.parent, "init", "-q")
    monkeypatch.setattr(frozen_settings.commit_of, "__defaults__", ("", path))
    return path


def test_a_test_fold_is_run_with_settings_of_a_clean_commit_only(tmp_path: Path, frozen_file: Path) -> None:
    test_job = replace(job(tmp_path), split="test")
    with pytest.raises(FrozenError, match="with frozen settings only"):
        plan(test_job, test_job.runs, [])
    frozen_settings.freeze("tiny", [(SETTING, run) for run in test_job.runs], [], "a test", frozen_file)
    with pytest.raises(FrozenError, match="commit it before"):
        plan(test_job, test_job.runs, [])
    git(frozen_file.parent, "add", "phyre.json")
    git(frozen_file.parent, "commit", "-qm", "tiny")
    (planned,) = plan(test_job, test_job.runs, [])
    assert planned.frozen == git(frozen_file.parent, "rev-parse", "HEAD")
    with pytest.raises(FrozenError, match="frozen-commit 1234567"):
        plan(replace(test_job, frozen="1234567"), test_job.runs, [])
    other = replace(test_job.runs[0], settings={**test_job.runs[0].settings, "ranked": 11})
    with pytest.raises(FrozenError, match="with frozen settings only"):
        plan(test_job, [other], [])
    frozen_file.write_text(frozen_file.read_text() + "\n")
    with pytest.raises(FrozenError, match="commit it before"):
        plan(test_job, test_job.runs, [])
    frozen_file.write_text(frozen_file.read_text().replace('"ranked": 10', '"ranked": 11'))
    with pytest.raises(FrozenError, match="do not have its digest"):
        plan(test_job, [other], [])


def test_a_copy_without_git_names_the_commit(
    tmp_path: Path, frozen_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen_settings, "_git", lambda *_: None)
    test_job = replace(job(tmp_path), split="test")
    frozen_settings.freeze("tiny", [(SETTING, run) for run in test_job.runs], [], "a test", frozen_file)
    with pytest.raises(FrozenError, match="give --frozen-commit"):
        plan(test_job, test_job.runs, [])
    with pytest.raises(FrozenError, match="is no commit"):
        plan(replace(test_job, frozen="main"), test_job.runs, [])
    assert plan(replace(test_job, frozen="0123abc"), test_job.runs, [])[0].frozen == "0123abc"
    with pytest.raises(JobError, match="that a commit has frozen"):
        fold_job.work(test_job, NO_LIMIT)


def test_frozen_settings_say_what_chose_them_and_stay(tmp_path: Path, frozen_file: Path) -> None:
    run = AgentRun("dqn", "tiny", {"updates": 8000, "hidden": [512]})
    with pytest.raises(FrozenError, match="--because"):
        frozen_settings.freeze("tiny", [(SETTING, run)], [brief_result(SETTING, 0, 1)], "", frozen_file)
    known = brief_result(SETTING, 0, 1, split="validation")
    frozen_settings.freeze("tiny", [(SETTING, run)], [known], "", frozen_file)
    assert frozen_settings.read(frozen_file)[0].validation == "AUCCESS 100.0 on validation tasks of folds 0"
    with pytest.raises(FrozenError, match="take another name"):
        frozen_settings.freeze("tiny", [(SETTING, run)], [known], "", frozen_file)


@pytest.mark.usefixtures("frozen_file")
def test_runs_know_how_often_their_test_fold_was_run_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_settings, "commit_of", lambda *_: "0123abc")
    for updates in (10, 20, 20, 30):  # the second and third are one run
        brief_log.merge(tmp_path, [brief_result(SETTING, 1, updates, settings={"updates": updates})])
    brief_log.merge(tmp_path, [brief_result(SETTING, 2, 1), brief_result(SETTING, 1, 1, split="validation")])
    runs = [AgentRun(agent, variant, {}) for agent, variant in (("dqn", "a"), ("dqn", "b"), ("dqn-o", "a"))]
    (planned,) = plan(replace(job(tmp_path), split="test"), runs, known_runs([tmp_path, tmp_path]))
    assert [run.earlier_runs for run in planned.runs] == [3, 4, 0]
    (planned,) = plan(job(tmp_path), runs, known_runs([tmp_path]))
    assert [run.earlier_runs for run in planned.runs] == [0, 0, 0]


class Process:
    """Stands in for a process: it runs for a number of looks at it."""

    def __init__(self, looks: int, code: int) -> None:
        self.looks, self.code = looks, code

    def poll(self) -> int | None:
        self.looks -= 1
        return self.code if self.looks < 0 else None


def test_other_agents_begin_when_their_network_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def start(one: Job, _: Share, out: Path, in_front: bool) -> Process:
        begun.append(f"{one.runs[0].agent} {one.fold}")
        assert in_front == (one.runs[0].agent == "dqn-o")
        (out / "jobs" / f"{one.name}.txt").write_text("its last line")
        return Process(looks=one.fold, code=int(begun[-1] == "dqn 2"))  # the training of fold 2 fails

    monkeypatch.setattr(fold_driver, "_start", start)
    monkeypatch.setattr(fold_driver, "WAIT_SECONDS", 0.0)
    both = [[replace(job(tmp_path), fold=fold, runs=(run,)) for fold in (1, 2, 5)] for run in job(tmp_path).runs]
    assert fold_driver.run_jobs(both[0], tmp_path, tmp_path / "results", 0.0, 3, both[1], 2) == 1
    assert begun == ["dqn 1", "dqn 2", "dqn 5", "dqn-o 1", "dqn-o 5"]
    begun.clear()
    assert fold_driver.run_jobs(both[0], tmp_path, tmp_path / "results", 0.0, 1) == 1
    assert begun == ["dqn 1", "dqn 2", "dqn 5"]


def test_the_description_of_a_job_survives_json(tmp_path: Path) -> None:
    share = Share(9.0, 1e9, 2, 3)
    assert fold_job.from_json(fold_job.to_json(job(tmp_path), share)) == (job(tmp_path), share)


def test_tables_are_made_from_brief_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "RESULTS", tmp_path / "results")
    agents = ("dqn", "dqn-o", "explorer", "explorer-o")
    runs = [brief_result(SETTING, fold, None if fold == 9 else 1, name) for fold in range(10) for name in agents]
    brief_log.merge(tmp_path, [*runs, brief_result("ball_within_template", 0, 1)])
    fold_tables.make(tmp_path)
    text = (tmp_path / "results" / "phyre-folds-gpu-x86_64.csv").read_text()
    assert '"AUCCESS, dqn, ball_cross_template",90.0 ± 31.6,37,,' in text
    assert "above it on 9 of 10" in text
    assert '"AUCCESS, explorer-o, ball_cross_template, fold 9",0.0,,,published 48.84' in text
    assert '"training a network, ball_cross_template",100 s,,,1 jobs in parallel' in text
    markdown = (tmp_path / "tables.md").read_text()
    assert (
        "; status; simulated actions, mutations (across), stored solutions | 90.0 ± 31.6 | 100.0 (1 folds) |  |  |"
        in markdown
    )
    assert "| B across | explorer-o | 1 | all | 90.0 ± 31.6 | hidden [512], updates 8000 | no |" in markdown
    assert "| 8 | 100.0 (19.0) | 100.0 (37.3) | 100.0 (19.0) | 100.0 (37.3) |" in markdown
