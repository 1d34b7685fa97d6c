"""Sharing a scene's past among its variants changes no bit."""

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import warp as wp
from fingerprint import BALL, fingerprints, variants_of
from published import Published

from tumble import engine
from tumble.engine.host import recording, rollout
from tumble.engine.host.job import Job
from tumble.engine.host.recording import RecordingMemory, SceneSize
from tumble.engine.host.stepping import FusedSettings, stepped_by
from tumble.engine.rollout.snapshots import NO_APPROACH
from tumble.engine.rules.queries import int_param, scratch_int, set_scratch_int
from tumble.engine.state.world import World
from tumble.scene import samples

STEPS = 400


def variants(count: int, balls: int, seed: int = 0) -> tuple[engine.Worlds, engine.Rule]:
    rng = np.random.default_rng(seed)
    scenes = [samples.dominoes(), samples.jars(), samples.stack(5), samples.ramp()]
    worlds, scene_of = variants_of(scenes, count, balls, rng)
    return worlds, fingerprints(scenes, scene_of, rng.integers(50, STEPS, len(scenes)))


def shared_and_plain(worlds: engine.Worlds, rule: engine.Rule, **options: object) -> tuple[engine.Rollouts, ...]:
    chosen = engine.Options(max_steps=STEPS, **options)  # type: ignore[arg-type]
    return tuple(engine.rollout(worlds, rule, replace(chosen, share_past=share)) for share in (True, False))


@pytest.mark.parametrize("balls", [1, 2])
def test_shared_rollouts_equal_plain_ones_bit_for_bit(balls: int) -> None:
    worlds, rule = variants(600, balls)
    shared, plain = shared_and_plain(worlds, rule)
    assert len(np.unique(plain.verdicts)) > 40, "the fingerprints must tell variants apart"
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)


@pytest.mark.gpu
@pytest.mark.parametrize("group", [rollout.GPU_WORLDS, 300])
@pytest.mark.parametrize("settings", [FusedSettings(), FusedSettings(block=512, blocks_per_processor=2)])
@pytest.mark.parametrize(("balls", "contacts"), [(1, 48), (2, 48), (2, 4)])
def test_shared_rollouts_on_the_gpu_equal_plain_ones_on_the_cpu(
    settings: FusedSettings, balls: int, contacts: int, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollout, "GPU_FEWEST_VARIANTS", 1)
    monkeypatch.setattr(rollout, "GPU_FEWEST_WORLDS", 1)
    monkeypatch.setattr(rollout, "GPU_WORLDS", group)
    monkeypatch.setattr(rollout, "CONTACTS", contacts)
    worlds, rule = variants(600, balls)
    with stepped_by(settings):
        shared, _ = shared_and_plain(worlds, rule, device="cuda")
    _, plain = shared_and_plain(worlds, rule)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)


@pytest.mark.slow
def test_shared_rollouts_of_every_published_template_equal_plain_ones(published: Published) -> None:
    rng = np.random.default_rng(0)
    for tier in ("B", "2B"):
        ids = {task_id[:5]: task_id for task_id, task in published.tasks.items() if task.tier == tier}.values()
        cases = [(task_id, action) for task_id in ids for action in published.random_valid(task_id, 30, rng)]
        worlds, _ = published.worlds(cases)
        at = rng.integers(50, STEPS, len(worlds.scenes))
        shared, plain = shared_and_plain(worlds, fingerprints(list(worlds.scenes), worlds.scene_of, at))
        assert len(np.unique(plain.verdicts)) > 20
        np.testing.assert_array_equal(shared.verdicts, plain.verdicts)


