"""Environments follow the rules of Gymnasium and of the benchmark, single ones and batches."""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

from tumble import engine, phyre
from tumble.phyre.catalogue.task import MATERIAL
from tumble.phyre.envs.env import PhyreEnv, PhyreVectorEnv
from tumble.phyre.envs.registration import ENVIRONMENTS
from tumble.phyre.simulation.actions import from_balls
from tumble.scene import PALETTE, Body, Circle, Scene, box

MODES = ("pixels", "objects", "both")


def shelf_task(number: int = 0, tier: str = "B") -> phyre.Task:
    """A ball lies on a shelf; knocked off to the right, it comes to rest on the floor."""
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), role="subject", **MATERIAL)
    walls = [Body((box(5.0, 256.0),), position=(x, 128.0), **MATERIAL) for x in (-2.5, 258.5)]
    shelf = Body((box(100.0, 5.0),), position=(50.0, 80.0 + number), **MATERIAL)
    ball = Body((Circle(8.0),), position=(80.0, 90.5 + number), dynamic=True, role="object", **MATERIAL)
    scene = Scene((floor, *walls, shelf, ball), units_per_metre=6.0)
    return phyre.Task(f"shelf:{number:03d}", tier, scene, body=4, other=0)


KNOCKS = from_balls(np.array([[[72.0, 200.0, 12.0]]]))[0]
LEAVES = from_balls(np.array([[[200.0, 50.0, 8.0]]]))[0]
OVERLAPS = from_balls(np.array([[[80.0, 90.0, 8.0]]]))[0]
OUTSIDE = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("observation", MODES)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasium_finds_nothing_wrong(name: str, observation: str) -> None:
    check_env(gymnasium.make(f"tumble.phyre:{name}", observation=observation).unwrapped)


def test_gymnasium_finds_nothing_wrong_with_frames_and_pictures() -> None:
    env = gymnasium.make(
        "tumble/PHYRE-B-v0", tasks=[shelf_task()], observation="both", intermediate=True, render_mode="rgb_array"
    )
    check_env(env.unwrapped)


@pytest.mark.parametrize(("tier", "numbers"), [("B", 3), ("2B", 6)])
def test_spaces(tier: str, numbers: int) -> None:
    env = PhyreEnv(tier, observation="both")
    observation, info = env.reset(seed=1)
    assert env.action_space.shape == (numbers,)
    task = phyre.task(info["task"])
    assert task.tier == tier
    np.testing.assert_array_equal(observation["pixels"], phyre.observe.picture(task.scene))
    real = observation["mask"].astype(bool)
    np.testing.assert_array_equal(observation["objects"][real], phyre.observe.features(task.scene))
    assert not observation["objects"][~real].any()


def test_every_published_task_lies_within_the_observation_space() -> None:
    for tier in phyre.TIERS:
        env = PhyreEnv(tier, observation="objects")
        for task_id in phyre.task_ids(tier)[::50]:
            observation, info = env.reset(options={"task": task_id})
            assert info["task"] == task_id
            assert observation in env.observation_space


def test_actions_of_either_precision_belong_to_the_space() -> None:
    space = PhyreEnv("B", tasks=[shelf_task()]).action_space
    assert KNOCKS in space
    assert KNOCKS.astype(np.float32) in space


def test_the_same_seed_gives_the_same_tasks() -> None:
    env = PhyreEnv("B")
    first = [env.reset(seed=5)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    again = [env.reset(seed=5)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    assert first == again
    assert len(set(first)) > 1
    assert env.reset(seed=6)[1]["task"] != first[0]


def test_an_episode_ends_when_the_task_is_solved() -> None:
    env = PhyreEnv("B", tasks={"shelf:000": shelf_task()})
    start, info = env.reset()
    assert info == {"task": "shelf:000", "attempts": 0, "invalid": False, "status": -1, "steps": 0}
    observation, reward, terminated, truncated, info = env.step(LEAVES)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info == {"task": "shelf:000", "attempts": 1, "invalid": False, "status": -1, "steps": 1000}
    np.testing.assert_array_equal(observation, start)
    observation, reward, terminated, truncated, info = env.step(KNOCKS)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["attempts"] == 2
    assert info["status"] == phyre.status.SOLVED
    assert 180 < info["steps"] < 1000, "the goal must hold for 180 steps"
    np.testing.assert_array_equal(observation, start)
    with pytest.raises(ResetNeeded, match="the episode at task shelf:000 is over"):
        env.step(KNOCKS)


def test_two_balls() -> None:
    env = PhyreEnv("2B", tasks=[shelf_task(tier="2B")])
    env.reset()
    assert env.step(np.concatenate([LEAVES, LEAVES]))[4]["invalid"], "the balls overlap"
    assert env.step(np.concatenate([KNOCKS, LEAVES]))[2]


def test_invalid_actions_are_no_attempts() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()], attempts=1)
    env.reset()
    for action in [OVERLAPS, OUTSIDE] * 3:
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert info == {"task": "shelf:000", "attempts": 0, "invalid": True, "status": 0, "steps": 0}
    assert env.step(KNOCKS)[2]


