"""The `tumble comphy` commands: what they print and write, and how they refuse."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from generated_dataset import copied, made

from command_line import printed, run
from tumble.comphy.cli import demo
from tumble.comphy.cli.browse import parse_size
from tumble.comphy.dataset.folder import read_sums, write_sums
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation.generate import generate
from tumble.runs.log import TaskUpdate, open_log, read

COMMANDS = ("generate", "extend", "show", "inspect", "ask", "verify", "evaluate", "score", "stats", "export")


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
    printed("comphy", "evaluate", made(), "--agent", "oracle,random,frequent", "--runs", folder, "--workers", 1)
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


def test_extend_adds_sets_and_says_how_many_there_are(tmp_path: Path) -> None:
    common = ("--no-video", "--workers", 1, "--seed", 3, "-o", tmp_path / "data")
    printed("comphy", "generate", "--sets", 1, *common)
    command = ("comphy", "extend", tmp_path / "data", "--workers", 1, "--sets")
    assert re.search(r"2 sets, \d+ questions\.", printed(*command, 2))
    assert "has 2 sets already; extend it to more, not to 1" in refusal(*command, 1)
    assert "dataset.json: there is no such file" in refusal("comphy", "extend", tmp_path / "none", "--sets", 2)


def test_verify_lists_damaged_files(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = next(folder.rglob("sim_00002.mp4"))
    path.write_bytes(path.read_bytes()[:-1])
    assert f"{path.relative_to(folder)}: damaged" in refusal("comphy", "verify", folder)


def test_show_writes_the_same_page_with_and_without_data(tmp_path: Path) -> None:
    first = printed("comphy", "show", "00001", "--data", made(), "-o", tmp_path / "stored.html")
    assert "Set 00001" in first
    videos = open_dataset(made()).example(1).videos
    again = ("--seed", videos.seed, "--size", "48x32", "-o", tmp_path / "fresh.html")
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


def test_ask_with_the_learned_parser_gives_the_same_program_and_notes_unknown_words() -> None:
    pytest.importorskip("torch")
    question = "How many heavy spheres are there?"
    learned = printed("comphy", "ask", "0", question, "--data", made(), "--parser", "learned")
    assert learned == printed("comphy", "ask", "0", question, "--data", made())
    text = printed(
        "comphy", "ask", "0", "Please, how many heavy spheres are there?", "--data", made(), "--parser", "learned"
    )
    assert text.startswith("Words that the parser does not know: please")


def test_ask_about_the_future_answers_for_all_pairs() -> None:
    videos = open_dataset(made()).example(0).videos
    text = printed("comphy", "ask", "0", "Which event will happen next?", "--data", made())
    pairs = len(videos.bodies) * (len(videos.bodies) - 1) // 2
    assert len(re.findall(r"collide: (correct|wrong)", text)) == pairs


def test_score_prints_accuracies_and_writes_logs(runs: Path) -> None:
    text = printed("comphy", "evaluate", made(), "--agent", "oracle", "--runs", runs, "--workers", 1)
    assert re.search(r"oracle\s+100\.0\s+(?:100\.0 / 100\.0\s+)+(?:0\s+)*truth", text)
    assert re.search(r"shown\s+\d+\.\d .* tracks", text)
    assert re.search(r"counterfactual: \d+ questions? \(options: [2-4]: \d", text)
    logs = [read(path) for path in runs.iterdir()]
    assert {log.header.agent for log in logs} == {"oracle", "random", "frequent", "shown"}
    assert all(log.finished for log in logs)
    may_use = {log.header.agent: log.header.given.tasks[-1] for log in logs}
    assert may_use == {"oracle": "truth", "random": "tracks", "frequent": "tracks", "shown": "tracks"}


def test_three_sets_as_of_the_demo_can_be_scored(tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate(data, demo.SETS, demo.SEED, video=False, workers=1)
    text = printed("comphy", "evaluate", data, "--agent", "frequent", "--runs", tmp_path / "runs", "--workers", 1)
    assert re.search(r"frequent\s+\d+\.\d .* questions", text)


def test_runs_are_listed_shown_verified_and_reported(runs: Path, tmp_path: Path) -> None:
    assert re.search(r"oracle\s+test\s+0\s+\d+\s+yes\s+truth\s+100\.0", printed("runs", "list", runs))
    oracle = next(path for path in runs.iterdir() if "oracle" in path.name)
    assert "given truth; factual 100.0 %" in printed("runs", "show", oracle)
    assert printed("runs", "verify", runs, "--data", made()).count("replay identical") == 4
    printed("report", runs, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Frequent as published" in page
    assert re.search(r"^ Random\s+as\s", printed("report", runs, "--text"), re.MULTILINE)


def test_a_truncated_run_is_resumed(tmp_path: Path) -> None:
    command = ("comphy", "evaluate", made(), "--agent", "random", "--workers", 1, "--runs")
    printed(*command, tmp_path / "whole")
    (whole,) = (tmp_path / "whole").glob("*random*")
    log = read(whole)
    cut = tmp_path / "cut" / whole.with_suffix(".jsonl").name
    *whole_sets, (last, rows) = log.tasks.items()
    with open_log(cut, log.header) as begun:
        for task, own_rows in whole_sets:
            begun.add_task(task, own_rows)
        begun.append([TaskUpdate(last, rows[:1], len(whole_sets))])  # killed while the set was written
    printed("runs", "resume", cut.parent, "--workers", 1, "--data", made())
    (again,) = cut.parent.iterdir()
    assert read(again).tasks == log.tasks
    assert list(read(again).tasks) == list(log.tasks)


def test_a_submission_of_a_run_has_the_same_score(runs: Path, tmp_path: Path) -> None:
    log = next(path for path in runs.iterdir() if "random" in path.name)
    printed("comphy", "export", log, "--to", "submission", "-o", tmp_path / "answers.json", "--data", made())
    scored = printed("comphy", "score", made(), tmp_path / "answers.json")
    ran = printed("comphy", "evaluate", made(), "--agent", "random", "--runs", runs)
    accuracies = r"\s+(\d+\.\d)\s+(\d+\.\d / \d+\.\d)"
    figures = [re.findall(r"\n (?:answers.json|random)" + accuracies, text) for text in (scored, ran)]
    assert len(figures[0]) == 1
    assert figures[0] == figures[1]
    shown = [re.findall(r"\n shown" + accuracies, text) for text in (scored, ran)]
    assert len(shown[0]) == 1
    assert shown[0] == shown[1]


@pytest.mark.slow
def test_a_damaged_annotation_is_named_and_its_set_left_out(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    data = open_dataset(folder)
    index = data.indices("train")[1]
    path = data.layout.annotation(index, 2)
    path.write_bytes(path.read_bytes()[:-1])
    answers = ("--to", "submission", "-o", tmp_path / "answers.json", "--data", folder)
    printed("comphy", "export", _random_log(folder, tmp_path), *answers)
    evaluated = ("evaluate", folder, "--agent", "random", "--runs", tmp_path / "runs", "--workers", 1)
    for command in (evaluated, ("score", folder, tmp_path / "answers.json")):
        result = run("comphy", *command, "--split", "train")
        assert result.exit_code == 0, result.output
        assert f"skipped: set {index:05d}: {path}: damaged" in result.stderr
        assert result.stdout.count("1 set with damaged or missing annotations left out") >= 2


def _random_log(folder: Path, tmp_path: Path) -> Path:
    printed("comphy", "evaluate", folder, "--agent", "random", "--split", "train", "--runs", tmp_path / "first")
    return next((tmp_path / "first").glob("*random*"))


@pytest.mark.slow
def test_a_set_without_annotations_is_left_out_by_models_that_need_them(tmp_path: Path) -> None:
    """As in the published files, which have no checksums."""
    folder = copied(tmp_path)
    data = open_dataset(folder)
    index = data.indices("train")[1]
    data.layout.annotation(index).write_text("{}")
    for path in (data.layout.settings, data.layout.sums):
        path.unlink()
    result = run("comphy", "evaluate", folder, "--agent", "random", "--split", "train", "--runs", tmp_path / "runs")
    assert result.exit_code == 0, result.output
    assert f"set {index:05d} is left out: unreadable files: {data.layout.annotation(index)}" in result.stderr
    assert "shown: 1 set with damaged or missing annotations left out." in result.stdout
    assert "random: 1 set" not in result.stdout


MODEL = """
from tumble.comphy import Agent