def test_it_is_used_and_saves_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball that never comes near the others leaves nothing to be rolled out after it."""
    worlds = engine.variants(samples.ramp(), kinds=[BALL], poses=np.full((20, 1, 3), (240.0, 200.0, 0.0)))
    orders = []
    original = recording.branching_order

    def spy(*arguments: object) -> np.ndarray:
        orders.append(original(*arguments))  # type: ignore[arg-type]
        return orders[-1]

    monkeypatch.setattr(recording, "branching_order", spy)
    engine.rollout(worlds, options=engine.Options(max_steps=20))
    assert [len(order) for order in orders] == [0]


@pytest.mark.parametrize(
    ("module", "name", "room"),
    [(rollout, "CONTACTS", 4), (recording, "CONTACTS", 4), (recording, "ADDED_CONTACTS", 1)],
)
def test_worlds_that_do_not_fit_are_rolled_out_plainly(
    module: ModuleType, name: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds, rule = variants(120, 2)
    monkeypatch.setattr(module, name, room)
    shared, plain = shared_and_plain(worlds, rule)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)


@pytest.mark.parametrize(("name", "needs_copy"), [("CPU_RECORDING_BYTES", False), ("HOST_BYTES", True)])
def test_a_past_too_long_to_keep_is_not_kept(name: str, needs_copy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds, rule = variants(60, 1)
    monkeypatch.setattr(recording, "needs_copy", lambda _: needs_copy)
    monkeypatch.setattr(rollout, name, 1000)
    monkeypatch.setattr(rollout, "GroupRun", None)
    shared, plain = shared_and_plain(worlds, rule)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Has scenes recorded apart, as for a GPU: each copy of one with its last step and the step that decided it.

    What is not recorded, or not copied, is no number.
    """
    allocated, copied = RecordingMemory.of, RecordingMemory.copy_scene
    found = []

    def of(*arguments: object) -> RecordingMemory:
        memory = allocated(*arguments)  # type: ignore[arg-type]
        for name, array in memory.arrays.items():
            array.fill_(-1 if name in ("ints", "scratch") else np.nan)
        return memory

    def copy_scene(*arguments: object) -> None:
        copied(*arguments)  # type: ignore[arg-type]
        found.append(arguments[-2:])

    monkeypatch.setattr(recording, "needs_copy", lambda _: True)
    monkeypatch.setattr(RecordingMemory, "of", staticmethod(of))
    monkeypatch.setattr(RecordingMemory, "copy_scene", copy_scene)
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("balls", [1, 2])
def test_recordings_copied_to_another_device_change_no_bit(balls: int, copies: list[tuple[int, int]]) -> None:
    worlds, rule = variants(300, balls)
    shared, plain = shared_and_plain(worlds, rule)
    assert len(np.unique(plain.verdicts)) > 40
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)
    assert len(copies) == len(worlds.scenes)
    assert len(set(copies)) == len(copies), "the scenes must be of different lengths"


def test_a_rule_that_counts_goes_on_where_a_scene_is_at_rest(copies: list[tuple[int, int]]) -> None:
    """Its scratch is recorded, and copied, after the last step in which a body moved."""
    scene = samples.stack(5)
    rule = engine.touching(scene.index("floor"), scene.index("box 0"), hold=200)
    poses = np.random.default_rng(0).uniform((90.0, 200.0, 0.0), (170.0, 250.0, 0.0), (40, 1, 3))
    shared, plain = shared_and_plain(engine.variants(scene, kinds=[BALL], poses=poses), rule)
    assert set(plain.verdicts) == {1}
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)
    ((last, decided),) = copies
    assert last < 60 < decided


