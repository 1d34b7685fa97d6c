"""The environment follows the rules of Gymnasium and of the benchmark, alone and as a vector environment."""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
import warp as wp
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

from tumble import engine
from tumble.phyq.catalogue.level import Block, Level, Pig
from tumble.phyq.catalogue.physics import BIRD_COLOURS, BLOCKS, STEP
from tumble.phyq.catalogue.tasks import Task, task, task_ids
from tumble.phyq.catalogue.templates import template
from tumble.phyq.catalogue.trajectory import releases_to
from tumble.phyq.envs.env import PhyQEnv, PhyQVectorEnv
from tumble.phyq.envs.registration import ENVIRONMENT
from tumble.phyq.envs.spaces import ACTIONS, FEATURES, OBSERVATIONS, decode_action
from tumble.phyq.observation.symbolic import CHANNELS
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.shots import Shot


def own_task(number: int = 0, birds: int = 2) -> Task:
    """Two small pigs on the ground, one bird for each."""
    pigs = (Pig("small", 2.0 + 0.5 * number, -3.262), Pig("small", -5.0, -3.262))
    return Task(f"own:{number:03d}", Level(("red",) * birds, pigs))


def angle_at(level: Level, pig: int) -> int:
    """The discrete action that comes nearest to a direct hit."""
    return round(releases_to((level.pigs[pig].x, level.pigs[pig].y))[0].angle) + 90


def hits(level: Level, pig: int) -> int:
    """A discrete action that kills a pig with the first bird."""
    near = angle_at(level, pig)
    actions = range(near - 3, near + 4)
    episodes = simulator.play(level, [[Shot(float(action - 90))] for action in actions])
    died = episodes.died[:, episodes.worlds[0].of_role("pig")[pig]] > 0
    return actions[int(np.argmax(died))] if died.any() else pytest.fail("no shot hits")


MISS = 178


@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_check_env_passes(observation: str, actions: str) -> None:
    env = gymnasium.make(f"tumble.phyq:{ENVIRONMENT}", scenario=11, observation=observation, actions=actions)
    check_env(env.unwrapped)


def test_check_env_passes_with_pictures() -> None:
    check_env(gymnasium.make(ENVIRONMENT, tasks=[own_task()], render_mode="rgb_array").unwrapped)


def test_task_pool() -> None:
    assert PhyQEnv().pool.ids == tuple(task_ids())
    assert len(PhyQEnv().pool) == 7500
    assert PhyQEnv(scenario=8).pool.ids == tuple(task_ids(8))
    assert PhyQEnv(template="8.3").pool.ids == tuple(task_ids(template_id="8.3"))
    assert PhyQEnv(tasks=["6.4:003", "6.4:017", own_task()]).pool.ids == ("6.4:003", "6.4:017", "own:000")


def test_the_same_seed_gives_the_same_tasks() -> None:
    env = PhyQEnv()
    first = [env.reset(seed=5)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    again = [env.reset(seed=5)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    assert first == again
    assert len(set(first)) > 1


def test_an_episode_ends_when_the_level_is_won() -> None:
    env = PhyQEnv(tasks=[own_task()])
    start, info = env.reset()
    assert info == {"task": "own:000", "status": "open", "pigs_left": 2, "birds_left": 2, "seconds": 0.0}
    level = env.task.level
    np.testing.assert_array_equal(start, episode_views.start(level).tensor())
    first, second = hits(level, 0), hits(level, 1)
    observation, reward, terminated, truncated, info = env.step(first)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["status"], info["pigs_left"], info["birds_left"]) == ("open", 1, 1)
    played = simulator.play(level, [[Shot(first - 90.0)]], want=("states",))
    np.testing.assert_array_equal(observation, episode_views.end(played, 0).tensor())
    assert info["seconds"] == played.seconds[0]
    _, reward, terminated, truncated, info = env.step(second)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["status"], info["pigs_left"], info["birds_left"]) == ("won", 0, 0)
    with pytest.raises(ResetNeeded, match="the episode at task own:000 is over"):
        env.step(first)


def test_an_episode_ends_without_reward_when_the_birds_are_used_up() -> None:
    env = PhyQEnv(tasks=[own_task()])
    env.reset()
    assert env.step(MISS)[2] is False
    _, reward, terminated, _, info = env.step(MISS)
    assert (reward, terminated) == (0.0, True)
    assert info["status"] in ("lost", "cap")


