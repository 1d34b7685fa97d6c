"""Policies of Stable-Baselines3 as agents: training through whole batches, checkpoints, and what they see."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tumble.envs.vector_env import EnvError
from tumble.phyq import agents
from tumble.phyq.agents.agent import AttemptState, SettingError
from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.envs.env import PhyQEnv, PhyQVectorEnv
from tumble.phyq.simulation.attempt import attempt_shots
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.participant import AgentError

pytest.importorskip("stable_baselines3", reason="needs the extra rl: pip install tumble[rl]")

GROUND = -3.5 + 0.2377
NEAR = Task("1.1:000", Level(("red",), (Pig("small", -9.0, GROUND),)))
PAIR = Task("2.1:000", Level(("red", "red"), (Pig("small", 6.0, GROUND), Pig("big", -9.0, -3.0))))
SMALL: dict[str, Any] = {"steps": 16, "envs": 8}


def made(**settings: Any) -> Any:
    return agents.make("sb3", **{**SMALL, **settings})


def adapted(count: int, **settings: Any) -> Any:
    from tumble.envs.stable_baselines import StableBaselinesEnv

    return StableBaselinesEnv(PhyQVectorEnv(count, autoreset_mode="SameStep", tasks=[PAIR], **settings))


def test_episodes_end_and_begin_in_the_same_step() -> None:
    env = adapted(2, observation="objects")
    env.seed(3)
    first = env.reset()
    assert first["objects"].shape[0] == 2
    env.step_async(np.array([0, 0]))  # straight down: a bird is lost
    _, rewards, done, infos = env.step_wait()
    assert (rewards.tolist(), done.tolist(), infos) == ([0.0, 0.0], [False, False], [{}, {}])
    env.step_async(np.array([0, 0]))
    observations, _, done, infos = env.step_wait()
    assert done.all()
    assert infos[0]["is_success"] is False
    assert infos[0]["terminal_observation"]["birds_left"][0] == 0.0
    assert observations["birds_left"][0, 0] == 2.0


def test_only_the_mode_that_stable_baselines_expects_is_taken() -> None:
    from tumble.envs.stable_baselines import StableBaselinesEnv

    with pytest.raises(EnvError, match="SameStep"):
        StableBaselinesEnv(PhyQVectorEnv(2, tasks=[NEAR]))


@pytest.mark.parametrize("algorithm", ["ppo", "a2c"])
def test_a_policy_shoots_alike_after_it_was_saved(algorithm: str, tmp_path: Path) -> None:
    agent = made(algorithm=algorithm)
    agent.train([NEAR], Simulator([NEAR.level]))
    shot = agent.propose(NEAR, (), AttemptState(NEAR, 1))
    assert shot.stretch == 1.0
    agent._trained.save(tmp_path / "1.zip")
    for place in (tmp_path, tmp_path / "1.zip"):
        loaded = made(algorithm=algorithm, checkpoint=str(place))
        assert loaded.propose(NEAR, (), AttemptState(NEAR, 1)) == shot


def test_it_sees_what_is_left_after_its_first_shot() -> None:
    agent = made()
    shots = (Shot(45.0),)
    (current,) = attempt_shots(Simulator([PAIR.level]), [0], [shots])
    seen = agent._observation(PAIR, AttemptState(PAIR, 1, current))
    env = PhyQEnv(tasks=[PAIR], observation="objects")
    env.reset()
    expected, *_ = env.step(np.int64(90 + 45))
    assert all(np.array_equal(seen[key], expected[key]) for key in expected)
    assert seen["birds_left"][0] == 1.0


def test_missing_policies_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"no policy for task 1.1:000: neither 1.1.zip nor 1.zip"):
        made(checkpoint=str(tmp_path)).propose(NEAR, (), AttemptState(NEAR, 1))
    with pytest.raises(SettingError, match="no policy: give checkpoint"):
        made().propose(NEAR, (), AttemptState(NEAR, 1))
    (tmp_path / "1.zip").write_bytes(b"nothing")
    with pytest.raises(SettingError, match=r"1.zip is no policy of ppo"):
        made(checkpoint=str(tmp_path)).propose(NEAR, (), AttemptState(NEAR, 1))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"algorithm": "dqn"}, "algorithm must be ppo or a2c"),
        ({"observation": "image"}, "observation must be objects or symbolic_float"),
        ({"checkpoint": "/no/such"}, "no such file or folder"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(AgentError, match=problem):
        made(**settings)
