"""Runs whose models saw different prompts are different runs, and a run's specification names its puzzles."""

from dataclasses import replace
from typing import Any

import pytest
from generated_dataset import made

from tumble.benchmark import benchmark
from tumble.errors import TumbleError
from tumble.llm.evaluate import complete_spec
from tumble.llm.puzzle import read_options
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec

SHOWN: dict[str, list[dict[str, Any]]] = {
    "phyre": [{}, {"mode": "picture"}, {"grid": "5x5x5"}, {"grid": "5x5x6"}, {"attempts": 3}],
    "phyq": [
        {},
        {"mode": "picture"},
        {"mode": "picture", "picture_width": 640},
        {"mode": "both", "picture_width": 640},
    ],
    "comphy": [
        {},
        {"every": 2},
        {"mode": "picture"},
        {"mode": "picture", "frames": 8},
        {"mode": "picture", "width": 96},
    ],
}
FEW: dict[str, dict[str, Any]] = {"phyre": {"limit": 3}, "phyq": {"only": ["1.4:080"]}, "comphy": {"sets": 1}}


@pytest.mark.parametrize("name", SHOWN)
def test_other_prompts_are_other_runs(name: str) -> None:
    data = {"data": str(made()), "split": "train"} if name == "comphy" else {}
    names = set()
    for shown in SHOWN[name]:
        puzzles = benchmark(name).puzzles({**FEW[name], **data, **shown})
        spec = puzzles.spec("mockllm/model", {})
        names.add(spec.file_name())
        again = benchmark(name).puzzles(benchmark(name).selection(spec))
        assert list(again.ids) == list(puzzles.ids)
        assert again.spec("mockllm/model", {}) == spec
        assert complete_spec(spec, again) == spec
    assert len(names) == len(SHOWN[name])


def test_frames_of_stored_videos_are_part_of_a_run() -> None:
    puzzles = benchmark("comphy").puzzles({"data": str(made()), "split": "train", "mode": "picture", "sets": 1})
    assert read_options(puzzles.spec("mockllm/model", {}).settings["options"]).keys() == {"videos"}


def test_a_limit_of_each_template_selects_the_same_tasks() -> None:
    spec = PhyQRunSpec("llm", only=("6.4", "6.5"), limit=2, settings={"model": "mockllm/model"})
    puzzles = benchmark("phyq").puzzles(benchmark("phyq").selection(spec))
    assert list(puzzles.ids) == spec.task_ids()
    assert complete_spec(spec, puzzles) == replace(
        spec, settings={"model": "mockllm/model", "mode": "text", "prompts": puzzles.prompt_version}
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (PhyreRunSpec("llm", "ball_within_template", tasks="mine.json"), "not those of a file"),
        (PhyQRunSpec("llm", "levels", ("levels",)), "not levels of files"),
        (PhyQRunSpec("llm", settings={"options": "width"}), "names with a value each"),
    ],
)
def test_what_models_can_not_attempt_is_refused(spec: Any, words: str) -> None:
    with pytest.raises(TumbleError, match=words):
        benchmark(spec.benchmark).selection(spec)
