"""Networks that also predict dense outcomes: what they are trained on, and what it changes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_dqn import CPU, LEFT, RIGHT, TINY, SideSimulator, losses

from tumble import phyre
from tumble.learning.networks import mixed_precision
from tumble.learning.settings import TrainingError
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.dqn_online import DqnOnline
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.dense_pool import DensePool, DenseTried
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.generation.variations import TriedActions
from tumble.phyre.models.training import DqnTraining, dense_loss, label_pool
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.dense_outcomes import CLOSENESS, LEVELS, MISSING, NAMES
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED

RANDOM, VARIED = 40, 10
SETTINGS: dict[str, Any] = {**TINY, "pooled": True, "mutated": 1}


def statuses_of(actions: np.ndarray) -> np.ndarray:
    """Balls on the left solve; those at the top can't be placed."""
    solved = np.where(actions[..., 0] < 0.5, SOLVED, NOT_SOLVED)
    return np.where(actions[..., 1] > 0.9, INVALID, solved).astype(np.int8)


def numbers_of(actions: np.ndarray) -> np.ndarray:
    """The k-th number is a share of the ball's x; missing for balls that can't be placed, or are small."""
    values = np.round(LEVELS * actions[..., :1] / np.arange(1, len(NAMES) + 1)).astype(np.uint8)
    missing = (statuses_of(actions) == INVALID) | (actions[..., 2] < 0.3)
    return np.where(missing[..., None], MISSING, values).astype(np.uint8)


def made(task: phyre.Task, count: int) -> tuple[TriedActions, DenseTried]:
    random = action_set(phyre.TIERS["B"], count)[None]
    variations = np.random.default_rng(count).random((1, VARIED, 3)).astype(np.float32)
    tried = TriedActions([task], statuses_of(random), variations, statuses_of(variations))
    return tried, DenseTried(numbers_of(random), numbers_of(variations))


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> tuple[TrainingPool, DensePool]:
    """A pool of one task, and of another one in place of its mutation, of which fewer actions were tried."""
    (tasks, dense), (mutations, mutated) = made(phyre.task(LEFT), RANDOM), made(phyre.task(RIGHT), RANDOM // 2)
    both = TrainingPool(tasks, mutations), DensePool(dense, mutated)
    monkeypatch.setattr(training_pool, "load", lambda path, tasks, count: both[0])
    monkeypatch.setattr(dense_pool, "load", lambda path, pool: both[1])
    return both


def trained(kind: type[Dqn] = Dqn, **settings: Any) -> Any:
    agent = kind(**{**SETTINGS, **settings})
    agent.train([phyre.task(LEFT)], SideSimulator())  # type: ignore[arg-type]
    return agent


def test_a_batch_has_the_dense_outcomes_of_its_actions(pool: tuple[TrainingPool, DensePool]) -> None:
    labels = label_pool(pool[0], lambda tasks: torch.zeros(len(tasks), 1), pool[1])
    batch = labels.batch(50, 8, torch.Generator().manual_seed(0))
    assert batch.dense is not None
    numbers = numbers_of(batch.actions.numpy())
    assert 0.1 < (numbers == MISSING).mean() < 0.6
    np.testing.assert_allclose(batch.dense.numpy().astype(int), numbers, atol=1)
    without = label_pool(pool[0], lambda tasks: torch.zeros(len(tasks), 1))
    assert without.batch(2, 2, torch.Generator()).dense is None


def test_only_measured_outcomes_count() -> None:
    stored = torch.tensor([[0, LEVELS, MISSING], [MISSING, LEVELS // 2, MISSING]], dtype=torch.uint8)
    right = torch.tensor([[-30.0, 30.0, 7.0], [-9.0, 0.0, -7.0]])
    assert float(dense_loss(right, stored)) == pytest.approx(0.0, abs=1e-6)
    wrong = right.clone()
    wrong[0, 0] = 3.0
    assert float(dense_loss(wrong, stored)) == pytest.approx(np.log1p(np.exp(3.0)) / 3)
    assert float(dense_loss(wrong, torch.full_like(stored, MISSING))) == 0.0


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_the_head_learns(tmp_path: Path) -> None:
    """It predicts how far the ball is to the right."""
    path = str(tmp_path / "dense.pt")
    agent = trained(dense=1.0, updates=60, checkpoint=path)
    task = phyre.task(LEFT)
    actions = action_set(phyre.TIERS["B"], 200)
    with torch.inference_mode(), mixed_precision(CPU):
        points = torch.tensor(actions, dtype=torch.float32)
        logits, dense = agent.network.networks[0].score_and_dense(agent.encode(task)[0], points)
    predicted = dense[:, CLOSENESS].sigmoid().numpy()
    assert np.corrcoef(predicted, actions[:, 0])[0, 1] > 0.6
    scores = agent.scores(agent.encode(task), actions)
    np.testing.assert_allclose(scores, logits.numpy(), atol=1e-5)
    loaded = trained(checkpoint=path, loaded=True)
    assert loaded.dense == 1.0
    np.testing.assert_array_equal(loaded.scores(loaded.encode(task), actions), scores)
    with pytest.raises(TrainingError, match=r"was made with dense 1\.0, and this is 0"):
        trained(updates=60, checkpoint=path)


@pytest.mark.slow
@pytest.mark.usefixtures("pool")
def test_without_a_weight_nothing_changes() -> None:
    one, other = trained(updates=1), trained(updates=1, dense=1.0)
    start, with_head = (
        DqnTraining(agent.training.config, 3, CPU, agent.training._label).network.state_dict() for agent in (one, other)
    )
    added = set(with_head) - set(start)
    assert added == {f"members.0.dense_head.{k}.{name}" for k in (0, 2) for name in ("weight", "bias")}
    assert all(torch.equal(with_head[name], value) for name, value in start.items())
    assert losses(one) == losses(other)  # of the score, before the first update


@pytest.mark.usefixtures("pool")
def test_a_network_with_the_head_learns_online() -> None:
    agent = trained(DqnOnline, dense=0.5, updates=2, updates_online=2, learning_rate_online=3e-3)
    task, actions = phyre.task(LEFT), action_set(phyre.TIERS["B"], 20)
    before = agent.scores(agent.encode(task), actions)
    statuses = (NOT_SOLVED, SOLVED)
    agent.learn(task, [AttemptedAction(actions[k], Attempt(status)) for k, status in enumerate(statuses)])
    after = agent.scores(agent.encode(task), actions)
    assert not np.array_equal(before, after)


def test_settings_are_checked() -> None:
    with pytest.raises(AgentError, match="above 0 together with pooled"):
        Dqn(dense=1.0)
    with pytest.raises(AgentError, match="dense must be 0"):
        Dqn(dense=-1.0, pooled=True)