def test_an_episode_is_truncated_when_the_attempts_are_used_up() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()], attempts=3)
    env.reset()
    ends = [env.step(action)[2:4] for action in (LEAVES, OVERLAPS, LEAVES, LEAVES)]
    assert ends == [(False, False), (False, False), (False, False), (False, True)]
    env.reset()
    ends = [env.step(action)[2:4] for action in (LEAVES, LEAVES, KNOCKS)]
    assert ends[-1] == (True, False), "solved with the last attempt"


def test_a_limit_on_actions_ends_a_row_of_invalid_ones() -> None:
    env = gymnasium.make("tumble/PHYRE-B-v0", tasks=[shelf_task()], max_episode_steps=3)
    env.reset()
    assert [env.step(OVERLAPS)[3] for _ in range(3)] == [False, False, True]


def test_frames_show_the_attempt() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()], intermediate=True)
    _, info = env.reset()
    assert "frames" not in info
    assert "frames" not in env.step(OVERLAPS)[4]
    failed = env.step(LEAVES)[4]["frames"]
    info = env.step(KNOCKS)[4]
    frames = info["frames"]
    assert failed.shape == frames.shape == (17, 256, 256)
    task = env.task
    attempt = phyre.Simulator([task], "B").simulate(task, KNOCKS, want=("observations",))
    assert attempt.observations is not None
    kept = len(attempt.observations)
    assert kept == info["steps"] // 60 + 1 < 17
    np.testing.assert_array_equal(frames[:kept], attempt.observations)
    np.testing.assert_array_equal(frames[kept:], np.repeat(frames[kept - 1 : kept], 17 - kept, axis=0))


def test_pictures_show_the_task_and_then_the_end_of_the_last_attempt() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()], intermediate=True, render_mode="rgb_array")
    start, _ = env.reset()
    np.testing.assert_array_equal(env.render(), PALETTE[start])
    frames = env.step(KNOCKS)[4]["frames"]
    np.testing.assert_array_equal(env.render(), PALETTE[frames[-1]])
    env.reset()
    env.step(OVERLAPS)
    np.testing.assert_array_equal(env.render(), PALETTE[start])


def test_text_shows_the_state_of_the_episode() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()], render_mode="ansi")
    env.reset()
    env.step(LEAVES)
    assert env.render() == "task shelf:000: 1 of 100 attempts, not solved"


def test_published_and_other_tasks_of_templates_by_id() -> None:
    other = next(f"00000:{n:03d}" for n in range(1000) if f"00000:{n:03d}" not in phyre.task_ids("B"))
    published = phyre.task_ids("B")[0]
    env = PhyreEnv("B", tasks=[published, other, shelf_task()])
    assert {env.reset(seed=seed)[1]["task"] for seed in range(30)} == {published, other, "shelf:000"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tier": "C"}, "no tier 'C'; there are B, 2B"),
        ({"tasks": ["99999:000"]}, "no template '99999'"),
        ({"tasks": ["nonsense"]}, "no task 'nonsense': an id is"),
        ({"tasks": ["00100:000"]}, "00100:000 is of tier 2B, not B"),
        ({"tasks": [shelf_task(tier="2B")]}, "shelf:000 is of tier 2B, not B"),
        ({"tasks": [shelf_task(), shelf_task()]}, "shelf:000 is given 2 times"),
        ({"tasks": []}, "tasks is empty"),
        ({"tasks": "00000:000"}, "a list of ids or tasks, not a single one"),
        ({"tasks": [17]}, "ids or tasks, not 17"),
        ({"attempts": 0}, "attempts must be 1 or more"),
        ({"observation": "sound"}, "no observation 'sound'; there are pixels, objects, both"),
        ({"render_mode": "human"}, "no render_mode 'human'; there are rgb_array, ansi"),
    ],
)
@pytest.mark.parametrize("batched", [False, True])
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str, batched: bool) -> None:
    make: Any = partial(PhyreVectorEnv, 2) if batched else PhyreEnv
    with pytest.raises(ValueError, match=message):
        make(**{"tier": "B", **arguments})