def test_a_won_level_ends_with_birds_left() -> None:
    env = PhyQEnv(tasks=[own_task(birds=3)])
    env.reset()
    level = env.task.level
    outcomes = [env.step(hits(level, pig)) for pig in (0, 1)]
    assert [(reward, terminated) for _, reward, terminated, _, _ in outcomes] == [(0.0, False), (1.0, True)]
    assert outcomes[-1][4]["birds_left"] == 1


def test_the_discrete_actions_are_degrees() -> None:
    """As published: 180 of them, 90 flies flat, all at full stretch."""
    assert decode_action(np.int64(128), "angles", "red", None).shot == Shot(38.0)
    assert decode_action(0, "angles", "red", 2.0).shot == Shot(-90.0, delay=2.0)


def test_continuous_actions() -> None:
    shot, wait = decode_action([0.75, 1.0, 0.5, 0.25], "continuous", "blue", None)
    assert (shot.angle, shot.stretch, shot.tap_share, wait) == (45.0, 1.0, 0.5, 5.0)
    shot, wait = decode_action([0.0, 0.0, 1.0, 1.0], "continuous", "blue", 3.0)
    assert (shot.angle, shot.stretch, shot.tap_share, shot.delay, wait) == (-90.0, 0.001, None, 3.0, None)
    assert decode_action([0.5, 1.0, 0.5, 1.0], "continuous", "red", None).shot.tap_share is None, "it has no power"


def test_scenario_14_can_be_solved_shot_by_shot() -> None:
    """The second bird has to fly 8 s after the first, while a ball still rolls (docs/explanation/phyq-physics.md)."""
    level = template("14.1").base
    env = PhyQEnv(tasks=[Task("14.1", level)], actions="continuous")
    env.reset()
    observation, reward, terminated, _, info = env.step(np.array([(79.5 + 90) / 180, 1.0, 1.0, 8.0 / 20.0]))
    assert (reward, terminated, info["pigs_left"]) == (0.0, False, 2)
    assert info["seconds"] == pytest.approx(8.0)
    later = simulator.play(level, [[Shot(79.5)]], want=("states",))
    assert later.seconds[0] > 8.1
    assert (observation != episode_views.end(later, 0).tensor()).any(), "a ball is still rolling"
    assert env.step(np.array([(26.5 + 90) / 180, 1.0, 1.0, 1.0]))[1] == 1.0
    env.reset()
    env.step(np.array([(79.5 + 90) / 180, 1.0, 1.0, 1.0]))
    assert env.step(np.array([(26.5 + 90) / 180, 1.0, 1.0, 1.0]))[1] == 0.0, "too late when all rests"


def test_a_wait_that_outlasts_the_level_ends_at_rest() -> None:
    env = PhyQEnv(tasks=[own_task()], actions="continuous")
    env.reset()
    waited = env.step(np.array([0.5, 1.0, 1.0, 0.999]))[4]
    env.reset()
    rested = env.step(np.array([0.5, 1.0, 1.0, 1.0]))[4]
    assert waited == rested
    assert rested["seconds"] < 19.0


def test_a_bird_flies_only_after_the_previous_one_has_landed() -> None:
    env = PhyQEnv(tasks=[own_task()], actions="continuous")
    env.reset()
    info = env.step(np.array([0.95, 1.0, 1.0, 0.0]))[4]
    flown = simulator.play(own_task().level, [[Shot(81.0)]])
    assert info["seconds"] == pytest.approx((flown.landed[0, 0] - flown.start[0]) * 0.02 + 0.1)


@pytest.mark.parametrize("actions", ACTIONS)
def test_results_are_those_of_the_simulator(actions: str) -> None:
    env = PhyQEnv(scenario=13, actions=actions)
    env.action_space.seed(3)
    for seed in range(4):
        env.reset(seed=seed)
        terminated = False
        while not terminated:
            _, reward, terminated, _, info = env.step(env.action_space.sample())
        episodes = simulator.play(env.task.level, [env.shots])
        assert (info["status"], info["pigs_left"]) == (episodes.status[0], episodes.pigs_left[0])
        assert reward == float(episodes.won[0])


def test_pictures_and_text() -> None:
    env = PhyQEnv(tasks=[own_task()], render_mode="rgb_array", observation="image")
    start, _ = env.reset()
    np.testing.assert_array_equal(env.render(), start)
    later = env.step(MISS)[0]
    np.testing.assert_array_equal(env.render(), later)
    assert (start != later).any()
    words = PhyQEnv(tasks=[own_task()], render_mode="ansi")
    words.reset()
    assert words.render() == "task own:000: open, 2 pigs and 2 birds left"


