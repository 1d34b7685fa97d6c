"""Agents with the networks of the baselines."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sample_set import question_set as questions
from sample_set import video_set
from untrained_perceiver import untrained_perceiver

from tumble.comphy import agents
from tumble.comphy.agents import AgentInputError, Task
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import mark_all
from tumble.comphy.models.data.packed_sets import pack_sets
from tumble.comphy.models.registry import entry
from tumble.learning.harness import Budget, train

SETTINGS = {"picture_width": 24, "picture_height": 16, "frames": 5, "reference_frames": 5, "versions": 1, "sets": 1}


QUICK = ("mac-ref",)
OTHERS = ("cnn-lstm", "cnn-lstm-ref", "hcrn", "mac", "aloe", "aloe-ref")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_a_checkpoint_answers_from_videos(name: str, tmp_path: Path) -> None:
    one, device = entry(name), torch.device("cpu")
    width = {"width": 12} if name != "aloe" else {"width": 12, "layers": 1}
    more = {"clips": 3, "clip_frames": 3, "largest_in_clip": 3, "largest_in_video": 3} if name == "hcrn" else {}
    perceiver = untrained_perceiver(tmp_path / "perceiver.pt")
    config = one.load().config_class(**{**SETTINGS, **one.settings, **width, **more, "perceiver": str(perceiver)})
    training = one.load()(config, pack_sets([(video_set(), questions())]), device, 0)
    train(training, tmp_path / "a.pt", Budget(steps=1), device)
    videos = tuple(np.full((frames, 32, 48, 3), 90, np.uint8) for frames in (125, 50, 50, 50, 50))
    task = Task(without_answers(questions()), videos=lambda: videos)
    answers = agents.make(name, checkpoint=str(tmp_path / "a.pt")).answer(task)
    assert not any(mark.unanswered for mark in mark_all([questions()], {questions().index: answers}))
    assert task.use.most == "videos"


def test_without_a_checkpoint_the_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentInputError, match="tumble comphy train mac-ref"):
        agents.make("mac-ref").answer(Task(questions()))
