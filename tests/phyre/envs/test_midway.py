"""The environment in which an agent acts at several moments of an attempt."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tumble.phyre  # registers the environments  # noqa: F401
from tumble import phyre
from tumble.envs import EnvError

WAIT = {"kind": 0, "object": 0, "push": np.zeros(2), "ball": np.zeros(3)}


def make(**settings: object) -> gymnasium.Env:
    return gymnasium.make("tumble/PhyreMidway-v0", **settings)


@pytest.mark.parametrize("observation", ["pixels", "objects", "both"])
def test_gymnasium_accepts_it(observation: str) -> None:
    env = make(tasks=["00003:001", "00008:050"], observation=observation, render_mode="rgb_array")
    check_env(env.unwrapped, skip_render_check=False)


def test_waiting_is_the_rollout_of_the_task() -> None:
    env = make(tasks=["00008:050"], steps=100)
    observation, info = env.reset(seed=1)
    session = phyre.Session("00008:050")
    while not session.over:
        observation, reward, terminated, truncated, info = env.step(WAIT)
        session.step(100)
        np.testing.assert_array_equal(observation, session.state.picture())
        assert info["step"] == session.state.step
    assert (terminated, truncated) == (session.state.solved, not session.state.solved)
    assert reward == float(session.state.solved)


def test_placing_a_solving_ball_solves_the_task() -> None:
    """A ball placed at the start is an action of the benchmark."""
    task = phyre.task("00003:001")
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 100)
    solving = actions[np.argmax(phyre.Simulator([task], "B").sweep(actions, progress=lambda _: None)[0] == 1)]
    steps = phyre.Simulator([task], "B").simulate(task, solving).steps
    env = make(tasks=[task.id])
    env.reset(seed=0)
    total, terminated = 0.0, False
    action = {**WAIT, "kind": 2, "ball": solving}
    while not terminated:
        _, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        total += reward
        action = WAIT
    assert total == 1.0
    assert info["step"] == steps
    assert info["balls"] == 0


def test_pushes_and_what_is_invalid() -> None:
    env = make(tasks=["00003:001"], pushes=1, steps=10)
    env.reset(seed=0)
    session: phyre.Session = env.unwrapped.session  # type: ignore[attr-defined]
    objects = phyre.observe.objects(session.scene).tolist()
    stick, wall = objects.index(session.scene.index("stick")), objects.index(session.scene.index("wall"))
    push = {**WAIT, "kind": 1, "push": np.array([1.0, 0.5])}
    still = session.copy()
    still.step(10)
    cases = [({**push, "object": wall}, "static"), ({**push, "object": 63}, "no object 63")]
    cases += [({**WAIT, "kind": 2, "ball": np.zeros(3)}, "overlaps")]
    for action, problem in cases:
        _, _, _, _, info = env.step(action)
        assert info["invalid"]
        assert problem in info["problem"]
        assert (info["pushes"], info["balls"]) == (1, 1)
    assert session.trajectory[10].tolist() == still.trajectory[10].tolist()
    _, _, _, _, info = env.step({**push, "object": stick})
    assert not info["invalid"]
    assert info["pushes"] == 0
    assert session.history[0].step == 30
    assert env.step({**push, "object": stick})[4]["problem"] == "no push is left"


def test_wrong_settings() -> None:
    for settings in ({"steps": 0}, {"pushes": -1}, {"push_speed": 0.0}):
        with pytest.raises(EnvError):
            make(**settings)