def test_platforms_can_be_hidden() -> None:
    shown, hidden = (PhyQEnv(tasks=["6.4:003"], platforms=platforms).reset()[0] for platforms in (True, False))
    assert shown[..., 11].any()
    assert not hidden[..., 11].any()
    np.testing.assert_array_equal(shown[..., :11], hidden[..., :11])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scenario": 16}, "no scenario 16; there are 1 to 15"),
        ({"template": "6.9"}, r"no template '6\.9'; scenario 6 has"),
        ({"tasks": ["6.9:000"]}, r"no template '6\.9'"),
        ({"tasks": ["nonsense"]}, "no task 'nonsense': an id is"),
        ({"tasks": [own_task(), own_task()]}, "own:000 is given 2 times"),
        ({"tasks": []}, "tasks is empty"),
        ({"tasks": "6.4:003"}, "a list of ids or tasks, not a single one"),
        ({"scenario": 6, "template": "6.4"}, "give a scenario, a template or tasks, not several"),
        (
            {"observation": "sound"},
            "no observation 'sound'; there are symbolic, symbolic_float, objects, image, small_image",
        ),
        ({"reward": "praise"}, "no reward 'praise'; there are passing, num_pigs, num_pigs_normalised, score"),
        ({"actions": "words"}, "no actions 'words'; there are angles, continuous"),
        ({"render_mode": "human"}, "no render_mode 'human'; there are rgb_array, ansi"),
    ],
)
@pytest.mark.parametrize("vector", [False, True])
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str, vector: bool) -> None:
    make: Any = partial(PhyQVectorEnv, 2) if vector else PhyQEnv
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_wrong_tasks_and_actions_are_named() -> None:
    env = PhyQEnv(tasks=[own_task()])
    with pytest.raises(ResetNeeded, match="no task yet"):
        env.step(90)
    with pytest.raises(ValueError, match=r"no task '6\.4:003' in this environment, which has 1: own:000"):
        env.reset(options={"task": "6.4:003"})
    env.reset()
    for wrong in (180, -1, 3.5, [1, 2]):
        with pytest.raises(ValueError, match="an action is a whole number from 0 to 179"):
            env.step(wrong)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()
    env = PhyQEnv(tasks=[own_task()], actions="continuous")
    env.reset()
    for wrong in ([0.5, 0.5], [0.5, 0.5, 0.5, 1.5], [0.5, 0.5, 0.5, np.nan]):
        with pytest.raises(ValueError, match="four numbers from 0 to 1"):
            env.step(wrong)


def test_symbolic_floats_are_the_tensor_with_channels_first() -> None:
    numbers, floats = (PhyQEnv(tasks=["6.4:003"], observation=kind) for kind in ("symbolic", "symbolic_float"))
    for expected, seen in ((numbers.reset()[0], floats.reset()[0]), (numbers.step(130)[0], floats.step(130)[0])):
        assert (seen.dtype, seen.shape) == (np.float32, (12, 120, 160))
        np.testing.assert_array_equal(seen, np.moveaxis(expected, -1, 0))


def test_the_table_of_objects() -> None:
    level = Level(("blue", "red", "blue"), (Pig("small", 2.0, -3.262),), (Block("rect_big", "ice", 5.0, -3.0, 90.0),))
    env = PhyQEnv(tasks=[Task("own:000", level)], observation="objects")
    seen, _ = env.reset()
    rows = [dict(zip(FEATURES, row, strict=True)) for row in seen["objects"][seen["mask"] == 1].tolist()]
    kinds = [[name for name in CHANNELS if row[name]] for row in rows]
    assert kinds == [["slingshot"], ["pig"], ["ice"], ["blue"], ["red"], ["blue"]]
    pig, ice, bird = rows[1], rows[2], rows[3]
    assert (pig["x"], pig["life"]) == (2.0, 1.0)
    assert (ice["sine"], ice["x"], ice["y"]) == (1.0, 5.0, -3.0)
    np.testing.assert_allclose([ice["width"], ice["height"]], BLOCKS["rect_big", "ice"].size, rtol=1e-6)
    np.testing.assert_allclose([bird["x"], bird["y"]], level.rest_point, rtol=1e-6)
    assert dict(zip(BIRD_COLOURS, seen["birds_left"].tolist(), strict=True)) == dict.fromkeys(BIRD_COLOURS, 0.0) | {
        "blue": 2.0,
        "red": 1.0,
    }
    later = env.step(MISS)[0]
    end = episode_views.end(simulator.play(level, [env.shots], want=("states",)), 0)
    present = later["objects"][later["mask"] == 1]
    assert len(present) == 1 + len(end.objects)
    positions = sorted((round(float(x), 4), round(float(y), 4)) for x, y in present[1:, len(CHANNELS) :][:, :2])
    assert positions == sorted(
        (round(float(np.float32(o.x)), 4), round(float(np.float32(o.y)), 4)) for o in end.objects
    )
    assert later["birds_left"].sum() == 2.0


