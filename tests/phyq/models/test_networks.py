"""The learners' networks, their stacks and their losses."""

import numpy as np
import pytest
import torch
from learner_tasks import CPU, SMALL, small_config

from tumble.learning.settings import TrainingError
from tumble.phyq.models.learner import untrained_network
from tumble.phyq.models.q_networks import DuelingHead, cropped, make_config
from tumble.phyq.models.q_updates import NetworkStack, Replay, outcome_losses
from tumble.phyq.models.state_pictures import OBSERVATIONS


@pytest.mark.parametrize("name", SMALL)
def test_networks_value_180_angles(name: str) -> None:
    config = small_config(name)
    network = config.network().eval()
    seen = torch.rand(2, OBSERVATIONS[config.observation], 120, 160)
    values = network(seen)
    assert values.shape == (2, 180)
    assert not torch.allclose(values[0], values[1])


def test_sizes_are_the_papers() -> None:
    parameters = {name: sum(p.numel() for p in make_config(name).network().parameters()) for name in SMALL}
    assert 9.9e6 < parameters["dddqn-symbolic"] < 10.1e6  # nearly all in the layer from 120 x 160 to 512
    assert 11.1e6 < parameters["dddqn-image"] < 11.4e6  # ResNet-18 has 11.2 million
    assert not make_config("dddqn-symbolic").platforms
    assert make_config("dddqn-symbolic", "paper").round_count(300) == 60


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(TrainingError, match="no setting 'depth'"):
        make_config("dddqn-image", settings={"depth": 50})
    with pytest.raises(TrainingError, match="no preset 'long'"):
        make_config("dddqn-image", "long")
    with pytest.raises(TrainingError, match="no learner 'ppo'"):
        make_config("ppo")


def test_mean_advantages_of_a_state_are_zero_unless_of_the_batch() -> None:
    torch.manual_seed(0)
    features = torch.rand(5, 6)
    head = DuelingHead(6, 4)
    assert torch.allclose(head(features).mean(1), head.value(features)[:, 0], atol=1e-6)
    head.batch_mean = True
    values = head(features)
    assert not torch.allclose(values.mean(1), head.value(features)[:, 0], atol=1e-6)
    assert torch.allclose(values.mean(), head.value(features).mean(), atol=1e-6)


def test_pictures_are_cut_in_the_middle() -> None:
    x = torch.arange(160.0).expand(1, 1, 120, 160)
    seen = cropped(x, crop=True, transposed=False)
    assert seen.shape == x.shape
    assert abs(float(seen[0, 0, 0, 0]) - 20.0) < 1.0
    assert torch.equal(cropped(x, crop=False, transposed=False), x)
    turned = cropped(x, crop=True, transposed=True)
    assert turned[0, 0, -1, 0] > turned[0, 0, 0, 0] + 60.0  # columns became rows
    assert torch.allclose(turned[0, 0, 0, 0], turned[0, 0, 0, -1])


def test_a_stack_learns_as_its_networks_alone() -> None:
    config = small_config()
    states = [untrained_network(config, 0, label) for label in ("a", "b", "c")]
    seen = torch.rand(3, 2, 12, 120, 160)
    targets = torch.rand(3, 2, 180)

    def updated(chosen: list[int]) -> NetworkStack:
        stack = NetworkStack(config, [states[k] for k in chosen], CPU)
        for _ in range(2):
            stack.update(lambda: (stack.values(seen[chosen], training=True) - targets[chosen]).abs().mean((1, 2)), 1e-3)
        return stack

    together, alone = updated([0, 1, 2]), updated([1])
    assert torch.allclose(together.values(seen)[1], alone.values(seen[1:2])[0], atol=1e-5)
    assert torch.allclose(together.values_of(1, seen[1]), together.values(seen)[1], atol=1e-6)
    assert not torch.allclose(together.values(seen)[0], together.target_values(seen)[0])
    again = NetworkStack(config, together.states(), CPU)
    for stack in (together, again):
        stack.update(lambda stack=stack: stack.values(seen, training=True).mean((1, 2)), 1e-3)
    assert torch.equal(together.values(seen), again.values(seen))


def test_solved_shots_weigh_as_much_as_failed_ones() -> None:
    known = torch.ones(1, 1, 180, dtype=torch.bool)
    targets = torch.zeros(1, 1, 180)
    targets[..., 40] = 1.0
    values = torch.zeros(1, 1, 180)
    missed = outcome_losses(values, targets, known)
    assert torch.allclose(missed, outcome_losses(1.0 - values, targets, known))
    known[..., 40] = False
    assert float(outcome_losses(values, targets, known)) == 0.0


def test_half_of_a_batch_is_solved_in_expectation() -> None:
    replay = Replay(1000, CPU)
    outcomes = np.zeros(500, int)
    outcomes[:7] = 1
    replay.extend(np.arange(500), np.full(500, 3), outcomes, np.full(500, -1))
    rows = replay.draw(4000, torch.Generator().manual_seed(0))
    assert replay.shots is not None
    assert abs(float(replay.shots[rows].rewards.mean()) - 0.5) < 0.03
    assert len(rows.unique()) > 450
    replay.extend(np.arange(800), np.full(800, 3), np.zeros(800, int), np.full(800, -1))
    assert len(replay) == 1000  # the oldest are dropped, with all solved ones
    assert float(replay.shots[replay.draw(100, torch.Generator().manual_seed(0))].rewards.sum()) == 0.0
