"""CPL: its training learns and resumes, and its predictions become scenes that programs run on."""

from pathlib import Path

import numpy as np
import pytest
import torch
from generated_dataset import made

from tumble.comphy.catalogue.body import HEAVY, Body
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.models.graph.cpl import CplConfig, CplTraining, changed_bodies, load_cpl, predict_set
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.learning.harness import Budget, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")
SMALL = CplConfig(
    property_hidden=16, property_channels=8, dynamics_hidden=16, batch=3, windows=12, steps=3, last_steps=4
)


@pytest.fixture(scope="module")
def packed() -> PackedSets:
    return read_sets(made())


def test_losses_fall(packed: PackedSets) -> None:
    training = CplTraining(SMALL, packed, CPU, seed=0)
    optimiser = torch.optim.Adam(training.network.parameters(), lr=3e-3)
    totals = []
    for step in range(25):
        torch.manual_seed(step % 2)
        total = torch.stack(list(training.losses(step, 0.0).values())).sum()
        optimiser.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        totals.append(float(total.detach()))
    assert np.mean(totals[-4:]) < 0.8 * np.mean(totals[:4])


def test_a_trained_checkpoint_predicts_a_scene(packed: PackedSets, tmp_path: Path) -> None:
    path = tmp_path / "cpl.pt"
    train(CplTraining(SMALL, packed, CPU, 0), path, Budget(steps=2), CPU)
    network = load_cpl("cpl", path)
    with pytest.raises(TrainingError, match="cpl-dpi"):
        load_cpl("cpl-dpi", path)
    observation = observe_stored(open_dataset(made()), int(packed.index[0]))
    made_of = predict_set(network, perception_of(observation))
    heavy, charged = sum(body.is_heavy for body in made_of.bodies), sum(body.is_charged for body in made_of.bodies)
    assert (heavy, charged) in ((1, 0), (0, 2))
    count = len(made_of.bodies)
    assert set(made_of.scene.altered_events) == {Alteration(k, c) for k in range(count) for c in CHANGES}
    assert made_of.scene.motion.frames == 175
    assert all(event.frame >= 125 for event in made_of.scene.future_events)
    assert made_of.motions[None].shape == (175, count, 2)


def test_what_does_not_change_stays_as_it_was_shown(packed: PackedSets) -> None:
    network = SMALL.network().eval()
    data = open_dataset(made())
    index = int(packed.index[0])
    bodies = data.example(index).videos.bodies
    made_of = predict_set(network, perception_of(observe_stored(data, index)), bodies)
    assert made_of.bodies == bodies
    light = next(k for k, body in enumerate(bodies) if not body.is_heavy)
    assert made_of.scene.altered_events[Alteration(light, "lighter")] == made_of.scene.shown_events


def test_a_changed_mass_acts_on_touch_and_a_changed_charge_from_the_start() -> None:
    bodies = (
        Body("red", "metal", "cube", charge=1),
        Body("blue", "metal", "cube", charge=-1),
        Body("gray", "metal", "cube"),
    )
    worlds = [Alteration(2, "heavier").apply(bodies), Alteration(0, "opposite").apply(bodies)]
    assert worlds[0][2].mass == HEAVY
    found = changed_bodies(bodies, worlds)
    assert found[0].tolist() == [[False, False], [False, False], [True, False]]
    assert found[1].tolist() == [[False, True], [False, True], [False, False]]
