"""`tumble phyre evaluate`, `tumble runs` and `tumble report`: logs, tables and pages."""

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from run_headers import header_for, header_of
from typer.testing import CliRunner, Result

from tumble import phyre
from tumble.cli.app import app
from tumble.cli.options import agents_with_settings
from tumble.jobs import executors
from tumble.phyre.agents import REGISTRY
from tumble.phyre.evaluation import evaluate as evaluation
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import FORMAT, Log, encode_lines, open_log, read

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
WITHIN, ACROSS = "ball_within_template", "ball_cross_template"

OWN_AGENT = """
import time
import numpy as np
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.agents.agent import Agent

class Slow(Agent):
    learns_online = True

    def __init__(self, pause=0.0):
        self.pause, self.finished = pause, 0

    def propose(self, task, past):
        time.sleep(self.pause)
        return sample_valid(task.scene, TIERS[task.tier], 3, np.random.default_rng([self.finished, len(past)]))

    def learn(self, task, past):
        self.finished += 1

class Wrong(Agent):
    def propose(self, task, past):
        return 1 / 0

class Quits(Agent):
    def propose(self, task, past):
        raise SystemExit(0)

class Stubborn(Agent):
    def propose(self, task, past):
        return [[0.0, 0.0, 1.0]]
"""


def run(*arguments: object) -> Result:
    return runner.invoke(app, [*map(str, arguments)])


