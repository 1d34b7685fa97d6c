"""Scores that use the symmetries of PHYRE: mirror images of tasks, and the order of two balls."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from run_headers import header_of
from tiny_dqn import CPU, LEFT, RIGHT, TINY, attempted, trained

from tumble import phyre
from tumble.learning.networks import full_precision
from tumble.phyre.agents import dqn
from tumble.phyre.agents.dqn import Dqn, all_views, mean_of_views, view_count
from tumble.phyre.agents.dqn_online import DqnOnline
from tumble.phyre.agents.explorer.agent import Explorer, ExplorerOnline
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.phyre.models.network import Ensemble, QNetwork, flipped_planes, mirror_image
from tumble.phyre.simulation.actions import action_set
from tumble.runs.log import open_log

torch.set_num_threads(1)  # faster for a tiny network, especially on busy machines
TASK = {"B": "00002:010", "2B": "00100:000"}


def random_agent(tier: str, kind: type[Dqn] = Dqn, fusion: str = "last", **settings: Any) -> Any:
    """An agent with two random networks, whose scores differ between views."""
    agent = kind(**{**TINY, **settings, "fusion": fusion, "pooled": True, "dense": 1.0})
    agent.torch_device, numbers = CPU, phyre.TIERS[tier].numbers
    agent.actions = action_set(phyre.TIERS[tier], agent.ranked)
    torch.manual_seed(0)
    members = [QNetwork(numbers, fusion, 64, 0.125, dense=True) for _ in range(2)]
    for network in members:
        torch.nn.init.normal_(network.modulation.linear.weight, std=0.3)
        if network.brush is not None:
            torch.nn.init.normal_(network.brush.paint.weight, std=0.3)
    agent.network = Ensemble(members).eval()
    return agent


def mirrored_sight(agent: Dqn) -> None:
    """Lets an agent see the mirror images of tasks."""
    see = agent.see
    agent.see = lambda tasks: flipped_planes(see(tasks), torch.ones(len(tasks), dtype=torch.bool))  # type: ignore[method-assign]


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_views_are_all_that_symmetry_allows(tier: str) -> None:
    actions = torch.rand(2, 5, phyre.TIERS[tier].numbers, generator=torch.Generator().manual_seed(0))
    views = all_views(actions).view(2, view_count(actions.shape[2]), 5, -1)
    balls = actions.unflatten(2, (-1, 3))
    orders = [balls, balls.flip(2)] if tier == "2B" else [balls]
    expected = [one.flatten(2) for one in orders] + [mirror_image(one.flatten(2)) for one in orders]
    torch.testing.assert_close(views, torch.stack(expected, dim=1), rtol=0.0, atol=0.0)
    pixels, there = 255.0 * actions[..., 0], 255.0 * views[:, -1, :, -3 if tier == "2B" else 0]
    torch.testing.assert_close(there, (256.0 - pixels).clamp(max=255.0), rtol=0.0, atol=1e-3)
    means = mean_of_views(views[..., 1].flatten(), 2, 5)
    torch.testing.assert_close(means, actions[..., 1::3].mean(2))


@pytest.mark.parametrize("fusion", ["last", "drawn"])
@pytest.mark.parametrize("tier", ["B", "2B"])
def test_scores_of_what_is_the_same_are_the_same(tier: str, fusion: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dqn, "mixed_precision", full_precision)  # bfloat16 rounds too much
    task = phyre.task(TASK[tier])
    actions = 0.05 + 0.9 * np.random.default_rng(0).random((40, phyre.TIERS[tier].numbers))
    swapped = np.roll(actions, 3, axis=1)
    turned = mirror_image(torch.from_numpy(actions)).numpy()
    for symmetric in (True, False):
        agent, other = (random_agent(tier, fusion=fusion, symmetric=symmetric) for _ in range(2))
        mirrored_sight(other)
        scores = agent.scores(agent.encode(task), actions)
        same = [other.scores(other.encode(task), turned)]
        if tier == "2B":
            same += [agent.scores(agent.encode(task), swapped), other.scores(other.encode(task), np.roll(turned, 3, 1))]
        for those in same:
            assert (np.abs(scores - those).max() < 0.01 * scores.std()) == symmetric


def test_a_symmetric_score_is_the_mean_over_views() -> None:
    """Of scores that are not symmetric, also for several batches."""
    assert dqn.SCORE_BATCH_SIZE["cpu"] // view_count(6) < dqn.MOST_VIEWED
    task, agent, other = phyre.task(TASK["2B"]), random_agent("2B"), random_agent("2B")
    mirrored_sight(other)
    actions = np.random.default_rng(0).random((dqn.MOST_VIEWED, 6))
    turned = mirror_image(torch.from_numpy(actions)).numpy()
    pairs = [(agent, actions), (other, turned)]
    views = [one.scores(one.encode(task), np.roll(some, shift, 1)) for one, some in pairs for shift in (0, 3)]
    symmetric = random_agent("2B", symmetric=True)
    np.testing.assert_allclose(symmetric.scores(symmetric.encode(task), actions), np.mean(views, axis=0), atol=0.002)


@pytest.mark.parametrize("refined", [0, 5, 50])
def test_only_the_best_actions_are_scored_in_all_views(refined: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dqn, "MOST_VIEWED", 10)
    task, agent = phyre.task(TASK["2B"]), random_agent("2B", symmetric=True, refined=refined)
    plain = random_agent("2B", refined=refined)
    actions = np.random.default_rng(0).random((100, 6))
    scores, before = agent.scores(agent.encode(task), actions), plain.scores(plain.encode(task), actions)
    best, rest = np.split(np.argsort(-before, kind="stable"), [5 if refined == 5 else 10])
    np.testing.assert_allclose(scores[best], agent.scores(agent.encode(task), actions[best]), atol=0.002)
    assert scores[rest].max() <= scores[best].min()
    np.testing.assert_allclose(scores[rest] - scores[rest[0]], before[rest] - before[rest[0]], atol=0.002)


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_each_member_sees_all_views_in_one_batch(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []
    score = QNetwork.score

    def counted(self: QNetwork, features: Any, actions: Any) -> Any:
        calls.append((len(features), len(actions)))
        return score(self, features, actions)

    monkeypatch.setattr(QNetwork, "score", counted)
    numbers = phyre.TIERS[tier].numbers
    agent = random_agent(tier, symmetric=True)
    agent.scores(agent.encode(phyre.task(TASK[tier])), np.random.default_rng(0).random((30, numbers)))
    assert calls == [(2, 30 * view_count(numbers))] * 2


def test_symmetric_features_and_scores_do_not_depend_on_other_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dqn.TASKS_TOGETHER, "cpu", 4)
    agent = random_agent("2B", symmetric=True)
    tasks = [phyre.task(f"001{number:02}:000") for number in range(6)]
    features = agent.encode_all(tasks)
    for task, together in zip(tasks, features, strict=True):
        for one, other in zip(agent.encode(task), together, strict=True):
            assert len(one) == 2
            assert torch.equal(one, other)
    actions = [np.random.default_rng(count).random((count, 6)) for count in (5, 1, 30, 7, 12, 29)]
    scores = agent.scores_by_task(features, actions, 30)
    for own, some, together in zip(features, actions, scores, strict=True):
        np.testing.assert_array_equal(agent.scores_by_task([own], [some], 30)[0], together)
        np.testing.assert_allclose(agent.scores(own, some), together, atol=0.02)  # rounding depends on the batch


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Dqn, Explorer])
def test_symmetric_attempts_do_not_depend_on_how_many_tasks_are_open(
    kind: type[Dqn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [phyre.task(f"00100:{number:03}") for number in range(5)]
    agent = random_agent("2B", kind, symmetric=True, refined=50)
    monkeypatch.setitem(dqn.TASKS_TOGETHER, "cpu", 3)
    made = [attempted(agent, tasks, max_open, 5, tmp_path, monkeypatch) for max_open in (1, 100)]
    assert made[0] == made[1]
    assert all(made[0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Dqn, DqnOnline, Explorer, ExplorerOnline])
def test_all_agents_with_networks_can_be_symmetric(kind: type[Dqn], tmp_path: Path) -> None:
    """They are trained as without it."""
    tasks = [phyre.task(LEFT), phyre.task(RIGHT)]
    agent, plain = (trained(tasks, kind, updates=2, symmetric=symmetric) for symmetric in (True, False))
    for name, value in plain.network.state_dict().items():
        assert torch.equal(agent.network.state_dict()[name], value)
    with open_log(tmp_path / "run.jsonl", header_of()) as log:
        attempt_all(agent, tasks, phyre.Simulator(tasks, "B"), log, attempts=5)
    for task in tasks:
        actions = [tuple(row["action"]) for row in log.tasks[task.id]]
        assert len(set(actions)) == len(actions) >= 1
