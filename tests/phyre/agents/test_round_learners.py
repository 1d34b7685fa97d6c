"""The contextual bandit, REINFORCE and PPO: they learn in rounds, and training that was paused ends the same."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_dqn import LEFT, RIGHT

from tumble import engine, phyre
from tumble.learning.checkpoint import read_checkpoint
from tumble.learning.settings import TrainingError
from tumble.phyre.agents import AgentError, make
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.policy import Mixture, PolicyGradient, advantages, log_volume
from tumble.phyre.models.network import flipped_actions
from tumble.phyre.models.round_learner import RoundLearner
from tumble.phyre.simulation.actions import action_set, valid
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED

NAMES = ("bandit", "reinforce", "ppo")
TINY: dict[str, Any] = {
    "rounds": 3,
    "actions_per_task": 4,
    "learning_rate": 3e-3,
    "mirrored": False,
    "side": 64,
    "width": 0.125,
    "device": "cpu",
}
OWN: dict[str, dict[str, Any]] = {
    "bandit": {"ranked": 100, "updates_per_round": 2, "tasks_per_batch": 4},
    "reinforce": {"components": 3},
    "ppo": {"components": 3, "epochs": 2},
}


class SideSimulator:
    """A fake simulator: LEFT is solved by balls on the left, RIGHT by balls on the right."""

    tier = phyre.TIERS["B"]
    options = engine.Options()

    def outcomes(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        on_left = np.asarray(actions)[:, 0] < 0.5
        solved = on_left == np.array([task_id == LEFT for task_id in task_ids])
        return np.where(solved, SOLVED, NOT_SOLVED).astype(np.int8), np.zeros(len(on_left), np.int32)


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> list[phyre.Task]:
    """Two tasks; in the vector environment, too, whether an action solves them depends on the side of its ball."""

    def outcomes(_: object, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        return SideSimulator().outcomes(task_ids, actions)

    monkeypatch.setattr(phyre.Simulator, "outcomes", outcomes)
    return [phyre.task(LEFT), phyre.task(RIGHT)]


def trained(name: str, tasks: list[phyre.Task], **settings: Any) -> Any:
    agent = make(name, **{**TINY, **OWN[name], **settings})
    agent.train(tasks, SideSimulator())  # type: ignore[arg-type]
    return agent


def solved(agent: Any) -> list[tuple[int, float]]:
    """The curve of an agent's training: (round, share of actions that solved)."""
    curve: list[tuple[int, float]] = agent.training.progress.curve["solved"]
    return curve


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return all(torch.equal(value, second[name]) for name, value in first.items())


@pytest.mark.parametrize("name", NAMES)
def test_a_trained_agent_proposes_valid_actions(name: str, sides: list[phyre.Task]) -> None:
    agent = trained(name, sides, mirrored=True)
    assert isinstance(agent, RoundLearner)
    assert [step for step, _ in solved(agent)] == [1, 2, 3]
    proposed = agent.propose(sides[0], ())
    assert valid(sides[0].scene, proposed).all()
    np.testing.assert_array_equal(proposed, agent.propose(sides[0], ()))
    later = agent.propose(sides[0], (AttemptedAction(proposed[0], Attempt(NOT_SOLVED)),))
    if name == "bandit":
        arms = action_set("B", 100)
        assert {tuple(row) for row in proposed} == {tuple(row) for row in arms[valid(sides[0].scene, arms)]}
        assert not len(later)
    else:
        assert proposed.shape[0] > 100
        assert valid(sides[0].scene, later).all()
        assert not {tuple(row) for row in later} & {tuple(row) for row in proposed}


