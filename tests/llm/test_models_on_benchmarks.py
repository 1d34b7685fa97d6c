"""A model gets the same statuses from the evaluate commands and from inspect_ai, on every benchmark; logs and reports.

Answers are scripted: the same text of messages has the same answer, some of which can't be read.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from inspect_ai import eval as inspect_eval
from mock_models import scripted
from typer.testing import CliRunner

from tumble.benchmark import benchmark
from tumble.cli.app import app
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.inspect_tasks.import_log import import_log
from tumble.inspect_tasks.tasks import TASKS, all_small
from tumble.llm.evaluate import Chat, ChatAnswer
from tumble.llm.puzzle import Message
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import Log, read

pytestmark = pytest.mark.filterwarnings("ignore")

ANSWERS = {
    "phyre": [
        '{"x": 128, "y": 220, "radius": 20}',
        '{"x": 40, "y": 200, "radius": 8}',
        '{"x": 999, "y": 1, "radius": 9}',
    ],
    "phyq": ['{"angle": 20, "power": 1, "tap": null}', '{"angle": 65, "power": 0.7, "tap": null}'],
    "comphy": ['{"answer": "yes"}', '{"answer": "red"}', '{"correct": ["A"]}', '{"correct": []}', "I'm sorry, no."],
}
NONSENSE = "I would throw it."
SELECTIONS: dict[str, dict[str, Any]] = {
    "phyre": {"limit": 3, "attempts": 2},
    "phyq": {"only": ["1.4:080", "6.4:080"], "attempts": 3},
    "comphy": {"sets": 1},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "data"
    generate(folder, sets=2, seed=2, video=False, split="test", workers=1)
    return str(folder)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


def answer(text: str) -> str:
    """An answer that fits the benchmark of a prompt; or none, also after it was sent back."""
    name = "phyre" if '"radius"' in text else "phyq" if '"angle"' in text else "comphy"
    before, sent_back, last = text.rpartition("This could not be read")
    question = before if sent_back and "\n" not in last else text
    can_answer = Random(question.replace(NONSENSE, "").strip()).random() < 0.5
    return Random(text).choice(ANSWERS[name]) if can_answer else NONSENSE


def ask(self: Chat, messages: Sequence[Message], schema: Any = None) -> ChatAnswer:
    return ChatAnswer(answer("\n".join(message.text for message in messages)), False, 100, 10)


def selection_of(name: str, data: str) -> dict[str, Any]:
    return {**SELECTIONS[name], **({"data": data} if name == "comphy" else {})}


def inspected(task: Any, folder: Path) -> Path:
    options: dict[str, Any] = {"display": "none", "log_dir": str(folder), "log_realtime": False}
    (log,) = inspect_eval(task, model=scripted(answer), **options)
    assert log.status == "success", log.error
    return Path(log.location)


def spec_of(name: str, data: str) -> Any:
    settings = {"model": "mockllm/model"}
    if name == "phyre":
        return PhyreRunSpec("llm", "ball_within_template", attempts=2, limit=3, settings=settings)
    if name == "phyq":
        return PhyQRunSpec("llm", only=("1.4:080", "6.4:080"), attempts=3, settings=settings)
    return ComPhyRunSpec("llm", data, limit=1, settings=settings)


@pytest.mark.parametrize("name", SELECTIONS)
def test_the_agent_has_the_log_of_the_import(
    name: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = TASKS[name](**selection_of(name, data))
    (path,) = import_log(inspected(task, tmp_path / "logs"), tmp_path / "imported")
    monkeypatch.setattr(Chat, "ask", ask)
    own = benchmark(name).run(spec_of(name, data), tmp_path / "own")
    imported = read(path)
    assert own.finished
    assert own.path.name == path.name  # all that decides a result is the same
    assert own.tasks == imported.tasks
    assert len({row["status"] for row in own.rows()}) > 1  # answers that could be read, and others
    for key in ("usage", "answers"):
        assert own.header.details[key] == imported.header.details[key]
    assert benchmark(name).replay(own, lambda _: None) == ""


def changed(log: Log) -> None:
    """Flips the first status of a log that is not 0."""
    row = next(row for row in log.rows() if row["status"])
    row["status"] = -row["status"]


def test_all_small_is_imported_but_for_what_has_no_run_log(data: str, tmp_path: Path) -> None:
    own = {
        name: {key: value for key, value in SELECTIONS[name].items() if key != "limit"} for name in ("phyre", "phyq")
    }
    task = all_small(limit=2, comphy={"data": data}, **own)
    file = inspected(task, tmp_path / "logs")
    result = CliRunner().invoke(app, ["runs", "import-inspect", str(file), "-o", str(tmp_path / "runs")])
    assert result.exit_code == 0, result.output
    logs = [read(path) for path in sorted((tmp_path / "runs").iterdir())]
    assert [log.header.benchmark for log in logs] == ["phyq", "phyre"]
    assert re.search(r"skipped: ComPhy, epoch 1, 2 samples: .*select a number of sets", " ".join(result.output.split()))
    assert result.output.count("mockllm/model (text)") == 2
    for log in logs:
        assert benchmark(log.header.benchmark).replay(log, lambda _: None) == ""
        changed(log)
        assert benchmark(log.header.benchmark).replay(log, lambda _: None) != ""


def test_reports_have_a_row_for_each_model_and_mode(data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chat, "ask", ask)
    shown = [("openai/one", "text"), ("openai/one", "both"), ("google/two", "text")]
    for model, mode in shown:
        settings = {
            "model": model,
            "mode": mode,
            "options": "frames 4, reference_frames 2, width 48" * (mode == "both"),
        }
        benchmark("comphy").run(ComPhyRunSpec("llm", data, limit=1, settings=settings), tmp_path / "runs")
    result = CliRunner().invoke(app, ["report", str(tmp_path / "runs"), "--csv", str(tmp_path / "csv"), "--gifs", "0"])
    assert result.exit_code == 0, result.output
    table = next(file.read_text() for file in sorted((tmp_path / "csv").iterdir()) if "GPT-4V" in file.read_text())
    for name in ("openai/one (text)", "openai/one (both, frames 4", "google/two (text)", "GPT-4V as", "Gemini as"):
        assert table.count(name) == 1, table
