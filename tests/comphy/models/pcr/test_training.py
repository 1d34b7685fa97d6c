"""Tests of PCR's training: every lesson gives finite losses and gradients, and weights are the same for a seed."""

from functools import cache
from pathlib import Path

import pytest
import torch
from generated_dataset import made

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.models.pcr.training import PcrTraining
from tumble.comphy.models.registry import make_training
from tumble.learning.checkpoint import load_network
from tumble.learning.harness import Budget, train

SMALL = {
    "object_width": 32,
    "property_hidden": 16,
    "property_channels": 8,
    "dynamics_hidden": 16,
    "questions": 4,
    "visual_groups": 2,
    "physical_groups": 2,
    "suppositions": 4,
    "predicted_questions": 4,
    "predicted_every": 1,
    "motion_every": 1,
    "crops": 1,
}
CPU = torch.device("cpu")


@cache
def sets() -> PackedSets:
    return read_sets(made(), limit=2)


@cache
def training(name: str) -> PcrTraining:
    found = make_training(name, sets(), CPU, 0, SMALL)
    assert isinstance(found, PcrTraining)
    return found


def losses(name: str, progress: float) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return dict(training(name).losses(0, progress))


def test_lessons_follow_each_other() -> None:
    first, second, third, fourth = (losses("pcr", progress) for progress in (0.0, 0.2, 0.4, 0.9))
    assert list(first) == ["visual answers"]
    assert "imagination" in second
    assert "motion" not in second
    assert "motion" in third
    assert "predicted answers" not in third
    assert "predicted answers" in fourth
    assert all(torch.isfinite(loss) for loss in fourth.values())


def test_without_curriculum_all_questions_come_at_once() -> None:
    assert "predicted answers" in losses("pcr-without-curriculum", 0.0)


def test_without_imagination_counterfactual_questions_teach_no_properties() -> None:
    assert "imagination" not in losses("pcr-without-imagination", 0.9)


def test_every_network_gets_gradients() -> None:
    found = training("pcr")
    found.network.zero_grad()
    total = sum(losses("pcr", 0.9).values())
    assert isinstance(total, torch.Tensor)
    total.backward()  # type: ignore[no-untyped-call]
    for part in (found.network.grounder, found.network.properties, found.network.dynamics):
        gradients = [value.grad for value in part.parameters() if value.grad is not None]
        assert gradients
        assert all(torch.isfinite(value).all() for value in gradients)
        assert any((value != 0).any() for value in gradients)


def test_answers_do_not_train_the_dynamics() -> None:
    found = training("pcr")
    found.network.zero_grad()
    losses("pcr", 0.9)["predicted answers"].backward()  # type: ignore[no-untyped-call]
    assert all(value.grad is None or not (value.grad != 0).any() for value in found.network.dynamics.parameters())


@pytest.mark.slow
def test_training_is_the_same_for_a_seed(tmp_path: Path) -> None:
    weights = []
    for number in (0, 1):
        path = tmp_path / f"{number}.pt"
        train(make_training("pcr", sets(), CPU, 0, SMALL), path, Budget(steps=4), CPU)
        weights.append(load_network(path, "pcr")["network"])
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