@pytest.mark.parametrize("name", NAMES)
def test_paused_training_ends_with_the_same_weights(name: str, sides: list[phyre.Task], tmp_path: Path) -> None:
    straight, again, other = (trained(name, sides, seed=seed) for seed in (1, 1, 2))
    assert same(straight.network.state_dict(), again.network.state_dict())
    assert not same(straight.network.state_dict(), other.network.state_dict())
    path = tmp_path / "agent.pt"
    for step in (1, 2):
        with pytest.raises(AgentError, match=f"at step {step} of 3; the same call resumes from"):
            trained(name, sides, seed=1, checkpoint=str(path), minutes=1e-9)
    trained(name, sides, seed=1, checkpoint=str(path))
    finished = read_checkpoint(path)
    assert finished["step"] == 3
    assert same(straight.network.state_dict(), finished["network"])
    assert finished["curve"]["solved"] == solved(straight)
    loaded = trained(name, sides, seed=1, checkpoint=str(path))
    np.testing.assert_array_equal(loaded.propose(sides[1], ()), straight.propose(sides[1], ()))
    with pytest.raises(TrainingError, match=r"was made with learning_rate 0.003, and this is 0.1"):
        trained(name, sides, seed=1, checkpoint=str(path), learning_rate=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_learns_which_side_solves(name: str, sides: list[phyre.Task]) -> None:
    own = {"updates_per_round": 4} if name == "bandit" else {"epochs": 4} if name == "ppo" else {}
    agent = trained(name, sides, rounds=40, actions_per_task=16, **own)
    assert solved(agent)[0][1] < 0.75  # half of random actions are on the right side
    assert np.mean([share for _, share in solved(agent)[-10:]]) > 0.9
    for task, on_left in zip(sides, (True, False), strict=True):
        proposed = agent.propose(task, ())
        best = proposed[: len(proposed) // 3]
        assert ((best[:, 0] < 0.5) == on_left).mean() > 0.8


def test_rewards_are_those_of_real_rollouts() -> None:
    task = phyre.task("00002:000")
    simulator = phyre.Simulator([task])
    agent = make("ppo", **{**TINY, **OWN["ppo"], "rounds": 1, "actions_per_task": 64})
    assert isinstance(agent, PolicyGradient)
    agent.train([task], simulator)
    actions = np.append(action_set("B", 63), [[0.0, 0.0, 1.0]], axis=0)  # the last one is invalid
    rewards = agent._rewards(torch.zeros(1, dtype=torch.int64), torch.tensor(actions)[None])
    expected = simulator.pairs([task.id] * 64, actions) == SOLVED
    assert expected.any()
    np.testing.assert_array_equal(rewards[0].numpy(), expected)


def test_densities_are_those_of_the_draws() -> None:
    """The mean of 1 / density over draws is the volume of the space: 1 for actions in the unit cube."""
    mixture = Mixture(torch.tensor([[0.0, 1.0]]), torch.tensor([[[-0.5], [1.0]]]), torch.tensor([[[0.4], [0.3]]]))
    points = mixture.draw(20_000, torch.Generator().manual_seed(0))
    log_density = mixture.log_density(points) - 0.5 * np.log(2.0 * np.pi) - log_volume(points)
    assert float((-log_density).exp().mean()) == pytest.approx(1.0, abs=0.05)


def test_advantages_compare_with_the_other_actions_of_a_task() -> None:
    result = advantages(torch.tensor([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    torch.testing.assert_close(result[0] / result[0, 0], torch.tensor([1.0, -0.5, -0.5]))
    assert (result[1] == 0.0).all()


def test_mirrored_actions_stay_in_the_unit_cube() -> None:
    actions = torch.tensor([[[0.1, 0.3, 0.5]], [[0.0, 0.3, 0.5]], [[0.1, 0.3, 0.5]]])
    result = flipped_actions(actions, torch.tensor([True, True, False]))
    expected = torch.tensor([[[230.5 / 255, 0.3, 0.5]], [[1.0, 0.3, 0.5]], [[0.1, 0.3, 0.5]]])
    torch.testing.assert_close(result, expected)


@pytest.mark.parametrize(
    ("name", "settings", "why"),
    [
        ("bandit", {"temperature": 0.0}, "temperature must be above 0"),
        ("bandit", {"ranked": 8}, "ranked must be at least actions_per_task, 16, not 8"),
        ("reinforce", {"actions_per_task": 1}, "actions_per_task must be 2 or more"),
        ("ppo", {"rounds": 0}, "rounds must be 1 or more"),
        ("ppo", {"minutes": 1.0}, "minutes needs a checkpoint"),
    ],
)
def test_invalid_settings_are_rejected(name: str, settings: dict[str, Any], why: str) -> None:
    with pytest.raises(AgentError, match=why):
        make(name, **settings)
