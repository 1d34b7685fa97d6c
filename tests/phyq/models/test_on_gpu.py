"""Trainings on a GPU: the same outcomes and observations as on the CPU, and networks of every kind are updated."""

from pathlib import Path

import numpy as np
import pytest
import torch
from learner_tasks import CPU, NEAR, PAIR, SMALL, TASKS, small_config

from tumble.learning import harness
from tumble.phyq.catalogue.tasks import Split
from tumble.phyq.models.learner import Part
from tumble.phyq.models.q_training import QTraining
from tumble.phyq.models.shot_outcomes import ShotOutcomes

pytestmark = pytest.mark.gpu
GPU = torch.device("cuda")


@pytest.mark.parametrize("observation", ["symbolic", "image"])
def test_outcomes_and_observations_are_those_of_the_cpu(observation: str) -> None:
    on_gpu, on_cpu = (ShotOutcomes([TASKS[task_id] for task_id in PAIR], observation, device) for device in (GPU, CPU))
    found = []
    for outcomes in (on_gpu, on_cpu):
        first, after = outcomes.play(np.repeat([0, 1, 2], 60), np.tile(np.arange(60, 180, 2), 3))
        last, _ = outcomes.play(after[after >= 0], np.full((after >= 0).sum(), 120))
        found.append((first.tolist(), last.tolist()))
    assert found[0] == found[1]
    assert len(on_gpu) == len(on_cpu) > 3
    rows = torch.arange(len(on_cpu))
    difference = (on_gpu.pictures.floats(rows.cuda()).cpu() - on_cpu.pictures.floats(rows)).abs()
    assert float(difference.max()) <= (0.0 if observation == "symbolic" else 2.0 / 127.5)


@pytest.mark.parametrize("preset", ["paper", "sweep"])
@pytest.mark.parametrize("name", SMALL)
def test_every_learner_trains_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, preset: str
) -> None:
    monkeypatch.setattr(harness, "CHECKPOINT_SECONDS", 0.0)
    parts = [
        Part("local", "1.1", Split(NEAR, [])),
        Part("local", "1.2", Split(NEAR[::-1], [])),
        Part("local", "2.1", Split(PAIR, [])),
    ]

    def training() -> QTraining:
        config = small_config(name, preset, sweep=preset == "sweep", shift=1)
        return QTraining(name, config, parts, tmp_path, GPU, task_of=TASKS.__getitem__)

    training().run(stop=lambda: True)
    resumed = training()
    assert [learner.progress.step for learner in resumed.learners] == [1, 1, 1]
    resumed.run()
    for learner in resumed.learners:
        assert learner.progress.finished
        assert all(np.isfinite(loss) for _, loss in learner.progress.curve["loss"])
