"""Tools at ComPhy's questions: frames of any video can be looked at, and there is nothing to simulate."""

import io
from pathlib import Path
from typing import Any

import pytest
from generated_dataset import made
from PIL import Image

from tumble.benchmark import BenchmarkError
from tumble.comphy.generation.generate import generate
from tumble.comphy.llm.puzzle_set import puzzles
from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import AnswerError, Picture
from tumble.llm.tools import ToolSettings

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from tool_models import HOSTILE_ARGUMENTS, evaluated, ignore_warnings, metrics, playing, told


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A set without videos."""
    folder = tmp_path_factory.mktemp("comphy-tools") / "data"
    generate(folder, sets=1, seed=2, video=False, split="test", workers=1)
    return str(folder)


def shown(data: str, split: str = "test", **wanted: Any) -> Picture:
    posed = puzzles({"data": data, "split": split})
    (picture,) = posed.puzzle(posed.ids[0]).look(wanted)
    assert isinstance(picture, Picture)
    return picture


def test_frames_are_shown_whole_or_in_part(data: str) -> None:
    whole = shown(data, video=0, time=2)
    assert whole.caption == "Target video at 2.00 s, in px"
    assert Image.open(io.BytesIO(whole.png)).size == (44 + 448 + 16, 8 + 299 + 22)
    part = shown(data, video=3, time=1.99, left=120, bottom=80, right=240, top=160)
    assert part.caption == "Reference video 3 at 1.96 s, x 120 to 240, y 80 to 160, in px"
    assert len({whole.png, part.png, shown(data, video=0, time=0).png, shown(data, video=1, time=0).png}) == 4
    assert shown(data, video=0, time=2) == whole


def test_a_part_is_the_enlarged_part(data: str) -> None:
    whole = Image.open(io.BytesIO(shown(data, video=0, time=0).png)).crop((44, 8, 44 + 448, 8 + 299))
    part = Image.open(io.BytesIO(shown(data, video=0, time=0, left=240, bottom=160, right=480, top=320).png))
    small = part.crop((44, 8, 44 + 448, 8 + 299)).resize((224, 150)).convert("L")
    same = whole.crop((224, 0, 448, 150)).convert("L")
    pairs = zip(small.get_flattened_data(), same.get_flattened_data(), strict=True)
    assert sum(abs(a - b) for a, b in pairs) / (224 * 150) < 3  # type: ignore[operator]


def test_frames_of_stored_videos() -> None:
    split = next(name for name in ("test", "val", "train") if puzzles({"data": str(made()), "split": name}).ids)
    assert shown(str(made()), split, video=4, time=1).caption == "Reference video 4 at 1.00 s, in px"


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"time": 1}, '"video" is missing'),
        ({"video": 5, "time": 1}, '"video" must be 0 for the target, or 1 to 4 for a reference'),
        ({"video": 0, "time": 9}, r'"time" must be from 0 to 4.96 s'),
        ({"video": 1, "time": 3}, r'"time" must be from 0 to 1.96 s'),
        ({"video": 1, "time": 1, "left": 3}, '"bottom" is missing'),
    ],
)
def test_what_can_not_be_shown_is_said(data: str, wanted: dict[str, Any], problem: str) -> None:
    with pytest.raises(AnswerError, match=problem):
        shown(data, **wanted)


def test_there_is_nothing_to_simulate(data: str) -> None:
    from tumble.inspect_tasks.tasks import benchmark_task

    with pytest.raises(
        BenchmarkError, match="ComPhy: there is no tool simulate for these tasks; there are look and note"
    ):
        benchmark_task("comphy")(data=data, simulate=5)


@ignore_warnings
def test_a_model_looks_and_answers(data: str, tmp_path: Path) -> None:
    from tumble.comphy.benchmark import COMPHY
    from tumble.inspect_tasks.import_log import import_log
    from tumble.runs.log import read

    look = ("look", {"video": 0, "time": 1})
    steps: list[Any] = [look, [look, ("simulate", {})], '{"answer": "red"}', '{"correct": ["A"]}']
    log = evaluated("comphy", playing(steps), tmp_path, data=data, look=True)
    for sample in log.samples:
        assert sample.store["tool_calls"] == {"look": 2, "refused": 1}
        assert "there is no tool 'simulate'; there is only look" in told(sample)[2]
    assert metrics(log)["looks"] == 2
    (path,) = import_log(Path(log.location), tmp_path / "runs")
    run = read(path)
    assert run.header.given_settings["options"] == "look true"
    assert COMPHY.replay(run, lambda _: None) == ""


def test_hostile_calls(data: str) -> None:
    posed = puzzles({"data": data})
    dialogue = Dialogue(posed.puzzle(posed.ids[0]), ToolSettings(look=True))
    assert dialogue.toolbox is not None
    for arguments in HOSTILE_ARGUMENTS:
        dialogue.toolbox.start_turn()
        (text,) = dialogue.toolbox.call("look", arguments)
        assert isinstance(text, str)
        assert text.startswith("Error: ")
    assert dialogue.toolbox.calls == {"look": len(HOSTILE_ARGUMENTS), "refused": 0}
