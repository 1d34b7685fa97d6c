"""The `tumble comphy` commands: what they print and write, and how they refuse."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from generated_dataset import copied, made
from typer.testing import CliRunner, Result

from tumble.cli.app import app
from tumble.comphy.cli.lookup import parse_size
from tumble.comphy.dataset.load import open_dataset
from tumble.runs.log import TaskUpdate, open_log, read

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
COMMANDS = ("generate", "show", "ask", "verify", "score", "stats", "export")


def run(*arguments: object) -> Result:
    return runner.invoke(app, [*map(str, arguments)])


def printed(*arguments: object) -> str:
    """What a command prints on success."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    """The error message of a command."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run logs of three models on the test split."""
    folder = tmp_path_factory.mktemp("runs")
    printed("comphy", "score", made(), "--model", "oracle,random,frequent", "--runs", folder, "--workers", 1)
    return folder


def test_help_loads_neither_warp_nor_mujoco() -> None:
    program = "import sys, tumble.cli.app; print([m for m in ('warp', 'mujoco', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(command: str) -> None:
    assert f"tumble comphy {command}" in printed("comphy", command, "--help")


def test_generate_prints_counts_and_resumes(tmp_path: Path) -> None:
    command = ("comphy", "generate", "--sets", 2, "--seed", 3, "--no-video", "--workers", 1, "-o", tmp_path / "data")
    first = printed(*command)
    assert re.search(r"2 sets, \d+ questions\.", first)
    assert printed(*command) == first
    assert "complete" in printed("comphy", "verify", tmp_path / "data")
    assert "was started with seed 3" in refusal(*command[:4], "--seed", 4, *command[6:])


