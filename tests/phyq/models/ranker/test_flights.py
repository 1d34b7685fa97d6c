"""Computed flights against the simulator's."""

import numpy as np
import pytest
import torch

from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.models.ranker.flights import kind_tables, legs_of, outlines_of
from tumble.phyq.models.ranker.scenes import scene_of_objects
from tumble.phyq.observation.view import start
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator


def flown(task_id: str, shots: np.ndarray, legs: int) -> list:
    level = cached_task(task_id).level
    scene = scene_of_objects(start(level).objects, level.birds, level.rest_point)
    tables = kind_tables(torch.device("cpu"))
    rows = torch.zeros(len(shots), dtype=torch.long)
    kinds = torch.from_numpy(scene.kinds).long()
    outlines = outlines_of(kinds, torch.from_numpy(scene.poses), torch.from_numpy(scene.sizes), tables)
    birds, rests = torch.from_numpy(scene.birds).long(), torch.from_numpy(scene.rests)
    return legs_of(torch.from_numpy(shots), birds[rows], rests[rows], outlines[rows], tables, legs)


@pytest.mark.parametrize("task_id", ["3.2:004", "10.1:001"])
def test_first_contacts_are_those_of_the_simulator(task_id: str) -> None:
    angles = np.linspace(-10.0, 75.0, 40)
    shots = np.stack([angles, np.where(angles > 50.0, 0.9, 1.0), np.full(40, np.nan)], axis=-1).astype(np.float32)
    (leg,) = flown(task_id, shots, 1)
    episodes = Simulator([task_id]).play(np.zeros(40, int), table_of(shots[:, 0], shots[:, 1]))
    seconds = (episodes.landed - episodes.released)[:, 0] * STEP
    close = np.abs(leg.seconds.numpy() - seconds) < 0.03
    assert close.mean() > 0.9


def test_a_leg_ends_at_the_object_that_it_touches_first() -> None:
    shots = np.array([[angle, 1.0, np.nan] for angle in np.linspace(0.0, 70.0, 30)], np.float32)
    first, second = flown("3.2:004", shots, 2)
    assert first.first.any()
    assert (first.first.sum(dim=1) <= 1).all()
    assert (first.distances[first.first] == 0.0).all()
    assert (first.touches | ~first.first).all()
    torch.testing.assert_close(first.normals.norm(dim=1), torch.ones(30))
    assert (second.seconds >= 0.0).all()
    assert second.seconds.mean() > 0.3


def test_a_bird_bounces_off_the_ground() -> None:
    shots = np.array([[-40.0, 1.0, np.nan]], np.float32)
    first, second = flown("3.2:004", shots, 2)
    assert not first.first.any()
    assert second.points[0, 0] > first.points[0, 0] + 1.0
    assert 0.0 < float(second.seconds[0]) < 2.0


def test_a_tap_changes_the_flight_of_a_yellow_bird() -> None:
    shots = np.array([[30.0, 1.0, np.nan], [30.0, 1.0, 0.4]], np.float32)
    (leg,) = flown("15.1:000", shots, 1)
    assert leg.velocities[1].norm() > leg.velocities[0].norm() + 4.0
