"""Outcomes of shots: simulated once, equal to the simulator's, and what the states look like."""

import numpy as np
import pytest
import torch
from learner_tasks import CPU, NEAR, PAIR, TASKS, small_config

from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES, releases_to
from tumble.phyq.models.learner import TrainedNetwork
from tumble.phyq.models.shot_outcomes import ANGLES, CONTINUES, FAILED, WON, ShotOutcomes, shot_of
from tumble.phyq.observation.batch import BatchPainter, scene_of
from tumble.phyq.observation.sprites import SpriteTable
from tumble.phyq.observation.symbolic import state_tensor
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator


def outcomes_of(ids: list[str], observation: str = "symbolic", platforms: bool = True) -> ShotOutcomes:
    return ShotOutcomes([TASKS[task_id] for task_id in ids], observation, CPU, platforms, threads=1)


def aimed_at(task_id: str, pig: int) -> int:
    """The index of the angle that flies to a pig."""
    target = TASKS[task_id].level.pigs[pig]
    return round(releases_to((target.x, target.y))[0].angle) + 90


def test_a_pair_of_state_and_angle_is_simulated_once() -> None:
    outcomes = outcomes_of(NEAR)
    states = outcomes.starts([NEAR[1], NEAR[0], NEAR[1]])
    angles = np.array([aimed_at(NEAR[1], 0), 10, aimed_at(NEAR[1], 0)])
    found, _ = outcomes.play(states, angles)
    assert found.tolist() == [WON, FAILED, WON]
    assert (outcomes.simulated, outcomes.looked_up) == (2, 1)
    outcomes.play(states, angles)
    assert (outcomes.simulated, outcomes.looked_up) == (2, 4)


def test_outcomes_are_those_of_whole_sequences() -> None:
    outcomes = outcomes_of(PAIR)
    first = np.array([aimed_at(PAIR[0], 0), 10, aimed_at(PAIR[0], 0), 10])
    second = np.array([aimed_at(PAIR[0], 1), aimed_at(PAIR[0], 0), 10, 20])
    found, states = outcomes.play(np.zeros(4, int), first)
    assert (found == CONTINUES).all()
    last, after = outcomes.play(states, second)
    degrees = np.array(DISCRETE_ANGLES)
    simulator = Simulator([TASKS[PAIR[0]]], threads=1)
    whole = simulator.play([0] * 4, table_of(np.stack([degrees[first], degrees[second]], axis=1)))
    assert (last == WON).tolist() == whole.won.tolist()
    assert whole.won.any()
    assert not whole.won.all()
    assert (after == -1).all()
    assert outcomes.shots[states].tolist() == [[angle, -1] for angle in first.tolist()]


def test_symbolic_states_are_the_tensors_of_views() -> None:
    outcomes = outcomes_of(PAIR, platforms=False)
    _, states = outcomes.play(np.array([0]), np.array([aimed_at(PAIR[0], 0)]))
    episodes = Simulator([TASKS[PAIR[0]]], threads=1).play([0], [[shot_of(aimed_at(PAIR[0], 0))]], ("states",))
    views = [episode_views.start(TASKS[PAIR[0]].level), episode_views.end(episodes, 0)]
    seen = outcomes.pictures.floats(torch.tensor([0, int(states[0])]))
    for k, view in enumerate(views):
        expected = state_tensor(view.objects, platforms=False).transpose(2, 0, 1)
        assert np.array_equal(seen[k].numpy(), expected)
    assert not torch.equal(seen[0], seen[1])


def test_pictures_are_those_of_the_painter() -> None:
    outcomes = outcomes_of(NEAR, "image")
    painter = BatchPainter(SpriteTable())
    level = TASKS[NEAR[2]].level
    drawn = painter.small_pictures(scene_of(painter.table, episode_views.start(level).objects, level.slingshot)).numpy()
    seen = outcomes.pictures.floats(torch.tensor([2]))[0]
    assert torch.allclose(seen, torch.from_numpy(drawn[0]).permute(2, 0, 1) / 127.5 - 1.0)


def test_a_network_sees_objects_as_it_saw_states() -> None:
    class Mean(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.flatten(1)[:, : 180 * 1280].unflatten(1, (180, -1)).mean(-1)

    network = TrainedNetwork(small_config(platforms=False), Mean(), CPU)
    level = TASKS[PAIR[1]].level
    values = network.values_of_objects(episode_views.start(level).objects, level.slingshot)
    expected = network.values(outcomes_of(PAIR, platforms=False).pictures.floats(torch.tensor([1])))[0]
    assert values.shape == (ANGLES,)
    assert np.array_equal(values, expected.numpy())
    assert values.any()


@pytest.mark.parametrize("observation", ["symbolic", "image"])
def test_observations_can_be_moved(observation: str) -> None:
    pictures = outcomes_of(NEAR, observation).pictures
    rows = torch.tensor([[1, 2]])
    still = pictures.floats(rows)
    moved = pictures.floats(rows, torch.tensor([[[0, 0], [2, -3]]]))
    assert torch.equal(moved[0, 0], still[0, 0])
    assert torch.equal(moved[0, 1, :, 2:, :-3], still[0, 1, :, :-2, 3:])
    assert not torch.equal(moved[0, 1], still[0, 1])
