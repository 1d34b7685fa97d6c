"""Agents of trained learners: which network they load, and what they try."""

from pathlib import Path

import pytest
import torch

from tumble.learning.harness import Budget
from tumble.learning.settings import TrainingError
from tumble.phyq import agents
from tumble.phyq.agents.agent import AttemptState, SettingError
from tumble.phyq.catalogue.tasks import broad, local, task
from tumble.phyq.models.learner import Learner, load_trained
from tumble.phyq.models.q_networks import make_config
from tumble.phyq.simulation.attempt import attempt_shots
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.participant import AgentError

NAME = "dddqn-symbolic"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Checkpoints of two small untrained networks."""
    config = make_config(NAME, settings={"first_units": 8, "second_units": 8, "head_units": 4})
    for label in ("broad-01", "local-1.4"):
        learner = Learner(NAME, label, [], config, torch.device("cpu"))
        learner.open(tmp_path / f"{NAME}-{label}.pt", Budget(steps=1))
        learner.save()
    return tmp_path


def test_the_network_is_that_of_the_training_tasks(folder: Path) -> None:
    one, state = task("1.4:080"), AttemptState(task("1.4:080"), 1)
    shots = {}
    for label, split in (("broad-01", broad(1)), ("local-1.4", local("1.4"))):
        agent = agents.make(NAME, checkpoint=str(folder), device="cpu")
        agent.train(_tasks(split.train), Simulator([]))
        network = load_trained(folder / f"{NAME}-{label}.pt", NAME, torch.device("cpu"))
        best = int(network.values_of_objects(state.objects, one.level.slingshot).argmax())
        shots[label] = agent.propose(one, (), state)
        assert shots[label].angle == best - 90.0
    assert shots["broad-01"] != shots["local-1.4"]


def _tasks(ids: list[str]) -> list[object]:
    """Stand-ins with the ids of tasks, which are all that an agent with a checkpoint reads."""
    return [type("Named", (), {"id": task_id})() for task_id in ids]


def test_later_attempts_try_other_angles(folder: Path) -> None:
    one, agent = task("1.4:080"), agents.make(NAME, checkpoint=str(folder), part="local", device="cpu")
    past = []
    for number in range(1, 4):
        shot = agent.propose(one, past, AttemptState(one, number))
        past += attempt_shots(Simulator([one], threads=1), [0], [[shot]])
    assert len({attempt.shots for attempt in past}) == 3


def test_what_is_missing_is_named(folder: Path) -> None:
    one, agent = task("6.4:080"), agents.make(NAME, checkpoint=str(folder), device="cpu")
    with pytest.raises(TrainingError, match=r"broad-06\.pt: no such checkpoint"):
        agent.propose(one, (), AttemptState(one, 1))
    with pytest.raises(SettingError, match="no network of a checkpoint was trained on these tasks"):
        agent.train([one], Simulator([]))
    with pytest.raises(AgentError, match="no network's label"):
        agents.make(NAME, checkpoint=str(folder), part="all")
    with pytest.raises(AgentError, match="give one"):
        agents.make(NAME, part="local")


def test_a_network_can_be_named_for_all_tasks(folder: Path) -> None:
    other, first = task("6.4:080"), task("1.4:080")
    named = agents.make(NAME, checkpoint=str(folder), part="broad-01", device="cpu")
    own = agents.make(NAME, checkpoint=str(folder), device="cpu")
    assert named.propose(first, (), AttemptState(first, 1)) == own.propose(first, (), AttemptState(first, 1))
    assert -90.0 <= named.propose(other, (), AttemptState(other, 1)).angle < 90.0  # of another scenario