def printed(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.stdout


def refusal(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Warp ")]
    return lines[0].removeprefix("tumble: ")


def evaluate(folder: Path, *arguments: object, agent: str = "mem", setting: str = WITHIN) -> tuple[object, ...]:
    """A command with few tasks; one worker, as processes take seconds to start."""
    options = ("--agent", agent, "--setting", setting, "--runs", folder, "--workers", 1, *arguments)
    return ("phyre", "evaluate", *options, *(() if "--limit" in arguments else ("--limit", 3)))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of MEM and OPTIMAL on both settings."""
    folder = tmp_path_factory.mktemp("evaluated") / "runs"
    printed(*evaluate(folder, "--fold", "0,2", agent="mem,optimal", setting=f"{WITHIN},{ACROSS}"))
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "my_agent.py"
    path.write_text(OWN_AGENT)
    return path


# evaluate


def test_evaluate_prints_scores_and_the_path_of_the_log(tmp_path: Path) -> None:
    text = printed(*evaluate(tmp_path, "--limit", 25))
    (path,) = tmp_path.iterdir()
    assert str(path) in text
    log = read(path)
    at = [next((row["attempt"] for row in rows if row["status"] == 1), None) for rows in log.tasks.values()]
    assert f"AUCCESS {100 * phyre.auccess(at):.1f};" in text
    assert f"solved {100 * phyre.success_at(at, 10):.1f} % within 10 and" in text
    assert f"{100 * phyre.success_at(at, 100):.1f} % within 100 attempts" in text
    test = phyre.fold(WITHIN, 0).test
    assert list(log.tasks) == [task_id for task_id in test if task_id == next(i for i in test if i[:5] == task_id[:5])]
    expected = {"agent": "mem", "setting": WITHIN, "fold": 0, "attempts": 100, "seed": 0, "limit": 25}
    assert {name: log.header.spec[name] for name in expected} == expected
    assert (log.header.physics, log.header.tumble_version, log.header.task_count) == ("tumble-2d-1", "0.1.0", 25)
    assert log.header.agent_settings == {"ranked": 1000, "action_set": 0}
    assert log.header.details == {"ranked": 1000}
    assert log.header.given.text == "template; trained with simulated actions (1,000 a task)"
    assert log.header.machine.endswith(f"Python {platform.python_version()}")


def test_balanced_folds_are_evaluated_and_reported(tmp_path: Path) -> None:
    text = printed(*evaluate(tmp_path / "runs", "--balanced", "--fold", "0,1", setting=ACROSS))
    assert f"mem, {ACROSS}_balanced, fold 0, seed 0: AUCCESS" in text
    for path in (tmp_path / "runs").iterdir():
        assert path.name.startswith(f"phyre-mem-{ACROSS}_balanced-")
        log = read(path)
        assert set(log.tasks) < set(phyre.fold(ACROSS, log.header.spec["fold"], balanced=True).test)
    assert f"{ACROSS}_balanced" in printed("runs", "list", tmp_path / "runs")
    printed(*evaluate(tmp_path / "runs", setting=ACROSS))
    page = tmp_path / "report.html"
    printed("report", tmp_path / "runs", "-o", page)
    assert "PHYRE-B, across templates, balanced folds" in page.read_text(encoding="utf-8")
    assert "B across, balanced" in page.read_text(encoding="utf-8")


def test_all_combinations_run_and_folds_have_a_mean(runs: Path) -> None:
    logs = [read(path) for path in sorted(runs.iterdir())]
    made = {tuple(log.header.spec[name] for name in ("agent", "setting", "fold")) for log in logs}
    assert made == {
        (agent, setting, fold) for agent in ("mem", "optimal") for setting in (WITHIN, ACROSS) for fold in (0, 2)
    }
    text = printed(*evaluate(runs, "--fold", "0,2", agent="mem", setting=ACROSS))
    scores = [float(score) for score in re.findall(r"AUCCESS (\S+);", text)]
    cells = re.split(r"\s{2,}", next(line for line in text.splitlines() if line.startswith(" MEM ")).strip())
    assert cells[:3] == ["MEM", ACROSS, "2"]
    assert abs(float(cells[3].split()[0]) - sum(scores) / 2) < 0.1


def test_finished_runs_are_not_repeated(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.stat().st_mtime_ns for path in runs.iterdir()}
    monkeypatch.setattr(evaluation, "attempt_in_rounds", None)
    printed(*evaluate(runs, "--fold", "0,2", agent="mem,optimal", setting=f"{WITHIN},{ACROSS}"))
    assert {path: path.stat().st_mtime_ns for path in runs.iterdir()} == before


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), ("0.5", 0.5), ("true", True), ("false", False), ("last", "last")]
)
def test_settings_are_parsed_as_literals(text: str, value: object) -> None:
    ((_, settings),) = agents_with_settings(REGISTRY, "mem", [f"ranked={text}"])
    assert settings["ranked"] == value
    assert type(settings["ranked"]) is type(value)


def test_a_repeated_setting_runs_with_each_value(tmp_path: Path) -> None:
    more = ("--set", "ranked=20", "--set", "ranked=40", "--set", "weight=2", "--seed", "0-1")
    printed(*evaluate(tmp_path, *more, "--limit", 1, agent="mem,mem-o"))
    headers = [read(path).header for path in tmp_path.iterdir()]
    made = [(header.agent, header.spec["seed"], header.given_settings) for header in headers]
    sizes = ({"ranked": 20}, {"ranked": 40})
    expected = [("mem", seed, size) for seed in (0, 1) for size in sizes]
    expected += [("mem-o", seed, {**size, "weight": 2}) for seed in (0, 1) for size in sizes]
    assert sorted(made, key=str) == sorted(expected, key=str)


@pytest.mark.slow
def test_runs_are_made_in_parallel(tmp_path: Path) -> None:
    text = printed(*evaluate(tmp_path, "--limit", 2, "--workers", 2, setting=f"{WITHIN},{ACROSS}"))
    assert text.count("AUCCESS") == 2
    assert all(read(path).finished for path in tmp_path.iterdir())


def test_a_failing_run_is_reported_and_affects_no_other(tmp_path: Path, own: Path) -> None:
    result = run(*evaluate(tmp_path / "runs", agent=f"{own}:Wrong,optimal"))
    assert result.exit_code == 1
    assert f"Wrong, {WITHIN}, fold 0, seed 0: Wrong failed proposing for task 00000:0" in result.stderr
    assert "my_agent.py, line 23: ZeroDivisionError: division by zero" in result.stderr
    assert "failed: 1 run of 2" in result.stderr
    assert "optimal" in result.stdout


def test_an_agent_that_exits_is_reported(tmp_path: Path, own: Path) -> None:
    result = run(*evaluate(tmp_path / "runs", agent=f"{own}:Quits"))
    assert result.exit_code == 1
    assert "Quits failed proposing for task 00000:0" in result.stderr
    assert "my_agent.py, line 27: SystemExit: 0" in result.stderr


def test_tasks_given_up_are_counted_and_reported(tmp_path: Path, own: Path) -> None:
    result = run(*evaluate(tmp_path / "runs", agent=f"{own}:Stubborn"))
    assert result.exit_code == 0
    assert "3 of 3 tasks given up (3 with only invalid proposals)" in result.stdout
    warning = f"warning: Stubborn, {WITHIN}, fold 0, seed 0: 3 of 3 tasks given up: the agent proposed the same actions"
    assert warning in result.stderr
    assert "3, 3 given up" in printed("runs", "list", tmp_path / "runs")
    report = " ".join(printed("report", tmp_path / "runs", "--text").split())
    assert "Stubborn: 3 of 3 tasks given up (3 with only invalid proposals)" in report


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--fold", "0-12"), "no fold 0-12; there are 0 to 9"),
        (("--fold", "first"), "fold must be a number, or several as in 0,3,7 or 0-9, not 'first'"),
        (("--set", "ranked"), "--set takes NAME=VALUE, as in ranked=1000, not 'ranked'"),
        (("--set", "weight=3"), "no setting 'weight': mem has ranked, action_set"),
        (("--split", "train"), "no split 'train'; there are test, validation"),
        (("--device", "tpu"), "there is no device 'tpu'"),
        (("--tasks", "nowhere.json"), "nowhere.json: no such file"),
        (("--executor", "slurm"), "no executor 'slurm'; there are local, ray"),
    ],
)
def test_evaluate_refuses_wrong_options_before_anything_runs(
    tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    assert why in refusal(*evaluate(tmp_path / "runs", *arguments))
    assert not (tmp_path / "runs").exists()


def test_a_missing_store_is_refused(tmp_path: Path) -> None:
    assert "no sweep store here" in refusal(*evaluate(tmp_path / "runs", "--store", tmp_path))


def test_a_stopped_evaluation_prints_how_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(executors, "run_job", interrupted)
    result = run(*evaluate(tmp_path))
    assert result.exit_code == 130
    assert "Repeat the command to resume" in result.stderr


# Unfinished logs


def content(log: Log) -> tuple[object, ...]:
    header = log.header.model_dump(exclude={"spec": {"settings", "store"}, "agent_settings": True, "created": True})
    return header, log.tasks, list(log.tasks)


@pytest.mark.slow
def test_a_killed_run_is_resumed_to_the_same_content(tmp_path: Path, own: Path) -> None:
    agent = f"{own}:Slow"
    arguments = ("--limit", 6, "--attempts", 12, "--store", "none")
    printed(*evaluate(tmp_path / "whole", *arguments, agent=agent))
    (whole,) = (tmp_path / "whole").iterdir()
    folder = tmp_path / "killed"
    command = [str(part) for part in evaluate(folder, *arguments, "--set", "pause=0.2", agent=agent)]
    process = subprocess.Popen([sys.executable, "-m", "tumble", *command], stdout=subprocess.DEVNULL)
    for _ in range(1200):
        if folder.is_dir() and any(
            len(read(path).tasks) >= 2 for path in folder.glob("*.jsonl") if b"\n" in path.read_bytes()
        ):
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    (killed,) = folder.iterdir()
    kept = list(read(killed).tasks)
    assert 2 <= len(kept) < 6
    assert kept == list(read(whole).tasks)[: len(kept)]
    assert f"{len(kept)} of 6" in printed("runs", "list", folder)
    with killed.open("ab") as stream:
        stream.write(b'{"task":"00000:0')  # truncated
    assert "AUCCESS" in printed("runs", "resume", killed, "--agent", agent)
    (finished,) = folder.iterdir()
    assert content(read(finished)) == content(read(whole))
    assert "Nothing to resume: 1 run, all finished." in printed("runs", "resume", folder)


def cut(path: Path, tasks: int, edit: Callable[[str], str] = lambda line: line) -> Path:
    """A copy of a finished log that ends after a number of tasks, with edited lines whose digests are right."""
    whole = read(path)
    copy = path.parent.parent / "cut" / path.with_suffix(".jsonl").name
    copy.unlink(missing_ok=True)
    with open_log(copy, whole.header) as log:
        for task_id, rows in list(whole.tasks.items())[:tasks]:
            log.add_task(task_id, [{**row} for row in rows])
    rows = [json.loads(edit(line)) for line in copy.read_text().splitlines()]
    copy.write_bytes(encode_lines([{name: row[name] for name in row if name != "sha256"} for row in rows], "")[0])
    return copy


def test_a_changed_agent_is_not_resumed(tmp_path: Path, own: Path) -> None:
    printed(*evaluate(tmp_path / "runs", "--attempts", 2, agent=f"{own}:Slow"))
    path = cut(next((tmp_path / "runs").iterdir()), 1)
    result = run("runs", "resume", path)
    assert result.exit_code == 1
    assert "is a program, which only runs when it is named: --agent FOLDER/my_agent.py:Slow" in result.stderr
    own.write_text(OWN_AGENT + "\n# changed\n")
    result = run("runs", "resume", path, "--agent", f"{own}:Slow")
    assert result.exit_code == 1
    assert "my_agent.py:Slow: changed since the run was started; start a new run" in result.stderr


def test_a_log_of_other_physics_is_not_resumed(runs: Path) -> None:
    path = cut(next(runs.glob("*mem*")), 1, lambda line: line.replace("tumble-2d-1", "tumble-2d-0"))
    assert "was made with physics tumble-2d-0; the current physics is tumble-2d-1" in run("runs", "resume", path).stderr
    assert "was made with physics tumble-2d-0" in refusal("runs", "verify", path)


# list, show, verify


def test_list_has_a_line_for_each_run(runs: Path) -> None:
    unfinished = cut(next(runs.glob(f"*mem-{WITHIN}-0*")), 1)
    text = printed("runs", "list", runs, unfinished)
    lines = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if ".jsonl" in line]
    assert len(lines) == 9
    assert next(line for line in lines if line[-1].endswith(".jsonl"))[:6] == ["mem", WITHIN, "0", "0", "1 of 3", "no"]
    for line in lines[:-1]:
        assert Path(line[-1]).exists()
        assert line[4:6] == ["3", "yes"]


def test_show_has_header_scores_templates_and_attempts(runs: Path) -> None:
    path = next(runs.glob(f"*mem-{ACROSS}-0*"))
    text = printed("runs", "show", path)
    for part in (
        "spec: agent mem",
        f"setting {ACROSS}",
        "physics: tumble-2d-1",
        "agent_settings: ranked 1000",
        "finished: 3 tasks",
    ):
        assert part in text
    template = next(iter(read(path).tasks)).partition(":")[0]
    assert re.search(rf"{template} \w+ +1 +\d+ / \d+", text)
    first = next(iter(read(path).rows()))
    assert re.search(rf"{first['task']} +1 ", text)


def test_verify_replays_and_stops_at_the_first_difference(runs: Path) -> None:
    path = next(runs.glob(f"*mem-{WITHIN}-0*"))
    assert "3 tasks" in printed("runs", "verify", path)
    first = next(iter(read(path).rows()))
    copy = cut(path, 3, lambda line: re.sub(r'"steps":\w+', '"steps":7', line))
    why = refusal("runs", "verify", copy)
    assert f"task {first['task']}, attempt 1: the log says steps 7; replayed: steps" in why


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"attempt":1,', '"attempt":2,', "has attempts that are not numbered 1, 2, …"),
        ('"attempts":100', '"attempts":1', "attempts, more than 1"),
        ("00000:", "00024:", "is not one of this run's tasks"),
    ],
)
def test_verify_finds_inconsistent_attempts(runs: Path, old: str, new: str, why: str) -> None:
    copy = cut(next(runs.glob(f"*mem-{WITHIN}-0*")), 3, lambda line: line.replace(old, new))
    assert why in refusal("runs", "verify", copy)


def first_line(benchmark: str) -> str:
    return encode_lines([{"format": FORMAT, "header": header_of(benchmark).model_dump(mode="json")}], "")[0].decode()


@pytest.mark.parametrize("command", ["list", "show", "resume", "verify"])
def test_other_files_are_refused(command: str, tmp_path: Path) -> None:
    assert "No such file" in refusal("runs", command, tmp_path / "none.jsonl") or command != "show"
    notes = tmp_path / "notes.jsonl"
    notes.write_text("mine\n")
    assert "not a run log" in refusal("runs", command, notes)
    notes.write_text(first_line("chess"))
    assert "no benchmark 'chess'; installed are phyre, phyq, comphy" in refusal("runs", command, notes)
    notes.write_bytes(encode_lines([{"format": FORMAT, "header": {"benchmark": "phyre"}}], "")[0])
    assert "its header is damaged: spec: Field required" in refusal("runs", command, notes)


def test_other_files_of_a_folder_are_reported_and_skipped(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "chess.jsonl").write_text(first_line("chess"))
    (tmp_path / "less.jsonl").write_text(first_line("phyre"))
    (tmp_path / "notes.jsonl").write_text("mine\n")
    result = run("runs", "list", tmp_path, runs)
    assert result.exit_code == 0
    assert result.stdout.count(".jsonl.gz") == 8
    for why in (
        "chess.jsonl: no benchmark",
        "less.jsonl: the fields of its header differ",
        "notes.jsonl: not a run log",
    ):
        assert why in result.stderr


@pytest.mark.parametrize("command", [("runs", "list"), ("runs", "resume"), ("report", "--text")])
def test_damaged_logs_are_named(runs: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    path = next(runs.glob(f"*mem-{WITHIN}-0*"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / "damaged.jsonl.gz").write_bytes(raw)
    (tmp_path / "whole.jsonl.gz").write_bytes(path.read_bytes())
    result = run(*command, tmp_path)
    assert result.exit_code == 0
    assert "damaged.jsonl.gz: it is not compressed with gzip, or damaged" in result.stderr
    assert "damaged.jsonl.gz" not in result.stdout
    assert "or damaged" in refusal("runs", "verify", tmp_path / "damaged.jsonl.gz")


# report


def test_report_writes_a_page_and_prints_tables(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    text = printed("report", runs, "-o", out, "--text", "--gifs", 1)
    assert "PHYRE-B, across templates" in text
    assert f"Written to {out}." in text
    page = out.read_text()
    assert "<svg" in page
    assert page.count("data:image/svg+xml,") in (1, 2)
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_report_writes_tables_and_figures(runs: Path, tmp_path: Path) -> None:
    targets = {"--csv": tmp_path / "csv", "--latex": tmp_path / "latex", "--figures": tmp_path / "figures"}
    text = printed("report", runs, *(word for pair in targets.items() for word in pair), "--gifs", 0)
    assert all(str(target) in text for target in targets.values())
    assert len(list(targets["--csv"].glob("*.csv"))) > 5
    assert (targets["--latex"] / "report.tex").exists()
    assert list(targets["--latex"].glob("figure-*.pdf"))
    names = {path.name for path in targets["--figures"].iterdir()}
    assert {f"figure-01-tasks-solved-by-number-of-attempts.{suffix}" for suffix in ("pdf", "svg")} <= names


def test_copied_logs_count_once_and_stubs_have_no_section(runs: Path, tmp_path: Path) -> None:
    original = next(runs.glob("phyre-mem-*-0-*.jsonl.gz"))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(original, tmp_path / name / f"{name}.jsonl.gz")
    header = header_for(PhyreRunSpec("rand", ACROSS), digests={"tasks_sha256": None}, physics="tumble-2d-1")
    with open_log(tmp_path / "a" / "stub.jsonl", header):
        pass
    result = run("report", tmp_path, "--text")
    assert result.exit_code == 0
    first, second = (tmp_path / name / f"{name}.jsonl.gz" for name in ("a", "b"))
    message = f"{first} and {second} are logs of the same run, which counts once"
    assert message in result.stderr
    text = " ".join(result.stdout.split())
    assert "Made from 1 run." in text
    assert "Not started or failed, without a finished task:" in text
    assert "RAND" not in text
    assert "0 of 1" not in text


def test_report_refuses_wrong_input(runs: Path, tmp_path: Path) -> None:
    result = run("report", runs)
    assert result.exit_code == 2
    assert "-o report.html" in " ".join(result.stderr.split())
    assert "must end in .html" in refusal("report", runs, "-o", tmp_path / "report.pdf")
    (tmp_path / "file").write_text("")
    assert "is a file; name a folder" in refusal("report", runs, "--csv", tmp_path / "file")
    assert refusal("report", tmp_path / "none", "--text") == f"{tmp_path / 'none'}: no such file or folder"
    assert refusal("report", tmp_path, "--text") == f"no run logs in {tmp_path}"


@pytest.mark.parametrize("command", [("phyre", "evaluate"), ("runs", "list"), ("runs", "resume"), ("report",)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    assert f"tumble {' '.join(command)}" in printed(*command, "--help").partition("Example")[2]
