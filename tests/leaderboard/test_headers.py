"""What a row of a leaderboard claims: headers are rebuilt, seeds are one row, copies displace nothing, and odd logs
stop nobody."""

import json
import shutil
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import forged_logs as forged
import pytest
from forged_headers import forged_headers, verdict
from odd_logs import odd_logs
from typer.testing import CliRunner

from tumble.benchmark import benchmark
from tumble.cli.app import app
from tumble.leaderboard.build import DATA_FILE, LOGS_FOLDER, PAGE_FILE, UNPROVED, build_site, rows_of, runs_of
from tumble.leaderboard.check import NOT_RUN_AGAIN, RUN_AGAIN, check_header, check_logs, is_run_again
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import Log, LogError, read, write_finished
from tumble.runs.participant import Given

RAND = PhyreRunSpec("rand", "ball_within_template", limit=2, attempts=3)
OPTIMAL = replace(RAND, agent="optimal", settings={"ranked": 50})


def run(spec: PhyreRunSpec, folder: Path) -> Log:
    return benchmark("phyre").run(spec, folder)


def change(log: Log, path: Path, **fields: Any) -> Path:
    """The log with other fields in its header, with right digests."""
    write_finished(replace(log, header=log.header.model_copy(update=fields)), path)
    return path


def test_an_oracle_that_denies_it_is_refused_and_the_honest_log_is_listed(tmp_path: Path) -> None:
    log = run(OPTIMAL, tmp_path / "z")
    change(log, tmp_path / "a.jsonl.gz", given=Given())
    entries, refusals = check_logs([tmp_path])
    assert [entry.log.path for entry in entries] == [log.path]
    assert entries[0].result.is_oracle
    assert 'given.tasks []; rebuilt from its specification: ["solutions"]' in refusals[0].reason


def test_all_forged_headers_are_refused_or_marked(tmp_path: Path) -> None:
    paths = [run(RAND, tmp_path).path, forged.user_log(tmp_path / "user")]
    verdicts, proved = forged.header_verdicts(paths, 12, tmp_path / "forged")
    assert proved == []
    assert verdicts["refused"] > 6
    kinds = {one.kind.partition(" = ")[0] for one in forged_headers([read(path) for path in paths])}
    fields = read(paths[0]).header.model_dump()
    assert all(any(f"rand {name}" in kind for kind in kinds) for name in fields if name != "schema_version")


def test_a_leaderboard_that_does_not_compare_headers_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = run(OPTIMAL, tmp_path)
    path = change(log, tmp_path / "a.jsonl.gz", given=Given())
    (honest,), _ = check_logs([log.path])
    assert verdict(honest, check_logs([path])[0]) == "refused"
    monkeypatch.setattr("tumble.leaderboard.check.check_header", lambda *_: None)
    assert verdict(honest, check_logs([path])[0]) == "proved"


@pytest.mark.slow
def test_of_200_forged_headers_none_is_listed_as_proved(tmp_path: Path) -> None:
    verdicts, proved = forged.header_verdicts(forged.header_logs(tmp_path / "own"), 200, tmp_path / "forged")
    assert proved == []
    assert verdicts["refused"] > 100


def test_a_row_that_is_not_run_again_says_so_in_page_data_and_terminal(tmp_path: Path) -> None:
    path, proved = forged.user_log(tmp_path / "user"), run(RAND, tmp_path).path
    arguments = [str(path), str(proved), "-o", str(tmp_path / "site")]
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["leaderboard", "build", *arguments])
    assert f"1 of them: {NOT_RUN_AGAIN}" in result.stdout
    page = (tmp_path / "site" / PAGE_FILE).read_text(encoding="utf-8").replace("&#x27;", "'")
    assert f"Mine (mine.py) ({UNPROVED})" in page
    assert page.count(f">{NOT_RUN_AGAIN}</td>") == 1
    data = json.loads((tmp_path / "site" / DATA_FILE).read_text())
    by_agent = {row["agent"]: row for row in data["runs"]}
    assert {"agent", "given", "is_oracle"} <= set(by_agent["Mine (mine.py)"]["authors_word"])
    assert by_agent["Mine (mine.py)"]["proof"] == NOT_RUN_AGAIN
    assert by_agent["rand"]["proof"] == RUN_AGAIN
    assert by_agent["rand"]["authors_word"] == ["tumble_version"]