class Peeks(Agent):
    def answer(self, task):
        task.truth()
        return {}

class Declares(Peeks):
    uses_truth = True

class Looks(Agent):
    learns = True
    def train(self, tasks):
        tasks[0].observe()
    def answer(self, task):
        assert len(task.videos()) == 5
        return {}

class ComesTrained(Looks):
    learns = False
    trained_with = "truth"
"""


def test_a_model_gets_the_truth_only_if_it_declares_that_it_uses_it(tmp_path: Path) -> None:
    (tmp_path / "my_model.py").write_text(MODEL)
    command = ("comphy", "evaluate", made(), "--runs", tmp_path / "runs", "--workers", 1, "--agent")
    refused = run(*command, f"{tmp_path / 'my_model.py'}:Peeks")
    assert refused.exit_code == 1
    assert "must declare `uses_truth = True`" in refused.stderr
    assert re.search(r"Declares\s+\d+\.\d .* truth\s", printed(*command, f"{tmp_path / 'my_model.py'}:Declares"))
    text = printed(*command, f"{tmp_path / 'my_model.py'}:Looks")
    assert "given videos, trained with tracks;" in text
    text = printed(*command, f"{tmp_path / 'my_model.py'}:ComesTrained")
    assert "given videos, trained with truth;" in text


@pytest.mark.parametrize("model", ["simulation", "frequent"])
def test_inspect_writes_a_page_of_a_models_answers(tmp_path: Path, model: str) -> None:
    command = ("comphy", "inspect", made(), "00001", "--agent", model, "-o", tmp_path / "page.html")
    assert re.search(r"Set 00001: \d+ of \d+ questions right\. Written to", printed(*command))
    text = (tmp_path / "page.html").read_text()
    assert f"answered by {model}" in text
    assert text.count("<video") == 5
    assert ("mass inferred" in text) == (model == "simulation")


def test_inspect_is_about_one_model_and_a_set_that_exists(tmp_path: Path) -> None:
    command = ("comphy", "inspect", made(), "00001", "-o", tmp_path / "page.html", "--agent")
    assert "a page is about one model" in refusal(*command, "shown,simulation")
    assert "there is no set 00077" in refusal(*command[:3], "00077", *command[4:], "shown")
    assert not (tmp_path / "page.html").exists()


def test_missing_answers_of_a_submission_are_listed(tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text("[]")
    result = run("comphy", "score", made(), tmp_path / "none.json")
    assert result.exit_code == 0
    assert "not answered" in result.stderr
    assert "count as wrong" in result.stderr
    assert re.search(r"none\.json\s+0\.0\s+0\.0 / 0\.0\s.* -\s", result.stdout)


def test_errors_of_a_submission_are_counted_and_named(tmp_path: Path) -> None:
    answers = json.loads((made() / "questions" / "test_answers.json").read_text())
    answers[0]["questions"][0]["answer"] = "error"
    answers[0]["questions"][-1]["choices"][0]["answer"] = "error"
    (tmp_path / "some.json").write_text(json.dumps(answers))
    result = run("comphy", "score", made(), tmp_path / "some.json")
    assert result.exit_code == 0
    number = answers[0]["scene_index"]
    assert f"set {number:05d}, question 0: answered 'error'" in result.stderr
    assert ", option 0: answered 'error'" in result.stderr
    assert "answers 'error' count as wrong" in result.stderr
    assert any("errors" in line for line in result.stdout.splitlines())


def test_stats_count_everything() -> None:
    text = printed("comphy", "stats", made())
    data = open_dataset(made())
    total = sum(len(own.questions) for own in data.questions.values())
    splits = re.findall(r"^ (train|validation|test) +(\d+) +\d+ +\d+ +\d+ +(\d+)", text, re.MULTILINE)
    assert sum(int(questions) for _, _, questions in splits) == total
    assert sum(int(sets) for _, sets, _ in splits) == 6
    assert re.search(r"counterfactual\s+\d+\s+[\d.]+\s+50\.5", text)


def test_stats_say_that_a_dataset_is_unfinished(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    sums = {name: own for name, own in read_sums(layout.sums).items() if "00005" not in name}
    write_sums(layout.parts / "sets.sha256", sums)
    layout.sums.unlink()
    assert f"{folder} is unfinished: 5 of 6 sets generated." in printed("comphy", "stats", folder)
    assert "unfinished" not in printed("comphy", "stats", made())


def test_export_writes_other_formats(tmp_path: Path) -> None:
    printed("comphy", "export", made(), "--to", "clevrer", "-o", tmp_path / "clevrer")
    assert next((tmp_path / "clevrer").rglob("annotation_00000.json"))
    printed("comphy", "export", made(), "--to", "parquet", "-o", tmp_path / "tables")
    assert next((tmp_path / "tables").rglob("*.parquet"))
    assert "holds another export" in refusal("comphy", "export", made(), "--to", "cpl", "-o", tmp_path / "tables")


@pytest.mark.parametrize("file_format", ["parquet", "huggingface"])
def test_parquet_says_what_to_install(file_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tumble.comphy.dataset.export.parquet", raising=False)
    monkeypatch.delitem(sys.modules, "tumble.comphy.dataset.export.tables", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = refusal("comphy", "export", made(), "--to", file_format, "-o", tmp_path / "tables")
    assert f'the format {file_format} needs pyarrow: pip install "tumble[export]"' in message


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("show", "red"), "'red' is not a set; sets have numbers, as in 00042"),
        (("show", "1", "--size", "big"), "a size is a width and a height, as in 240x160, not 'big'"),
        (("show", "1", "--family", "light"), "no family 'light'; there are mass, charge, both"),
        (("show", "1", "-o", "page.txt"), "must end in .html or .htm"),
        (("ask", "1", "Is it raining?"), "Is it raining?"),
        (("ask", "1", "Is it raining?"), "--parser learned reads other wordings too"),
        (("ask", "1", "Is it raining?", "--parser", "human"), "no parser 'human'; there are template, learned"),
        (("verify", "nowhere"), "nowhere: no such folder"),
        (("stats", "nowhere"), "nowhere"),
        (("evaluate", "nowhere", "--agent", "random"), "nowhere"),
        (("generate", "--sets", "1", "--size", "31x20", "-o", "data"), "even number"),
        (("generate", "--sets", "1000000000000", "-o", "data"), "sets must be a whole number from 1 to 1000000"),
        (("generate", "--sets", "1", "--device", "tpu", "-o", "data"), "there is no device 'tpu'"),
        (("generate", "--sets", "1", "--split", "exam", "-o", "data"), "no split 'exam'"),
        (
            ("export", "nowhere", "--to", "word", "-o", "x"),
            "no format 'word'; there are pcr, cpl, clevrer, parquet, huggingface, submission",
        ),
    ],
)
def test_wrong_input_is_refused(
    arguments: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in refusal("comphy", *arguments)
    assert not list(tmp_path.iterdir())


def test_unknown_models_and_sets_are_refused(tmp_path: Path) -> None:
    assert "no agent 'psychic'" in refusal("comphy", "evaluate", made(), "--agent", "psychic", "--runs", tmp_path)
    assert "no set 00099" in refusal("comphy", "show", "99", "--data", made())
    bad = run("comphy", "score", made())
    assert bad.exit_code == 2


def test_sizes_are_parsed() -> None:
    assert parse_size("240x160") == (240, 160)