def test_wrong_tasks_and_actions_are_named() -> None:
    env = PhyreEnv("B", tasks=[shelf_task()])
    with pytest.raises(ResetNeeded, match="no task yet"):
        env.step(LEAVES)
    with pytest.raises(ValueError, match="no task '00000:000' in this environment, which has 1 of tier B: shelf:000"):
        env.reset(options={"task": "00000:000"})
    with pytest.raises(ValueError, match=r"no task \['shelf:000'\] in this environment"):
        env.reset(options={"task": ["shelf:000"]})
    env.reset()
    with pytest.raises(ValueError, match="leaves the unit cube"):
        env.step(LEAVES + 1.0)
    with pytest.raises(ValueError, match="must have the shape"):
        env.step(LEAVES[:2])
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


def both_kinds(name: str, mode: str = "NextStep", **arguments: Any) -> list[gymnasium.vector.VectorEnv]:
    """The same four environments: in Gymnasium's SyncVectorEnv, and in ours."""
    slow = gymnasium.make_vec(
        name, 4, vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode(mode)}, **arguments
    )
    fast = gymnasium.make_vec(name, 4, autoreset_mode=mode, **arguments)
    assert isinstance(fast, PhyreVectorEnv)
    return [slow, fast]


def some_actions(rng: np.random.Generator, count: int = 4) -> np.ndarray:
    """A mix of actions that solve the shelf, fail, are invalid, or anything."""
    known = np.array([KNOCKS, LEAVES, OVERLAPS, OUTSIDE, rng.random(3)])
    return known[rng.integers(len(known), size=count)]


def assert_same(slow: Any, fast: Any) -> None:
    assert data_equivalence(slow, fast, exact=True)


TASKS = [*map(shelf_task, range(3)), "00000:000", "00013:000"]


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [
        ("NextStep", {"observation": "pixels"}),
        ("NextStep", {"observation": "both", "intermediate": True}),
        ("NextStep", {"observation": "objects", "max_episode_steps": 3}),
        ("SameStep", {"observation": "objects"}),
        ("Disabled", {"observation": "objects"}),
    ],
)
def test_a_batch_gives_the_same_results_as_a_sync_vector_env(mode: str, arguments: dict[str, Any]) -> None:
    slow, fast = both_kinds("tumble/PHYRE-B-v0", mode, tasks=TASKS, attempts=4, **arguments)
    assert fast.metadata == slow.metadata
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    assert_same(slow.reset(seed=11), fast.reset(seed=11))
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(40):
        actions = some_actions(rng)
        expected = slow.step(actions)
        assert_same(expected, fast.step(actions))
        over = expected[2] | expected[3]
        ended += over.sum()
        if mode == "Disabled" and over.any():
            assert_same(slow.reset(options={"reset_mask": over}), fast.reset(options={"reset_mask": over}))
    assert ended > 8
    assert_same(slow.reset(seed=[3, None, 4, 5]), fast.reset(seed=[3, None, 4, 5]))
    task = {"task": "shelf:001"}
    assert_same(slow.reset(options=task), fast.reset(options=task))


def test_a_batch_with_two_balls_and_published_tasks() -> None:
    slow, fast = both_kinds("tumble/PHYRE-2B-v0")
    assert_same(slow.reset(seed=2), fast.reset(seed=2))
    rng = np.random.default_rng(1)
    for _ in range(10):
        actions = rng.random((4, 6))
        assert_same(slow.step(actions), fast.step(actions))


