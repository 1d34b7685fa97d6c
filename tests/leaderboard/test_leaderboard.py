"""Leaderboards: runs that replay are listed under equal conditions; forged, damaged and incomplete logs are refused."""

import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import forged_logs as forged
import pytest
from typer.testing import CliRunner

from tumble.benchmark import benchmark
from tumble.cli.app import app
from tumble.leaderboard.build import DATA_FILE, PAGE_FILE, LeaderboardError, build_site, comparable_rows
from tumble.leaderboard.check import check_logs, run_again
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import LogError, read, write_finished

runner = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"})


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A log of PHYRE, and one of Phy-Q."""
    return forged.make_logs(tmp_path_factory.mktemp("honest"), 1)


def forge(source: Path, target: Path, kind: str, seed: object) -> Path:
    """A changed log with right digests."""
    log = forged.KINDS[kind](read(source), random.Random(f"{kind} {seed}"))
    target.parent.mkdir(exist_ok=True)
    write_finished(log, target)
    return target


def test_runs_that_replay_are_listed_with_what_they_were_given(honest: list[Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    result = runner.invoke(app, ["leaderboard", "build", *map(str, honest), "-o", str(site), "--copy-logs"])
    assert result.exit_code == 0, result.output
    assert "2 runs replayed" in result.output
    html = (site / PAGE_FILE).read_text(encoding="utf-8")
    assert not re.search(r'<script|<link|(?:src|href)="(?:https?:)?//', html)
    rows = json.loads((site / DATA_FILE).read_text())["runs"]
    for path, row in zip(honest, rows, strict=True):
        log = read(path)
        assert row["physics"] == log.header.physics
        assert row["log_sha256"][:12] in html
        assert benchmark(row["benchmark"]).result(log).summary in html
        assert row["tumble_version"] in html
    assert len(list((site / "logs").iterdir())) == 2


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("kind", ["results kept, solving attempt", "counted as solved", "task left out"])
def test_a_changed_log_is_refused_although_its_digests_are_right(
    honest: list[Path], tmp_path: Path, kind: str, number: int
) -> None:
    changed = [forge(honest[number], tmp_path / f"{seed}.jsonl.gz", kind, seed) for seed in range(3)]
    entries, refusals = check_logs([*changed, honest[number]], rerun=False)
    assert [entry.log.path for entry in entries] == [honest[number]]
    assert {refusal.path for refusal in refusals} == set(changed)


def test_every_changed_action_is_found_where_the_agent_is_run_again(honest: list[Path], tmp_path: Path) -> None:
    changed = [forge(source, tmp_path / f"{source.name}", "results kept, any attempt", 0) for source in honest]
    entries, refusals = check_logs([*changed, *honest])
    assert [entry.log.path for entry in entries] == honest
    assert all(entry.repeated for entry in entries)
    assert {refusal.path for refusal in refusals} == set(changed)


def test_others_are_listed_where_some_are_refused_by_name(honest: list[Path], tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    bad = forge(honest[0], logs / "forged.jsonl.gz", "counted as solved", 1)
    forged.change_bytes(honest[1], logs / "damaged.jsonl.gz", random.Random(1))
    (logs / "nothing.jsonl").write_text("no log")
    shutil.copy(honest[1], logs / "honest.jsonl.gz")
    result = runner.invoke(app, ["leaderboard", "build", str(logs), "-o", str(tmp_path / "site")])
    assert result.exit_code == 1
    assert "1 run replayed" in result.stdout
    for name in ("forged.jsonl.gz", "damaged.jsonl.gz", "nothing.jsonl"):
        assert f"refused: {logs / name}" in result.stderr
    html = (tmp_path / "site" / PAGE_FILE).read_text(encoding="utf-8")
    assert "forged.jsonl.gz: it does not replay" in html
    assert str(bad.parent) not in html


def test_an_unfinished_log_and_a_copy_are_refused(honest: list[Path], tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(honest[0], logs / "a.jsonl.gz")
    shutil.copy(honest[0], logs / "b.jsonl.gz")
    spec = PhyreRunSpec("rand", "ball_within_template", limit=2, attempts=1)
    log = benchmark("phyre").run(spec, logs)
    part = replace(log, tasks=dict(list(log.tasks.items())[:1]))
    write_finished(part, log.path)
    built = build_site([logs], tmp_path / "site")
    assert [entry.log.path.name for entry in built.entries] == ["a.jsonl.gz"]
    reasons = {refusal.path.name: refusal.reason for refusal in built.refusals}
    assert reasons["b.jsonl.gz"] == "the same run as a.jsonl.gz, which is listed"
    assert reasons[log.path.name] == "it is not finished: 1 of 2 tasks"


def test_only_runs_on_the_same_tasks_are_ranked_together(tmp_path: Path) -> None:
    phyre = benchmark("phyre")
    specs = [
        PhyreRunSpec(agent, "ball_within_template", fold, limit=3, attempts=3)
        for agent in ("optimal", "rand", "mem")
        for fold in (0, 1)
    ]
    entries, _ = check_logs([phyre.run(spec, tmp_path).path for spec in specs])
    groups = comparable_rows(entries)
    folds = [{row.first.log.header.spec["fold"] for row in group} for group in groups]
    assert sorted(map(sorted, folds)) == [[0], [1]]
    for group in groups:
        assert [row.first.result.agent for row in group].index("optimal") == 2
        assert group[2].first.result.agent_was_given == "solutions"
        scores = [row.mean or 0.0 for row in group[:2]]
        assert scores == sorted(scores, reverse=True)


def test_the_site_is_written_whole_or_not_at_all(
    honest: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    build_site(honest[:1], site)
    before = {file.name: file.read_bytes() for file in site.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr("tumble.leaderboard.build.data_text", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build_site(honest, site)
    assert {file.name: file.read_bytes() for file in site.iterdir()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["site"]
    build_site(honest, site)
    assert len(json.loads((site / DATA_FILE).read_text())["runs"]) == 2


def test_wrong_targets_and_places_are_refused_before_anything_is_replayed(honest: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    for target, message in (
        (other, "something else"),
        (tmp_path / "no" / "site", "no folder"),
        (other / "thesis.tex", "is a file"),
    ):
        with pytest.raises(LeaderboardError, match=message):
            build_site(honest, target)
    result = runner.invoke(app, ["leaderboard", "build", str(tmp_path / "no"), "-o", str(tmp_path / "site")])
    assert result.exit_code == 1
    assert "no such file or folder" in result.stderr
    result = runner.invoke(app, ["leaderboard", "build", str(other), "-o", str(tmp_path / "site")])
    assert result.exit_code == 1
    assert "no log may be listed" in result.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("number", [0, 1])
def test_headers_that_say_anything_are_refused_and_stop_nobody(honest: list[Path], tmp_path: Path, number: int) -> None:
    log = read(honest[number])
    values = ("x", -1, 10**9, None, [], [[]], {}, True, 0.5, "\ud800".encode("utf-8", "replace").decode())
    changed = 0
    for name in log.header.spec:
        for value in values:
            if log.header.spec[name] != value and name not in ("settings", "device", "store", "seed", "agent"):
                header = log.header.model_copy(update={"spec": {**log.header.spec, name: value}})
                write_finished(replace(log, header=header), tmp_path / f"{changed}.jsonl.gz")
                changed += 1
    write_finished(
        replace(log, tasks={task: rows[:1] for task, rows in log.tasks.items()}), tmp_path / "short.jsonl.gz"
    )
    changed += 1
    entries, refusals = check_logs([tmp_path, honest[1 - number]])
    assert tmp_path / "short.jsonl.gz" in {refusal.path for refusal in refusals}
    listed = {entry.log.path for entry in entries}
    assert honest[1 - number] in listed
    assert len(listed) + len(refusals) == changed + 1
    assert len(refusals) > 0.8 * changed
    assert not any("\n" in refusal.text for refusal in refusals)


def test_attempts_that_end_in_another_order_are_the_same_run(tmp_path: Path) -> None:
    spec = PhyQRunSpec("random", "tasks", ("2.1",), 4, limit=1, seed=1)
    log = benchmark("phyq").run(spec, tmp_path)
    run_again(benchmark("phyq"), log)
    with pytest.raises(LogError, match="random does something else when it is run again: task"):
        run_again(benchmark("phyq"), forged.keep_any(log, random.Random(0)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(forged.KINDS))
def test_a_hundred_changed_logs_are_refused(honest: list[Path], tmp_path: Path, kind: str) -> None:
    changed = [forge(honest[seed % 2], tmp_path / f"{seed}.jsonl.gz", kind, seed) for seed in range(100)]
    entries, refusals = check_logs([tmp_path])
    assert entries == []
    assert {refusal.path for refusal in refusals} == set(changed)
