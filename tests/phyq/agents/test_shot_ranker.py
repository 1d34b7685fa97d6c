"""The agent shot-ranker."""

from pathlib import Path

import pytest
import torch

from tumble.phyq import agents
from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.models.ranker.training import RankerConfig
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from untrained_weights import write_untrained


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch.manual_seed(0)
    config = RankerConfig(width=16, layers=1, heads=2)
    path = tmp_path_factory.mktemp("weights") / "ranker.pt"
    return str(write_untrained(path, "shot-ranker", config, config.network()))


def failed(*shots: Shot) -> Attempt:
    return Attempt(shots, "lost", 1, (0,) * len(shots), 100)


def test_it_never_repeats_a_failed_shot_and_repeats_a_win(weights: str) -> None:
    agent, task = agents.make("shot-ranker", checkpoint=weights, candidates=40), cached_task("6.3:080")
    past: list[Attempt] = []
    for number in range(1, 5):
        shot = agent.propose(task, past, AttemptState(task, number))
        assert shot not in [attempt.shots[0] for attempt in past]
        past.append(failed(shot))
    past.append(Attempt((Shot(33.0),), "won", 0, (1,), 100))
    assert agent.propose(task, past, AttemptState(task, 5)) == Shot(33.0)


def test_it_taps_birds_with_a_power(weights: str) -> None:
    agent, task = agents.make("shot-ranker", checkpoint=weights, candidates=16), cached_task("15.5:080")
    shot = agent.propose(task, (), AttemptState(task, 1))
    assert shot.tap_share is not None
    assert shot.stretch == 1.0


def test_proposals_depend_on_seed_and_task_only(weights: str) -> None:
    task = cached_task("4.4:081")
    shots = [
        agents.make("shot-ranker", checkpoint=weights, candidates=30, seed=seed).propose(
            task, (), AttemptState(task, 1)
        )
        for seed in (0, 0, 1)
    ]
    assert shots[0] == shots[1] != shots[2]


def test_wrong_settings_are_errors(weights: str, tmp_path: Path) -> None:
    with pytest.raises(agents.AgentError, match="candidates"):
        agents.make("shot-ranker", checkpoint=weights, candidates=0)
    with pytest.raises(agents.AgentError, match="No such file"):
        agents.make("shot-ranker", checkpoint=str(tmp_path / "none.pt"))