def test_pictures_of_a_batch() -> None:
    slow, fast = both_kinds("tumble/PHYRE-B-v0", tasks=[shelf_task()], render_mode="rgb_array")
    for envs in (slow, fast):
        envs.reset(seed=0)
        envs.step(np.array([KNOCKS, LEAVES, OVERLAPS, OUTSIDE]))
    assert_same(slow.render(), fast.render())


def test_all_attempts_of_a_step_are_one_call_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    rollout = engine.rollout

    def counted(worlds: engine.Worlds, *arguments: Any) -> engine.Rollouts:
        calls.append(len(worlds))
        return rollout(worlds, *arguments)

    monkeypatch.setattr(engine, "rollout", counted)
    envs = PhyreVectorEnv(6, tier="B", tasks=TASKS)
    envs.reset(seed=0, options={"task": [f"shelf:{k % 3:03d}" for k in range(6)]})
    envs.step(np.stack([LEAVES] * 5 + [OVERLAPS]))
    assert calls == [5]


def test_a_long_run_through_many_tasks_forgets_no_task() -> None:
    ids = phyre.task_ids("B")[::12]
    envs = PhyreVectorEnv(4, tier="B", tasks=ids, attempts=1)
    simulator = phyre.Simulator(map(phyre.task, ids), "B")
    rng = np.random.default_rng(3)
    envs.reset(seed=0)
    for _ in range(40):
        actions = rng.random((4, 3))
        task_ids = envs.reset()[1]["task"].tolist()
        infos = envs.step(actions)[4]
        np.testing.assert_array_equal(infos["status"], simulator.pairs(task_ids, actions))


def test_returned_observations_do_not_change() -> None:
    envs = PhyreVectorEnv(2, tier="B", tasks=TASKS, attempts=1)
    first, _ = envs.reset(seed=1)
    kept = first.copy()
    later, *_ = envs.step(np.stack([LEAVES] * 2))
    later[:] = 0
    envs.step(np.stack([LEAVES] * 2))
    np.testing.assert_array_equal(first, kept)


def test_wrong_use_of_a_batch_is_named() -> None:
    envs = PhyreVectorEnv(2, tier="B", tasks=TASKS, attempts=1, autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match=r"episodes \[0, 1\] have not begun"):
        envs.step(np.stack([LEAVES] * 2))
    with pytest.raises(ResetNeeded, match=r"episodes \[1\] have not begun"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    for wrong in (np.zeros(2, bool), np.ones(3, bool), np.ones(2, int)):
        with pytest.raises(ValueError, match="reset_mask must be 2 booleans"):
            envs.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="3 seeds for 2 environments"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="1 tasks for 2 environments"):
        envs.reset(options={"task": ["shelf:000"]})
    with pytest.raises(ValueError, match="no task 'shelf:009'"):
        envs.reset(options={"task": ["shelf:000", "shelf:009"]})
    envs.reset(options={"task": "shelf:000"})
    with pytest.raises(ValueError, match="actions must have the shape"):
        envs.step(LEAVES)
    with pytest.raises(ValueError, match="action 1 leaves the unit cube"):
        envs.step(np.stack([LEAVES, LEAVES + 1.0]))
    envs.step(np.stack([LEAVES, OVERLAPS]))
    with pytest.raises(ResetNeeded, match=r"episodes \[0\] are over"):
        envs.step(np.stack([LEAVES] * 2))
    with pytest.raises(ValueError, match="num_envs must be 1 or more"):
        PhyreVectorEnv(0, tier="B")
    with pytest.raises(ValueError, match="max_episode_steps must be 1 or more"):
        PhyreVectorEnv(1, tier="B", max_episode_steps=0)


def test_the_action_for_an_episode_that_is_reset_is_ignored() -> None:
    envs = PhyreVectorEnv(2, tier="B", tasks=TASKS, attempts=1)
    envs.reset(options={"task": "shelf:000"})
    truncated = envs.step(np.stack([LEAVES, OVERLAPS]))[3]
    assert truncated.tolist() == [True, False]
    nothing = np.full(3, np.nan)
    infos = envs.step(np.stack([nothing, OVERLAPS]))[4]
    assert infos["attempts"].tolist() == [0, 0]
    assert infos["invalid"].tolist() == [False, True]