def test_without_running_again_every_row_is_marked(tmp_path: Path) -> None:
    entries, _ = check_logs([run(RAND, tmp_path).path], rerun=False)
    assert runs_of(entries)[0]["proof"] == NOT_RUN_AGAIN


def test_what_a_class_tells_is_compared_also_where_the_agent_is_not_run_again(tmp_path: Path) -> None:
    log = run(OPTIMAL, tmp_path)
    entries, refusals = check_logs([change(log, tmp_path / "a.jsonl.gz", given=Given())], rerun=False)
    assert entries == []
    assert "given.tasks" in refusals[0].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", benchmark("phyre").agents.built_in)
def test_honest_headers_of_agents_that_are_not_run_again_are_as_rebuilt(name: str) -> None:
    settings = {"checkpoint": "no/such.pt"} if name in ("dqn", "explorer") else {}
    header = replace(RAND, agent=name, settings=settings).header()
    read_again = type(header).model_validate_json(header.model_dump_json())
    check_header(benchmark("phyre"), Log(Path(), read_again), run_again=False)
    more = read_again.model_copy(update={"details": {**header.details, "more": 1}})
    with pytest.raises(LogError, match=r"details\.more"):
        check_header(benchmark("phyre"), Log(Path(), more), run_again=False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tumble_version", "best ever"),
        ("created", datetime.now(timezone.utc) + timedelta(days=400)),
        ("agent_settings", {"ranked": 0, "action_set": 0, "seed": 0, "more": 1}),
        ("physics", "tumble-2d-999"),
        ("digests", {"agent_sha256": None, "tasks_sha256": None, "limited_tasks_sha256": None}),
    ],
)
def test_a_header_that_differs_is_refused_by_the_name_of_the_field(tmp_path: Path, field: str, value: Any) -> None:
    path = change(run(RAND, tmp_path), tmp_path / "a.jsonl.gz", **{field: value})
    entries, refusals = check_logs([path])
    assert entries == []
    assert field.removesuffix("s") in refusals[0].reason


def test_no_agent_is_run_again_for_hours_because_a_log_says_so(tmp_path: Path) -> None:
    log = run(RAND, tmp_path)
    spec = {**log.header.spec, "settings": {"ranked": 10**9, "action_set": 10**9}}
    assert is_run_again(benchmark("phyre"), log)
    changed = replace(log, header=log.header.model_copy(update={"spec": spec}))
    assert not is_run_again(benchmark("phyre"), changed)


def test_seeds_of_an_agent_are_one_row_with_their_range(tmp_path: Path) -> None:
    specs = [replace(RAND, seed=seed, limit=6, attempts=20) for seed in range(3)]
    entries, _ = check_logs([run(spec, tmp_path).path for spec in specs])
    (row,) = rows_of(entries)
    scores = [entry.result.score or 0.0 for entry in entries]
    assert row["mean"] == pytest.approx(sum(scores) / 3)
    assert (row["lowest"], row["highest"], row["runs"]) == (min(scores), max(scores), 3)
    assert row["seeds"] == [0, 1, 2]
    assert len(runs_of(entries)) == 3


def test_a_seed_without_effect_makes_no_further_run(tmp_path: Path) -> None:
    logs = [run(replace(OPTIMAL, seed=seed), tmp_path) for seed in (0, 1)]
    built = build_site([log.path for log in logs], tmp_path / "site")
    assert [entry.seed for entry in built.entries] == [None]
    assert "the same run as" in built.refusals[0].reason


