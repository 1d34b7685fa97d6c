"""Rewards by name, on a level whose pigs are killed one by one."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.physics import UNUSED_BIRD_SCORE
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.trajectory import releases_to
from tumble.phyq.envs.env import PhyQEnv
from tumble.phyq.envs.spaces import REWARDS, ShotResults
from tumble.phyq.simulation import simulator
from tumble.phyq.simulation.shots import Shot

LEVEL = Level(("red",) * 4, (Pig("small", 2.0, -3.262), Pig("small", -5.0, -3.262)))
MISS = 178


def action_at(pig: int) -> int:
    """An action that kills one pig, and no other, with the first bird."""
    near = round(releases_to((LEVEL.pigs[pig].x, LEVEL.pigs[pig].y))[0].angle) + 90
    actions = range(near - 3, near + 4)
    episodes = simulator.play(LEVEL, [[Shot(float(action - 90))] for action in actions])
    died = episodes.died[:, episodes.worlds[0].of_role("pig")] > 0
    wanted = died[:, pig] & (died.sum(axis=1) == 1)
    return actions[int(np.argmax(wanted))] if wanted.any() else pytest.fail("no shot hits")


@pytest.fixture(scope="module")
def actions() -> list[int]:
    """Three shots: the first kills a pig, the second misses, the third wins."""
    return [action_at(0), MISS, action_at(1)]


def rewards_of(reward: str, actions: list[int]) -> list[float]:
    env = PhyQEnv(tasks=[Task("own:000", LEVEL)], reward=reward)
    env.reset()
    return [env.step(action)[1] for action in actions]


def test_rewards(actions: list[int]) -> None:
    assert rewards_of("passing", actions) == [0.0, 0.0, 1.0]
    assert rewards_of("num_pigs", actions) == [1.0, 0.0, 1.0]
    assert rewards_of("num_pigs_normalised", actions) == [1 / 2 - 1 / 4, -1 / 4, 1.0]
    score = rewards_of("score", actions)
    played = simulator.play(LEVEL, [[Shot(float(action - 90)) for action in actions[:n]] for n in (1, 2, 3)])
    assert played.won[2]
    assert score == np.diff(played.score, prepend=0).tolist()
    assert score[2] > UNUSED_BIRD_SCORE, "a bird is left"


def test_the_points_of_a_shot_end_with_the_wait() -> None:
    """Whenever the next observation is taken, the rewards of an episode add up to its score."""
    env = PhyQEnv(tasks=[Task("own:000", LEVEL)], reward="score", actions="continuous")
    env.reset()
    rewards, over = [], False
    for angle, wait in ((0.62, 0.0), (0.85, 0.1), (0.5, 0.0), (0.6, 1.0)):
        if not over:
            _, reward, over, _, _ = env.step(np.array([angle, 1.0, 1.0, wait]))
            rewards.append(reward)
    assert over
    assert len(rewards) > 1
    assert sum(rewards) == simulator.play(LEVEL, [env.shots]).score[0]


def test_all_rewards_are_of_many_shots() -> None:
    shots = ShotResults(np.array([True, False]), np.array([1, 0]), np.array([5, 6]), np.array([2, 3]), np.array([1, 2]))
    assert {name: reward(shots).tolist() for name, reward in REWARDS.items()} == {
        "passing": [1.0, 0.0],
        "num_pigs": [1.0, 0.0],
        "num_pigs_normalised": [1.0, -0.5],
        "score": [5.0, 6.0],
    }