def test_verify_lists_damaged_files(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = next(folder.rglob("sim_00002.mp4"))
    path.write_bytes(path.read_bytes()[:-1])
    assert f"{path.relative_to(folder)}: damaged" in refusal("comphy", "verify", folder)


def test_show_writes_the_same_page_with_and_without_data(tmp_path: Path) -> None:
    first = printed("comphy", "show", "00001", "--data", made(), "-o", tmp_path / "stored.html")
    assert "Set 00001" in first
    videos = open_dataset(made()).example(1).videos
    again = ("--seed", videos.seed, "--family", videos.family, "--size", "48x32", "-o", tmp_path / "fresh.html")
    printed("comphy", "show", "1", *again)
    videos_of_pages = [
        re.findall(r'<video src="(data:[^"]+)"', (tmp_path / name).read_text())
        for name in ("stored.html", "fresh.html")
    ]
    assert len(videos_of_pages[0]) == 5
    assert videos_of_pages[0] == videos_of_pages[1]


def test_ask_prints_program_steps_and_answer() -> None:
    videos = open_dataset(made()).example(0).videos
    heavy = [body for body in videos.bodies if body.is_heavy and body.shape == "sphere"]
    text = printed("comphy", "ask", "0", "How many heavy spheres are there?", "--data", made())
    assert "Program: objects sphere filter_shape filter_heavy count" in text
    assert f"Answer: {len(heavy)}" in text
    assert "filter_heavy" in text.split("Program:")[1].split("\n", 1)[1]


def test_ask_about_the_future_answers_for_all_pairs() -> None:
    videos = open_dataset(made()).example(0).videos
    text = printed("comphy", "ask", "0", "Which event will happen next?", "--data", made())
    pairs = len(videos.bodies) * (len(videos.bodies) - 1) // 2
    assert len(re.findall(r"collide: (correct|wrong)", text)) == pairs


def test_score_prints_accuracies_and_writes_logs(runs: Path) -> None:
    text = printed("comphy", "score", made(), "--model", "oracle", "--runs", runs, "--workers", 1)
    assert re.search(r"oracle, factual\s+\d+\s+100\.0", text)
    assert re.search(r"oracle, counterfactual\s+\d+\s+100\.0\s+100\.0\s+0\s+0\s+[2-4]: \d", text)
    logs = [read(path) for path in runs.iterdir()]
    assert {log.header.agent for log in logs} == {"oracle", "random", "frequent"}
    assert all(log.finished for log in logs)


def test_runs_are_listed_shown_verified_and_reported(runs: Path, tmp_path: Path) -> None:
    assert re.search(r"oracle\s+test\s+0\s+\d+\s+yes\s+100\.0", printed("runs", "list", runs))
    oracle = next(path for path in runs.iterdir() if "oracle" in path.name)
    assert "factual 100.0 %" in printed("runs", "show", oracle)
    assert printed("runs", "verify", runs).count("replay identical") == 3
    printed("report", runs, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Frequent as published" in page
    assert "Random as published" in printed("report", runs, "--text")


def test_a_truncated_run_is_resumed(tmp_path: Path) -> None:
    command = ("comphy", "score", made(), "--model", "random", "--workers", 1, "--runs")
    printed(*command, tmp_path / "whole")
    (whole,) = (tmp_path / "whole").iterdir()
    log = read(whole)
    cut = tmp_path / "cut" / whole.with_suffix(".jsonl").name
    *whole_sets, (last, rows) = log.tasks.items()
    with open_log(cut, log.header) as begun:
        for task, own_rows in whole_sets:
            begun.add_task(task, own_rows)
        begun.append([TaskUpdate(last, rows[:1], len(whole_sets))])  # killed while the set was written
    printed("runs", "resume", cut.parent, "--workers", 1)
    (again,) = cut.parent.iterdir()
    assert read(again).tasks == log.tasks
    assert list(read(again).tasks) == list(log.tasks)


def test_a_submission_of_a_run_has_the_same_score(runs: Path, tmp_path: Path) -> None:
    log = next(path for path in runs.iterdir() if "random" in path.name)
    printed("comphy", "export", log, "--to", "submission", "-o", tmp_path / "answers.json")
    scored = printed("comphy", "score", made(), "--submission", tmp_path / "answers.json")
    ran = printed("comphy", "score", made(), "--model", "random", "--runs", runs)
    figures = [re.findall(r", (factual|predictive|counterfactual)\s+(.*)", text) for text in (scored, ran)]
    assert figures[0][:3] == figures[1][:3]


def test_missing_answers_of_a_submission_are_listed(tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text("[]")
    result = run("comphy", "score", made(), "--submission", tmp_path / "none.json")
    assert result.exit_code == 0
    assert "not answered" in result.stderr
    assert "count as wrong" in result.stderr
    assert re.search(r"none\.json, factual\s+(\d+)\s+0\.0\s+\1", result.stdout)


def test_errors_of_a_submission_are_counted_and_named(tmp_path: Path) -> None:
    answers = json.loads((made() / "questions" / "test_answers.json").read_text())
    answers[0]["questions"][0]["answer"] = "error"
    answers[0]["questions"][-1]["choices"][0]["answer"] = "error"
    (tmp_path / "some.json").write_text(json.dumps(answers))
    result = run("comphy", "score", made(), "--submission", tmp_path / "some.json")
    assert result.exit_code == 0
    number = answers[0]["scene_index"]
    assert f"set {number:05d}, question 0: answered 'error'" in result.stderr
    assert ", option 0: answered 'error'" in result.stderr
    assert "answers 'error' count as wrong" in result.stderr
    header = next(line for line in result.stdout.splitlines() if "errors" in line)
    assert "unanswered" in header


def test_stats_count_everything() -> None:
    text = printed("comphy", "stats", made())
    data = open_dataset(made())
    total = sum(len(own.questions) for own in data.questions.values())
    splits = re.findall(r"^ (train|validation|test) +(\d+) +\d+ +\d+ +\d+ +(\d+)", text, re.MULTILINE)
    assert sum(int(questions) for _, _, questions in splits) == total
    assert sum(int(sets) for _, sets, _ in splits) == 6
    assert re.search(r"counterfactual\s+\d+\s+[\d.]+\s+50\.5", text)


def test_export_writes_other_formats(tmp_path: Path) -> None:
    printed("comphy", "export", made(), "--to", "clevrer", "-o", tmp_path / "clevrer")
    assert next((tmp_path / "clevrer").rglob("annotation_00000.json"))
    printed("comphy", "export", made(), "--to", "parquet", "-o", tmp_path / "tables")
    assert next((tmp_path / "tables").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("show", "red"), "'red' is not a set; sets have numbers, as in 00042"),
        (("show", "1", "--size", "big"), "a size is a width and a height, as in 240x160, not 'big'"),
        (("show", "1", "--family", "light"), "no family 'light'; there are mass, charge, both"),
        (("show", "1", "-o", "page.txt"), "must end in .html or .htm"),
        (("ask", "1", "Is it raining?"), "Is it raining?"),
        (("verify", "nowhere"), "nowhere: no such folder"),
        (("stats", "nowhere"), "nowhere"),
        (("score", "nowhere", "--model", "random"), "nowhere"),
        (("generate", "--sets", "1", "--size", "31x20", "-o", "data"), "even number"),
        (("generate", "--sets", "1", "--split", "exam", "-o", "data"), "no split 'exam'"),
        (("export", "nowhere", "--to", "word", "-o", "x"), "no format 'word'; there are parquet, clevrer, submission"),
    ],
)
def test_wrong_input_is_refused(
    arguments: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in refusal("comphy", *arguments)
    assert not list(tmp_path.iterdir())


def test_unknown_models_and_sets_are_refused(tmp_path: Path) -> None:
    assert "no agent 'psychic'" in refusal("comphy", "score", made(), "--model", "psychic", "--runs", tmp_path)
    assert "no set 00099" in refusal("comphy", "show", "99", "--data", made())
    bad = run("comphy", "score", made())
    assert bad.exit_code == 2


def test_sizes_are_parsed() -> None:
    assert parse_size("240x160") == (240, 160)