def test_a_level_with_too_many_objects_for_the_table_is_named() -> None:
    pigs = tuple(Pig("small", -10.0 + 0.5 * (k % 50), -3.262 + 0.6 * (k // 50)) for k in range(70))
    env = PhyQEnv(tasks=[Task("own:000", Level(("red",), pigs))], observation="objects")
    with pytest.raises(ValueError, match="task own:000 has 72 objects; the observation 'objects' has room for 64"):
        env.reset()


# The vector environment

ACTIONS3 = np.array([100, 120, 140])
TASKS = [*map(own_task, range(3)), "11.2:000", "14.1:000", "15.2:004"]


def assert_same(slow: Any, fast: Any) -> None:
    assert data_equivalence(slow, fast, exact=True)


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [
        ("NextStep", {"observation": "symbolic"}),
        ("NextStep", {"observation": "small_image", "actions": "continuous"}),
        ("NextStep", {"max_episode_steps": 1}),
        ("SameStep", {"actions": "continuous", "reward": "score"}),
        ("SameStep", {"observation": "objects", "max_episode_steps": 1}),
        ("Disabled", {"observation": "symbolic_float", "reward": "num_pigs_normalised"}),
        ("Disabled", {"observation": "objects", "actions": "continuous", "platforms": False}),
    ],
)
def test_the_vector_environment_gives_the_same_results(mode: str, arguments: dict[str, Any]) -> None:
    slow = gymnasium.make_vec(
        ENVIRONMENT,
        4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        tasks=TASKS,
        **arguments,
    )
    fast = gymnasium.make_vec(ENVIRONMENT, 4, autoreset_mode=mode, tasks=TASKS, **arguments)
    assert isinstance(fast, PhyQVectorEnv)
    assert fast.metadata == slow.metadata
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    assert_same(slow.reset(seed=11), fast.reset(seed=11))
    slow.action_space.seed(0)
    ended = 0
    for _ in range(10):
        actions = slow.action_space.sample()
        expected = slow.step(actions)
        assert_same(expected, fast.step(actions))
        over = expected[2] | expected[3]
        ended += over.sum()
        if mode == "Disabled" and over.any():
            assert_same(slow.reset(options={"reset_mask": over}), fast.reset(options={"reset_mask": over}))
    assert ended > 8
    chosen = {"task": "14.1:000"}
    assert_same(slow.reset(options=chosen), fast.reset(options=chosen))


def test_all_shots_of_a_step_are_one_call_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    rollout = engine.rollout

    def counted(worlds: engine.Worlds, *arguments: Any, **more: Any) -> engine.Rollouts:
        calls.append(len(worlds))
        return rollout(worlds, *arguments, **more)

    monkeypatch.setattr(engine, "rollout", counted)
    envs = PhyQVectorEnv(6, tasks=list(map(own_task, range(3))))
    envs.reset(options={"task": [f"own:00{k % 3}" for k in range(6)]})
    for _ in range(2):
        envs.step(np.full(6, MISS))
    envs.step(np.full(6, MISS))  # all episodes are reset, at levels that were settled before
    assert calls == [3, 6, 6], "three levels settle once, together"


def test_an_episode_continues_from_the_state_after_its_last_shot(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step is simulated twice: two shots take as many steps as the whole episode."""
    simulated = []
    rollout = engine.rollout

    def counted(worlds: engine.Worlds, *arguments: Any, **more: Any) -> engine.Rollouts:
        result = rollout(worlds, *arguments, **more)
        start = more["start"].steps[more["start_of"]] if more.get("start") else 0
        simulated.append((result.steps - start).sum())
        return result

    env = PhyQEnv(tasks=[own_task()])
    env.reset()
    monkeypatch.setattr(engine, "rollout", counted)
    seconds = [env.step(MISS)[4]["seconds"], env.step(110)[4]["seconds"]]
    assert sum(simulated[1:]) <= seconds[-1] / STEP + 50, "the first call settles the level"


def test_observations_can_stay_on_the_device() -> None:
    plain, kept = (PhyQVectorEnv(3, tasks=TASKS, on_device=on_device) for on_device in (False, True))
    for expected, seen in (
        (plain.reset(seed=1)[0], kept.reset(seed=1)[0]),
        (plain.step(ACTIONS3)[0], kept.step(ACTIONS3)[0]),
    ):
        assert isinstance(seen, wp.array)
        np.testing.assert_array_equal(seen.numpy(), expected)


@pytest.mark.gpu
def test_observations_and_results_are_the_same_on_a_gpu() -> None:
    for observation in OBSERVATIONS:
        cpu, gpu = (PhyQVectorEnv(6, tasks=TASKS, observation=observation, device=device) for device in ("cpu", "cuda"))
        assert_same(cpu.reset(seed=1), gpu.reset(seed=1))
        cpu.action_space.seed(0)
        for _ in range(4):
            actions = cpu.action_space.sample()
            assert_same(cpu.step(actions), gpu.step(actions))


def test_a_long_run_through_all_tasks() -> None:
    envs = PhyQVectorEnv(4)
    envs.reset(seed=0)
    envs.action_space.seed(1)
    for _ in range(10):
        infos = envs.reset()[1]
        actions = envs.action_space.sample()
        after = envs.step(actions)[4]
        for k in range(4):
            level = task(infos["task"][k]).level
            episodes = simulator.play(level, [[Shot(float(actions[k] - 90))]])
            assert (after["status"][k], after["pigs_left"][k]) == (episodes.status[0], episodes.pigs_left[0])


# Learning


@pytest.mark.parametrize(
    ("observation", "policy", "settings"),
    [("symbolic_float", "CnnPolicy", {"normalize_images": False}), ("objects", "MultiInputPolicy", {})],
)
@pytest.mark.filterwarnings("ignore:Your observation objects has an unconventional shape")
@pytest.mark.filterwarnings("ignore:It seems that your observation")
def test_stable_baselines_takes_it_as_it_is(observation: str, policy: str, settings: dict[str, Any]) -> None:
    """Its checker finds no error, and PPO takes a few steps with its own network."""
    stable_baselines3 = pytest.importorskip("stable_baselines3", reason="needs the extra rl: pip install tumble[rl]")
    from stable_baselines3.common.env_checker import check_env as check_for_stable_baselines

    env = PhyQEnv(tasks=[own_task()], observation=observation)
    check_for_stable_baselines(env)
    lengths = {"n_steps": 4, "batch_size": 4, "n_epochs": 1}
    model = stable_baselines3.PPO(policy, env, policy_kwargs=settings, device="cpu", **lengths)
    model.learn(8)
    assert model.num_timesteps == 8


@pytest.mark.slow
def test_stable_baselines_learns_on_it() -> None:
    """A few thousand steps of PPO: it runs, and on one easy level it comes to win more often than at first."""
    stable_baselines3 = pytest.importorskip("stable_baselines3", reason="needs the extra rl: pip install tumble[rl]")
    import torch
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Pooled(BaseFeaturesExtractor):
        """Each channel on a grid of 6 by 8."""

        def __init__(self, space: gymnasium.spaces.Box) -> None:
            super().__init__(space, 6 * 8 * 12)

        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.adaptive_avg_pool2d(seen.permute(0, 3, 1, 2), (6, 8)).flatten(1)

    env = gymnasium.make(ENVIRONMENT, tasks=["1.1:000"])
    policy = {"features_extractor_class": Pooled, "net_arch": [32]}
    settings: dict[str, Any] = {"n_steps": 256, "batch_size": 64, "learning_rate": 3e-3, "seed": 0, "device": "cpu"}
    model = stable_baselines3.PPO("MlpPolicy", env, policy_kwargs=policy, **settings)
    model.learn(512)
    early = np.mean([episode["r"] for episode in model.ep_info_buffer])
    model.learn(2048, reset_num_timesteps=False)
    late = np.mean([episode["r"] for episode in model.ep_info_buffer])
    assert model.num_timesteps >= 2500
    assert late > early
