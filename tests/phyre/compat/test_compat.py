"""The original's interface gives what Tumble's gives: statuses, pictures, features, folds, metrics, caches."""

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import tumble.phyre.compat as compat
from tumble import engine, phyre
from tumble.errors import TumbleError
from tumble.phyre.catalogue import template as tasks_shapes
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.templates import published_numbers
from tumble.phyre.compat.simulation import centre_of_mass
from tumble.phyre.simulation.sweep_files import create_store
from tumble.scene import Body, Scene
from tumble.scene.drawing import PALETTE

SCRIPT = Path(__file__).with_name("tutorial_script.py")
SOLVED_TASK = "00003:000"
"""It has a dynamic jar."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tutorial_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ids_of(tier: str, every: int) -> tuple[str, ...]:
    """The first task of every n-th template of a tier."""
    firsts = [f"{name}:{numbers[0]:03d}" for name, numbers in published_numbers().items()]
    return tuple(task_id for task_id in firsts if phyre.task(task_id).tier == tier)[::every]


def test_a_script_for_the_original_runs(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        script.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == list(compat.MAIN_EVAL_SETUPS)
    assert "AUCCESS" in lines[0]


def test_only_the_import_of_the_script_is_ours() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "tumble" in line] == ["import tumble.phyre.compat as phyre"]


@pytest.mark.parametrize("tier", ["ball", "two_balls"])
def test_statuses_are_those_of_tumble(tier: str) -> None:
    ours = {"ball": "B", "two_balls": "2B"}[tier]
    ids = ids_of(ours, every=5)
    simulator = compat.initialize_simulator(ids, tier)
    random = simulator.build_discrete_action_space(30)
    reference = phyre.Simulator([phyre.task(task_id) for task_id in ids], ours)
    seen = set()
    for index, task_id in enumerate(ids):
        actions = np.array([*random, solutions()[task_id]])
        for stable in (False, True):
            expected = reference.pairs([task_id] * len(actions), actions, stable=stable, progress=lambda _: None)
            found = [simulator.simulate_action(index, one, need_images=False, stable=stable) for one in actions]
            assert [one.status for one in found] == expected.tolist()
            assert all(one.images is None and one.featurized_objects is None for one in found)
            seen |= {one.status.name for one in found}
    assert {"NOT_SOLVED", "INVALID_INPUT", "SOLVED", "STABLY_SOLVED"} <= seen


def test_statuses_have_the_published_numbers() -> None:
    status = compat.SimulationStatus
    assert {one.name: one.value for one in status} == {
        "NOT_SOLVED": -1,
        "INVALID_INPUT": 0,
        "SOLVED": 1,
        "UNSTABLY_SOLVED": 2,
        "STABLY_SOLVED": 3,
    }
    assert [one.is_solved() for one in status] == [False, False, True, True, True]
    assert [one.is_not_solved() for one in status] == [True, False, False, False, False]
    assert [one.is_invalid() for one in status] == [False, True, False, False, False]
    assert [one.is_stably_solved() for one in status] == [False, False, False, False, True]


def test_images_are_ours_with_the_bottom_row_first() -> None:
    task = phyre.task(SOLVED_TASK)
    simulator = compat.initialize_simulator([task.id], "ball")
    action = solutions()[task.id]
    reference = phyre.Simulator([task], "B").simulate(task, action, stride=30, want=["observations"])
    assert reference.observations is not None
    images = simulator.simulate_action(0, action, stride=30).images
    assert images is not None
    assert np.array_equal(images[:, ::-1], reference.observations)
    assert np.array_equal(simulator.initial_scenes[0, ::-1], phyre.observe.picture(task.scene))
    assert simulator.initial_scenes.dtype == np.uint8
    status, single = simulator.simulate_single(0, action, stride=30)
    assert status.is_solved()
    assert single is not None
    assert np.array_equal(single, images)


def test_features_are_ours_about_centres_of_mass() -> None:
    task = phyre.task(SOLVED_TASK)
    simulator = compat.initialize_simulator([task.id], "ball")
    action = next(
        a for a in simulator.build_discrete_action_space(50) if simulator.simulate_action(0, a).images is not None
    )
    found = simulator.simulate_action(0, action, need_images=False, need_featurized_objects=True).featurized_objects
    ours = phyre.Simulator([task], "B").simulate(task, action, want=["features"]).features
    assert found is not None
    assert ours is not None
    assert found.features.shape == ours.shape
    assert "JAR" in found.shapes
    for k, shape in enumerate(found.shapes):
        moved = np.hypot(*(found.states[:, k, :2] - ours[:, k, :2]).T)
        assert (moved > 0.01).all() if shape == "JAR" else (moved == 0.0).all()
    assert np.array_equal(found.features[:, :, 2:], ours[:, :, 2:])
    assert found.colors[-1] == "RED"
    assert (found.num_user_inputs, found.num_scene_objects) == (1, found.num_objects - 1)
    assert found.xs.shape == found.ys.shape == found.angles.shape == found.features.shape[:2]
    assert found.diameters.shape == (found.num_objects,)
    assert found.shapes_one_hot.shape == (found.num_objects, 4)
    assert found.colors_one_hot.shape == (found.num_objects, 6)
    start = simulator.initial_featurized_objects[0]
    assert start.features.shape == (1, found.num_scene_objects, 14)
    assert np.allclose(start.features[0], found.features[0, :-1])


def test_a_free_jar_turns_about_its_centre_of_mass() -> None:
    jar = Body(tasks_shapes.jar(0.3).shapes, (128.0, 128.0), angle=0.4, angular_velocity=2.0, dynamic=True)
    scene = Scene((jar,), gravity=(0.0, 0.0), units_per_metre=6.0)
    rollouts = engine.rollout(engine.each([scene]), options=engine.Options(max_steps=60, stride=20))
    x, y, angle = rollouts.poses[0, :, 0].T
    u, v = centre_of_mass(jar)
    assert np.ptp(x) > 10.0  # the origin moves
    assert np.ptp(x + u * np.cos(angle) - v * np.sin(angle)) < 0.01
    assert np.ptp(y + u * np.sin(angle) + v * np.cos(angle)) < 0.01


@pytest.mark.parametrize("tier", ["ball", "two_balls"])
def test_pictures_drawn_from_features_are_the_observations(tier: str) -> None:
    ids = ids_of({"ball": "B", "two_balls": "2B"}[tier], every=1)
    simulator = compat.initialize_simulator(ids, tier)
    shapes = set()
    for scene, objects in zip(simulator.initial_scenes, simulator.initial_featurized_objects, strict=True):
        drawn = compat.featurized_objects_vector_to_raster(objects.features[0])
        assert (drawn != scene).mean() < 5e-4  # pixels whose centre lies on an edge
        assert np.array_equal(drawn, compat.featurized_objects_vector_to_raster(objects.features))
        shapes |= set(objects.shapes)
    assert {"BALL", "BAR", "JAR"} <= shapes


def test_rgb_pictures_have_the_top_row_first() -> None:
    scene = compat.initialize_simulator(["00000:000"], "ball").initial_scenes[0]
    picture = compat.observations_to_uint8_rgb(scene)
    assert picture.shape == (256, 256, 3)
    assert np.array_equal(picture, PALETTE[scene[::-1]])
    assert np.allclose(compat.observations_to_float_rgb(scene), picture / 255.0)
    marked = compat.observations_to_uint8_rgb(scene, user_input=[(10, 20), (999, 0)])
    assert marked[255 - 20, 10].tolist() == PALETTE[1].tolist()
    assert (marked != picture).any(axis=2).sum() == 1
    for solved, colour in ((True, 2), (False, 1)):
        strip = compat.observations_to_uint8_rgb(scene, is_solved=solved)
        assert (strip[:5] == PALETTE[colour]).all()
        assert np.array_equal(strip[5:], picture[5:])


def test_discrete_actions_are_what_sample_draws() -> None:
    for tier in compat.ACTION_TIERS:
        simulator = compat.initialize_simulator([], tier)
        actions = simulator.build_discrete_action_space(200, seed=7)
        rng = np.random.RandomState(7)
        assert np.array_equal(actions, [simulator.sample(rng=rng) for _ in range(200)])
        assert phyre.actions.within_scene(np.array(actions)).all()
        assert len(actions[0]) == simulator.action_space_dim
        assert not np.array_equal(actions, simulator.build_discrete_action_space(200))
    everything = np.array([simulator.sample(valid_only=False, rng=rng) for _ in range(200)])
    assert not phyre.actions.within_scene(everything).all()


def test_folds_are_ours() -> None:
    for setup in compat.MAIN_EVAL_SETUPS:
        tier = {"ball": "B", "two_balls": "2B"}[compat.eval_setup_to_action_tier(setup)]
        ours = phyre.fold(setup, 3, phyre.task_ids(tier))
        assert compat.get_fold(setup, 3) == (tuple(ours.train), tuple(ours.validation), tuple(ours.test))
    assert set(compat.MAIN_EVAL_SETUPS) < set(compat.list_eval_setups())
    alone = compat.get_fold("ball_single_instance", 3)
    assert alone == ((), (), compat.get_fold("ball_within_template", 3)[2])
    with pytest.raises(ValueError, match="no evaluation setup 'ball'"):
        compat.get_fold("ball", 0)


def test_metrics_are_ours() -> None:
    solved_at = [1, None, 7, 100, 3]
    evaluator = compat.Evaluator([f"00000:{k:03d}" for k in range(5)])
    for index, at in enumerate(solved_at):
        assert not evaluator.maybe_log_attempt(index, compat.SimulationStatus.INVALID_INPUT)
        for attempt in range(1, (at or 100) + 1):
            assert evaluator.maybe_log_attempt(index, 3 if attempt == at else "NOT_SOLVED")
    assert len(evaluator) == 211
    assert evaluator.attempts_per_task_index.tolist() == [1, 100, 7, 100, 3]
    assert evaluator.get_attempts_for_task(2) == 7
    metrics = evaluator.compute_all_metrics()
    assert metrics["independent_solved_by"] == [0.0, *phyre.success_curve(solved_at)]
    assert evaluator.get_auccess() == pytest.approx(phyre.auccess(solved_at))
    assert metrics["independent_solved_by_aucs"][100] == pytest.approx(phyre.auccess(solved_at))
    assert metrics["independent_solved_by_aucs"][:2] == [0.0, 0.2]
    assert evaluator.get_auccess(10) == evaluator.get_aucess(10) == metrics["independent_solved_by_aucs"][10]
    assert metrics["global_solved_by"] == {100: 0.2, 1_000: 0.8, 100_000: 0.8}
    assert (metrics["total_attempts"], metrics["total_solved"]) == (211 / 5, 4 / 5)


def test_the_evaluator_refuses_and_warns() -> None:
    evaluator = compat.Evaluator(["00000:000", "00000:001"])
    evaluator.maybe_log_attempt(0, 1)
    with pytest.warns(UserWarning, match="1 of 2 tasks are unsolved with fewer than 100 attempts"):
        assert evaluator.get_auccess() == pytest.approx(0.5)
    for _ in range(100):
        evaluator.maybe_log_attempt(1, -1)
    with pytest.raises(AssertionError, match="00000:001 already has 100 attempts"):
        evaluator.maybe_log_attempt(1, -1)
    assert not evaluator.maybe_log_attempt(1, 0)  # an invalid action is never an attempt
    with pytest.raises(TumbleError, match="no status 7"):
        evaluator.maybe_log_attempt(0, 7)
    with pytest.raises(TumbleError, match="no task 2"):
        evaluator.maybe_log_attempt(2, 1)


def test_wrong_actions() -> None:
    simulator = compat.initialize_simulator(["00000:000"], "ball")
    assert simulator.simulate_action(0, [0.5, 1.2, 0.1]).status.is_invalid()
    for action, message in (
        ([0.5, 0.5], "has 3 numbers"),
        ([0.5, np.nan, 0.1], "no NaN"),
        ("abc", "must be 3 numbers"),
    ):
        with pytest.raises(TumbleError, match=message):
            simulator.simulate_action(0, action)  # type: ignore[arg-type]
    with pytest.raises(TumbleError, match="no task 1 in this simulator"):
        simulator.simulate_action(1, [0.5, 0.5, 0.5])
    with pytest.raises(TumbleError, match="no action tier 'B'"):
        compat.initialize_simulator(["00000:000"], "B")


def test_a_sweep_store_is_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [phyre.task(task_id) for task_id in ("00000:000", "00001:000")]
    simulator = compat.initialize_simulator([task.id for task in tasks], "ball")
    actions = simulator.build_discrete_action_space(40)
    create_store(tmp_path / "ball", tasks, "B", actions).fill(phyre.Simulator(tasks, "B"), progress=lambda _: None)
    monkeypatch.setenv("TUMBLE_PHYRE_CACHE", str(tmp_path))
    cache = compat.get_default_100k_cache("ball")
    assert len(cache) == 40
    assert cache.task_ids == {"00000:000", "00001:000"}
    assert np.array_equal(cache.action_array, actions)
    statuses = [simulator.simulate_action(1, action, need_images=False).status for action in actions]
    assert cache.load_simulation_states("00001:000").tolist() == statuses
    sample = cache.get_sample(["00001:000"], 10)
    assert sample["task_ids"] == ("00001:000",)
    assert sample["actions"].shape == (10, 3)
    assert sample["simulation_statuses"].tolist() == [statuses[:10]]
    assert cache.get_sample()["simulation_statuses"].shape == (2, 40)
    with pytest.raises(TumbleError, match="has 40 actions, not 100,000"):
        cache.get_sample(num_actions=100_000)
    with pytest.raises(TumbleError, match=r"To make one: tumble phyre sweep .*two_balls --tier 2B --actions 100000"):
        compat.get_default_100k_cache("two_balls")
    with pytest.raises(TumbleError, match="is of tier B, not 2B"):
        compat.get_default_100k_cache("two_balls", tmp_path / "ball")


def test_without_a_store_the_shipped_one_is_opened_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TUMBLE_PHYRE_CACHE", raising=False)
    with pytest.warns(UserWarning, match=r"1,000 actions instead of 100,000.*tumble phyre sweep FOLDER/ball"):
        cache = compat.get_default_100k_cache("ball")
    assert len(cache) == 1000
    assert len(cache.task_ids) == 2500


def test_modules_are_reached_as_in_the_original() -> None:
    assert compat.metrics.MAX_TEST_ATTEMPTS == compat.MAX_TEST_ATTEMPTS == 100
    assert compat.metrics.MAIN_EVAL_SETUPS is compat.MAIN_EVAL_SETUPS
    assert compat.action_simulator.ActionSimulator is compat.ActionSimulator
    assert (compat.NUM_COLORS, compat.SCENE_WIDTH, compat.SCENE_HEIGHT) == (7, 256, 256)