@pytest.mark.parametrize(("scenes", "groups", "chunk"), [(1, 1, 0), (3, 1, 0), (2, 2, 0), (4, 1, 50)])
def test_scenes_recorded_in_parts_and_groups(
    scenes: int, groups: int, chunk: int, copies: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds, rule = variants(150, 2)
    dynamic = [[body for body in scene.bodies if body.dynamic] for scene in worlds.scenes]
    shapes = max(sum(len(body.shapes) for body in bodies) for bodies in dynamic)
    size = SceneSize(STEPS + 1, max(map(len, dynamic)), shapes, rollout.CONTACTS)
    monkeypatch.setattr(recording, "HOST_BYTES", scenes * size.bytes)
    monkeypatch.setattr(rollout, "CPU_RECORDING_BYTES", 4 // groups * size.bytes)
    shared, plain = shared_and_plain(worlds, rule, chunk=chunk)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)
    assert len(copies) >= len(worlds.scenes)


def test_scenes_whose_recording_does_not_fit_are_not_copied(
    copies: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds, rule = variants(120, 2)
    monkeypatch.setattr(rollout, "CONTACTS", 4)
    shared, plain = shared_and_plain(worlds, rule)
    assert 0 < len(copies) < len(worlds.scenes)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)
    np.testing.assert_array_equal(shared.steps, plain.steps)


@pytest.mark.parametrize(("chunk", "scenes"), [(0, 4), (150, 4), (250, 4), (70, 4), (1000, 1), (0, 1)])
def test_groups_are_alike_and_have_every_world_once(chunk: int, scenes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds, rule = variants(150, 1)
    job = Job(worlds, rule, engine.Options(max_steps=STEPS, chunk=chunk), lambda _: None)
    monkeypatch.setattr(rollout, "_max_scenes", lambda *_: scenes)
    groups = list(rollout._groups(recording.recorder_for(job), np.arange(len(worlds))))
    np.testing.assert_array_equal(np.sort(np.concatenate([group.members for group in groups])), np.arange(len(worlds)))
    assert max(len(group.scenes) for group in groups) <= scenes
    assert chunk == 0 or max(len(group.members) for group in groups) <= 1.5 * chunk
    for group in groups:
        assert set(worlds.scene_of[group.members]) <= set(group.scenes)
        np.testing.assert_array_equal(worlds.scene_of[group.first_of], group.scenes)


def test_worlds_branch_by_scene_time_and_place() -> None:
    rng = np.random.default_rng(0)
    scene_of, steps, x = rng.integers(0, 30, 900), rng.integers(-1, 300, 900), rng.integers(0, 40, 900)
    order = recording.branching_order(scene_of, steps, np.argsort(x, kind="stable"))
    bins = steps // recording.APPROACH_BIN
    expected = np.lexsort((x, bins, scene_of))
    np.testing.assert_array_equal(order, expected[steps[expected] != NO_APPROACH])


@pytest.mark.parametrize("chunk", [5, 50])
def test_chunks_change_nothing(chunk: int) -> None:
    worlds, rule = variants(150, 1)
    shared, plain = shared_and_plain(worlds, rule, chunk=chunk)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)


def test_a_goal_reached_without_help_is_reached_by_every_variant_that_stays_away() -> None:
    scene = samples.dominoes()
    goal = engine.touching(scene.index("ball"), scene.index("domino 0"), hold=3)
    alone = engine.rollout(engine.each([scene]), goal)
    far = engine.variants(scene, kinds=[BALL], poses=np.full((20, 1, 3), (250.0, 250.0, 0.0)))
    together = engine.rollout(far, goal)
    assert alone.verdicts[0] == 1
    assert set(together.steps) == set(alone.steps)
    assert set(together.verdicts) == {1}


@wp.func
def begin_counting(w: World) -> None:
    set_scratch_int(w, 0, scratch_int(w, 0) + 100)


@wp.func
def count_steps(w: World) -> int:
    set_scratch_int(w, 0, scratch_int(w, 0) + 1)
    if scratch_int(w, 0) == int_param(w, 0):
        return 1
    return 0


@pytest.mark.slow
def test_begin_is_called_once_for_each_world() -> None:
    """The count starts at 100, also where a world branches off later."""
    worlds, _ = variants(60, 1)
    rule = engine.Rule(count_steps, begin=begin_counting, ints=np.array([100 + 200]), only_scene_bodies=True)
    shared, plain = shared_and_plain(worlds, rule)
    assert set(shared.steps) == set(plain.steps) == {200}
    assert set(shared.verdicts) == set(plain.verdicts) == {1}


def test_variants_that_change_nothing_are_the_scene() -> None:
    same = engine.rollout(engine.variants(samples.ramp(), poses=np.zeros((20, 0, 3))))
    assert set(same.steps) == {1000}


def test_worlds_under_different_goals_do_not_share() -> None:
    scene = samples.jars()
    a = np.where(np.arange(40) % 2, scene.index("left ball"), scene.index("right ball"))
    rule = engine.touching(a, scene.index("upper ball"), hold=2)
    worlds = engine.variants(scene, kinds=[BALL], poses=np.full((40, 1, 3), (128.0, 240.0, 0.0)))
    shared, plain = shared_and_plain(worlds, rule)
    np.testing.assert_array_equal(shared.steps, plain.steps)
    np.testing.assert_array_equal(shared.verdicts, plain.verdicts)


def test_worlds_that_can_no_longer_be_decided_end_at_once_with_the_verdict_of_all_steps() -> None:
    scene = samples.ramp()
    poses = np.random.default_rng(5).uniform((60.0, 120.0, 0.0), (240.0, 240.0, 0.0), (60, 1, 3))
    worlds = engine.variants(scene, kinds=[BALL], poses=poses)
    goal = engine.touching(scene.index("ball"), scene.index("crate"), hold=2)
    solved = engine.rollout(worlds, goal, engine.Options(max_steps=STEPS, stride=1))
    times = np.unique(solved.steps[solved.verdicts == 1])
    assert len(times) > 2, "the balls must make a difference"
    for max_steps in (int(times[0]) - 1, int(times[0]), int(times[-1])):
        every_step = engine.rollout(worlds, goal, engine.Options(max_steps=max_steps, stride=1))
        assert (every_step.verdicts == (solved.verdicts == 1) * (solved.steps <= max_steps)).all()
        for share_past in (False, True):
            early = engine.rollout(worlds, goal, engine.Options(max_steps=max_steps, share_past=share_past))
            assert (early.verdicts == every_step.verdicts).all()
            assert (early.steps == every_step.steps).all()