def test_a_log_whose_agent_was_run_again_is_never_the_copy(tmp_path: Path) -> None:
    log = run(RAND, tmp_path / "z")
    user = forged.user_log(tmp_path / "y")
    first = tmp_path / "a.jsonl.gz"
    shutil.copy(user, first)
    change(log, tmp_path / "b.jsonl.gz", tumble_version="0.0.9", machine="another")
    built = build_site([first, log.path, tmp_path], tmp_path / "site")
    assert {entry.log.path for entry in built.entries} == {first, log.path}
    assert {refusal.path.name for refusal in built.refusals} == {"b.jsonl.gz", user.name}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    """An honest log, and odd ones by their kind."""
    folder = tmp_path_factory.mktemp("odd")
    honest = forged.user_log(folder / "user")
    (folder / "odd").mkdir()
    return honest, odd_logs(read(honest), folder / "odd")


def test_odd_logs_are_refused_by_name(odd: tuple[Path, dict[str, Path]]) -> None:
    honest, paths = odd
    kinds = [kind for kind in paths if kind.startswith(("attempt", "created", "file", "given", "no ", "seed", "tasks"))]
    entries, refusals = check_logs([honest, *(paths[kind] for kind in kinds)])
    assert honest in {entry.log.path for entry in entries}
    assert len(entries) + len(refusals) == len(kinds) + 1
    assert len(refusals) > 0.7 * len(kinds)
    assert all(str(refusal.path) in refusal.text for refusal in refusals)


def test_names_that_are_formulas_or_control_terminals_stop_neither_leaderboard_nor_report(
    odd: tuple[Path, dict[str, Path]], tmp_path: Path
) -> None:
    honest, paths = odd
    kinds = ["agent: mathematics", "agent: page", "agent: terminal", "class: half a pair", "setting: half a formula"]
    stopped, refused = forged.stopped_by([paths[kind] for kind in kinds], honest, tmp_path)
    assert stopped == []
    assert refused == 2
    page = (tmp_path / "site" / PAGE_FILE).read_text(encoding="utf-8")
    assert r"$\frac{1}$" in page
    assert "<script>alert" not in page


@pytest.mark.slow
def test_no_odd_log_stops_a_leaderboard_or_a_report(odd: tuple[Path, dict[str, Path]], tmp_path: Path) -> None:
    honest, paths = odd
    assert len(paths) > 100
    stopped, refused = forged.stopped_by([*paths.values()], honest, tmp_path)
    assert stopped == []
    assert refused > 100


def test_copied_logs_have_no_folders_and_say_so_where_something_was_left_out(tmp_path: Path) -> None:
    own, plain = read(forged.user_log(tmp_path / "home" / "bob")), run(RAND, tmp_path).path
    settings = {**own.header.agent_settings, "folder": str(tmp_path / "home" / "bob" / "nets")}
    user = change(own, tmp_path / own.path.name, agent_settings=settings)  # as an agent's own default may be
    site = tmp_path / "site"
    built = build_site([user, plain], site, copy_logs=True)
    copies = {file.name.partition("-ball")[0]: file for file in (site / LOGS_FOLDER).iterdir()}
    assert copies["phyre-rand"].read_bytes() == plain.read_bytes()
    copy = read(copies["phyre-mine"])
    assert copy.header.spec["agent"] == "mine.py:Mine"
    assert list(copy.rows()) == list(read(user).rows())
    page = (site / PAGE_FILE).read_text(encoding="utf-8")
    assert page.count("copied without folders, secrets and codes") == 1
    texts = [page, (site / DATA_FILE).read_text(), *(str(read(path).header) for path in copies.values())]
    assert not any("bob" in text for text in texts)
    again, refusals = check_logs([site / LOGS_FOLDER])
    assert refusals == []
    assert len(again) == len(built.entries) == 2
