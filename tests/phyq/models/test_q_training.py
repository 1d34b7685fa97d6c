"""Trainings of learners: they learn, resume to the same weights, and refuse what does not fit."""

from pathlib import Path

import numpy as np
import pytest
import torch
from learner_tasks import CPU, NEAR, SMALL, TASKS, small_config, small_training

from tumble.learning import harness
from tumble.learning.checkpoint import export_weights
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import Split
from tumble.phyq.catalogue.template import TemplateError
from tumble.phyq.models.learner import Part, load_trained, parts_of, play_greedily
from tumble.phyq.models.q_training import QTraining
from tumble.phyq.models.q_updates import Shots, shot_losses


def weights(folder: Path) -> dict[str, torch.Tensor]:
    files = sorted(folder.glob("*.pt"))
    loaded = [load_trained(path, path.stem.partition("-local")[0], CPU) for path in files]
    return {f"{k} {name}": value for k, one in enumerate(loaded) for name, value in one.network.state_dict().items()}


@pytest.mark.parametrize(("preset", "stacked"), [("paper", True), ("sweep", False)])
def test_a_stopped_training_resumes_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, stacked: bool
) -> None:
    monkeypatch.setattr(harness, "CHECKPOINT_SECONDS", 0.0)
    config = small_config(preset=preset)
    small_training(tmp_path / "whole", config, stacked=stacked).run()
    stopped = small_training(tmp_path / "parts", config, stacked=stacked)
    stopped.run(stop=lambda: True)
    first = weights(tmp_path / "parts")
    assert [learner.progress.step for learner in stopped.learners] == [1, 1, 1]
    resumed = small_training(tmp_path / "parts", config, stacked=stacked)
    resumed.run()
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert not all(torch.equal(first[name], parts[name]) for name in whole)
    assert [len(learner.progress.curve["loss"]) for learner in resumed.learners] == [3, 3, 3]


def test_a_network_does_not_depend_on_the_others(tmp_path: Path) -> None:
    config = small_config()
    small_training(tmp_path / "together", config, stacked=True).run()
    part = Part("local", "1.1", Split(NEAR, []))
    QTraining("dddqn-symbolic", config, [part], tmp_path / "alone", CPU, threads=1, task_of=TASKS.__getitem__).run()
    name = "dddqn-symbolic-local-1.1.pt"
    together, alone = (
        load_trained(tmp_path / folder / name, "dddqn-symbolic", CPU) for folder in ("together", "alone")
    )
    for key, value in together.network.state_dict().items():
        assert torch.allclose(value, alone.network.state_dict()[key], atol=1e-5), key


@pytest.mark.parametrize("name", [name for name in SMALL if name != "dddqn-symbolic"])
def test_every_learner_trains(tmp_path: Path, name: str) -> None:
    training = small_training(tmp_path, small_config(name, rounds=1, steps=1), name)
    training.run()
    states = [learner.progress for learner in training.learners]
    assert all(progress.finished and np.isfinite(progress.curve["loss"][0][1]) for progress in states)
    assert training.speed.shots >= training.speed.simulated > 0


def test_training_wins_what_random_shots_lose(tmp_path: Path) -> None:
    sizes = {"first_units": 32, "second_units": 32, "head_units": 32}
    config = small_config(preset="sweep", sweep=True, rounds=2, steps=60, learning_rate=2e-3, **sizes)
    part = Part("local", "1.1", Split([NEAR[0], NEAR[3]], []))
    training = QTraining("dddqn-symbolic", config, [part], tmp_path, CPU, threads=1, task_of=TASKS.__getitem__)
    training.run()
    outcomes = training.outcomes
    assert outcomes.simulated == 2 * 180
    assert 0.0 < (outcomes.outcomes == 1).mean() < 0.4  # what random angles win
    network = load_trained(training.learners[0].path, "dddqn-symbolic", CPU)
    assert play_greedily([network], [outcomes.starts(part.split.train)], outcomes)[0].all()


def test_other_settings_do_not_resume(tmp_path: Path) -> None:
    small_training(tmp_path, small_config(rounds=1)).run()
    with pytest.raises(TrainingError, match=r"made with gamma 0\.99, and this is 0\.5"):
        small_training(tmp_path, small_config(rounds=1, gamma=0.5))
    with pytest.raises(TrainingError, match="made with seed 0, and this is 3"):
        small_training(tmp_path, small_config(rounds=1), seed=3)
    with pytest.raises(TrainingError, match="not both"):
        small_training(tmp_path, small_config(), rounds=2, minutes=1.0)


def test_weights_are_exported(tmp_path: Path) -> None:
    training = small_training(tmp_path, small_config(rounds=1))
    training.run()
    export_weights(training.learners[0].path, tmp_path / "half.pt")
    assert load_trained(tmp_path / "half.pt", "dddqn-symbolic", CPU).network.training is False


def test_double_dqn_values_the_shot_that_the_network_chooses() -> None:
    class Stack:
        def values(self, x: torch.Tensor, training: bool = False) -> torch.Tensor:
            return torch.zeros(1, 1, 180, requires_grad=training) + 0.5 * torch.eye(180)[7]

        def target_values(self, x: torch.Tensor) -> torch.Tensor:
            return 0.2 * torch.eye(180)[7].view(1, 1, -1) + 0.9 * torch.eye(180)[8]

    class Pictures:
        def floats(self, rows: torch.Tensor) -> torch.Tensor:
            return rows

    shots = Shots(torch.tensor([[0]]), torch.tensor([[3]]), torch.tensor([[0.0]]), torch.tensor([[1]]))
    double, plain, last = (
        float(shot_losses(Stack(), Pictures(), shots, 0.5, chooses, later).detach())  # type: ignore[arg-type]
        for chooses, later in ((True, True), (False, True), (True, False))
    )
    assert double == pytest.approx(0.5 * 0.1**2)
    assert plain == pytest.approx(0.5 * 0.45**2)
    assert last == 0.0


def test_parts_are_named_by_scenarios_and_templates() -> None:
    assert [part.label for part in parts_of("broad", ["3", "14"])] == ["broad-03", "broad-14"]
    assert len(parts_of("broad")) == 15
    assert len(parts_of("local")) == 75
    assert len(parts_of("local", ["6"])) == 6
    with pytest.raises(TrainingError, match="not of templates"):
        parts_of("broad", ["6.4"])
    with pytest.raises(TemplateError, match="not a scenario"):
        parts_of("local", ["99"])
