"""What can't be rolled out is refused in words; what barely can be, comes back in good shape."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from tumble import engine
from tumble.engine import ADD, NO_CHANGE, Options, OptionsError, WorldsError
from tumble.scene import Body, Circle, Scene, box

BALL = Body((Circle(0.5),), position=(1.0, 2.0), velocity=(3.0, 0.0), angular_velocity=1.0, dynamic=True)
FLOOR = Body((box(9.0, 1.0),), position=(0.0, -0.5))
SCENE = Scene((FLOOR, BALL))
START = np.array([[0.0, -0.5, 0.0], [1.0, 2.0, 0.0]], np.float32)
START_VELOCITIES = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 1.0]], np.float32)
HERE = [[[0.0, 5.0, 0.0]]]

COUNTS = ["velocity_iterations", "position_iterations", "max_steps", "stride", "threads", "chunk"]
WRONG_OPTIONS: list[tuple[dict[str, Any], str]] = [
    *(({"dt": dt}, f"dt must be above 0 and at most 1 second, not {dt}") for dt in (0.0, -0.1, 1.5, nan, inf)),
    *(
        ({name: value}, f"{name} must be a whole number from 0 to 10000000, not {value!r}")
        for name in COUNTS
        for value in (-1, 2.5, "3", None)
    ),
    ({"velocities": True}, "velocities are kept with poses: set stride to 1 or more"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS, ids=[str(options) for options, _ in WRONG_OPTIONS])
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError) as caught:
        Options(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize("dt", ["fast", None])
def test_a_time_step_that_is_no_number_is_named(dt: Any) -> None:
    with pytest.raises(OptionsError, match="dt must be"):
        Options(dt=dt)


@pytest.mark.parametrize("name", ["max_steps", "velocity_iterations", "position_iterations"])
def test_a_count_that_the_engine_can_not_hold_is_refused(name: str) -> None:
    """The kernels count in 32 bits; 2^31 would come out negative."""
    too_many: dict[str, Any] = {name: 2**31}
    with pytest.raises(OptionsError, match=name):
        Options(**too_many)


def test_numpy_numbers_are_numbers() -> None:
    numbers: dict[str, Any] = {"dt": np.float32(0.01), "max_steps": np.int64(6), "stride": np.int32(2)}
    assert engine.rollout(engine.each([SCENE]), options=Options(**numbers)).frames.tolist() == [0, 2, 4, 6]


TWO = [*HERE, *HERE]
WRONG_WORLDS: list[tuple[dict[str, Any], str]] = [
    ({"poses": [0.0, 0.0, 0.0]}, "poses must have the shape [worlds, changes, 3], not [3]"),
    ({"poses": [[[0.0, 0.0]]]}, "poses must have the shape [worlds, changes, 3], not [1, 1, 2]"),
    (
        {"poses": HERE, "scene_of": [0, 0]},
        "scene_of must have the shape [1] of the poses, or fewer axes, not [2]",
    ),
    ({"poses": HERE, "scene_of": [1]}, "scene_of must lie in 0..0"),
    ({"poses": TWO, "scene_of": [0, -1]}, "scene_of must lie in 0..0"),
    ({"poses": TWO, "target": [[ADD], [-3]]}, "world 1, change 0: target -3 is neither a body, ADD nor NO_CHANGE"),
    ({"poses": TWO, "target": [[1], [2]]}, "world 1, change 0: target 2 is not a body of its scene"),
    ({"poses": TWO, "kind": [[0], [1]]}, "world 1, change 0: kind 1 is not in kinds"),
    ({"poses": HERE, "kind": -1}, "world 0, change 0: kind -1 is not in kinds"),
    ({"poses": [[[0.0, 1.0, 2.0], [0.0, nan, 0.0]]]}, "world 0, change 1: poses [ 0. nan  0.] are not finite numbers"),
    (
        {"poses": HERE, "velocities": [[[inf, 0.0, 0.0]]]},
        "world 0, change 0: velocities [inf  0.  0.] are not finite numbers",
    ),
]


@pytest.mark.parametrize(("changes", "message"), WRONG_WORLDS, ids=[message for _, message in WRONG_WORLDS])
def test_wrong_variants_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(WorldsError) as caught:
        engine.variants(SCENE, kinds=[BALL], **changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "changes",
    [
        {"velocities": [[[1.0, 2.0]]]},
        {"velocities": np.zeros((3, 1, 3))},
        {"target": [[ADD, ADD]]},
        {"kind": [[0], [0]]},
        {"scene_of": [[0]]},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_an_array_that_does_not_fit_the_poses_is_named(changes: dict[str, Any]) -> None:
    with pytest.raises(WorldsError, match=next(iter(changes))):
        engine.variants(SCENE, kinds=[BALL], poses=HERE, **changes)


def test_variants_of_no_scene_are_refused() -> None:
    with pytest.raises(WorldsError, match="scene"):
        engine.variants([], kinds=[BALL], poses=HERE)


def test_the_values_of_no_change_are_not_read() -> None:
    worlds = engine.variants(SCENE, kinds=[BALL], target=NO_CHANGE, kind=7, poses=[[[nan, inf, 0.0]]], velocities=nan)
    changed = engine.rollout(worlds, options=Options(max_steps=30, stride=10))
    plain = engine.rollout(engine.each([SCENE]), options=Options(max_steps=30, stride=10))
    assert np.array_equal(changed.poses[:, :, :2], plain.poses)
    assert np.isnan(changed.poses[:, :, 2]).all()


@pytest.mark.parametrize("device", ["gpu9", "cuda:77", "a toaster"])
def test_an_unknown_device_is_named(device: str) -> None:
    with pytest.raises(ValueError, match=device):
        engine.rollout(engine.each([SCENE]), options=Options(device=device))


def test_a_rule_needs_a_row_of_parameters_for_each_world() -> None:
    with pytest.raises(ValueError, match="parameters for 3 worlds, but there are 2"):
        engine.rollout(engine.each([SCENE, SCENE]), engine.touching([0, 0, 0], 1, 10))


@pytest.mark.parametrize(("body", "reach"), [(-3, 0.0), (2, 0.0), (2, 1.0)])
def test_a_rule_can_not_name_a_body_that_does_not_exist(body: int, reach: float) -> None:
    with pytest.raises(ValueError, match=str(body)):
        engine.rollout(engine.each([SCENE]), engine.touching(0, body, 10, reach), Options(max_steps=10))


# What barely can be


def test_no_worlds() -> None:
    nothing = np.zeros((0, 1, 3))
    for worlds in (engine.each([]), engine.variants(SCENE, kinds=[BALL], poses=nothing)):
        result = engine.rollout(worlds, options=Options(max_steps=20, stride=10, velocities=True, events=True))
        assert result.verdicts.shape == result.steps.shape == result.events.shape == (0,)
        assert result.frames.tolist() == [0, 10, 20]
        assert result.poses.shape[:2] == result.velocities.shape[:2] == (0, 3)


def test_a_world_without_bodies() -> None:
    result = engine.rollout(engine.each([Scene(())]), options=Options(max_steps=20, stride=10, velocities=True))
    assert (result.verdicts.tolist(), result.steps.tolist()) == ([0], [20])
    assert result.poses.shape == result.velocities.shape == (1, 3, 0, 3)


def test_a_world_of_static_bodies() -> None:
    result = engine.rollout(engine.each([Scene((FLOOR,))]), options=Options(max_steps=20, stride=10, events=True))
    assert (result.verdicts.tolist(), result.steps.tolist()) == ([0], [20])
    assert (result.poses == START[0]).all()
    assert len(result.events) == 0


def test_a_dormant_body_is_not_there() -> None:
    """The ball falls through where it would lie."""
    sleeper = Body((box(9.0, 1.0),), position=(0.0, 1.0), dormant=True)
    scenes = [Scene((FLOOR, BALL)), Scene((FLOOR, BALL, sleeper))]
    result = engine.rollout(engine.each(scenes), options=Options(max_steps=60, stride=1))
    assert np.array_equal(result.poses[0, :, :2], result.poses[1, :, :2])
    assert np.isnan(result.poses[1, :, 2]).all()


def test_no_steps() -> None:
    """What is kept of every so many steps, the start included, is then the start."""
    result = engine.rollout(engine.each([SCENE]), options=Options(max_steps=0, stride=1, velocities=True))
    assert (result.verdicts.tolist(), result.steps.tolist(), result.frames.tolist()) == ([0], [0], [0])
    assert np.array_equal(result.poses[0, 0], START)
    assert np.array_equal(result.velocities[0, 0], START_VELOCITIES)


@pytest.mark.parametrize("stride", [31, 1000])
def test_a_stride_longer_than_the_rollout_keeps_the_start(stride: int) -> None:
    result = engine.rollout(engine.each([SCENE]), options=Options(max_steps=30, stride=stride, velocities=True))
    assert (result.steps.tolist(), result.frames.tolist()) == ([30], [0])
    assert np.array_equal(result.poses[0, 0], START)
    assert np.array_equal(result.velocities[0, 0], START_VELOCITIES)


def test_without_a_stride_no_frames_are_kept() -> None:
    result = engine.rollout(engine.each([SCENE]), options=Options(max_steps=30))
    assert (result.steps.tolist(), result.frames.tolist(), result.poses.shape[:2]) == ([30], [], (1, 0))


def test_worlds_of_different_sizes() -> None:
    """Each as if it were alone, with NaN where it has no body."""
    scenes = [Scene(()), SCENE, Scene((FLOOR,)), SCENE.with_bodies(Body((Circle(0.2),), (-1.0, 3.0), dynamic=True))]
    options = Options(max_steps=60, stride=20, velocities=True)
    together = engine.rollout(engine.each(scenes), options=options)
    assert together.poses.shape == (4, 4, 3, 3)
    for k, scene in enumerate(scenes):
        alone = engine.rollout(engine.each([scene]), options=options)
        bodies = len(scene.bodies)
        for all_worlds, own in ((together.poses, alone.poses), (together.velocities, alone.velocities)):
            assert np.array_equal(all_worlds[k, :, :bodies], own[0])
            assert np.isfinite(own).all()
            assert np.isnan(all_worlds[k, :, bodies:]).all()


def test_frames_after_the_end_of_a_world_are_absent() -> None:
    options = Options(max_steps=120, stride=10, velocities=True)
    result = engine.rollout(engine.each([SCENE]), engine.touching(0, 1, hold=1), options)
    assert result.verdicts.tolist() == [1]
    over = result.frames > result.steps[0]
    assert 0 < over.sum() < len(over)
    for kept in (result.poses[0], result.velocities[0]):
        assert np.isnan(kept[over]).all()
        assert np.isfinite(kept[~over]).all()


# What is too small or too large for single precision

SPECK = Body((Circle(1e-4, (1.9, -0.7)),), dynamic=True, name="speck")
UNFIT = {
    "inertia lost in rounding": Scene((SPECK,)),
    "mass underflows": Scene((Body((Circle(1e-5),), dynamic=True, name="speck"),), units_per_metre=1e8),
}


@pytest.mark.parametrize("scene", UNFIT.values(), ids=UNFIT)
def test_a_body_beyond_single_precision_is_refused(scene: Scene) -> None:
    with pytest.raises(WorldsError, match='body "speck": too small or too large for single precision'):
        engine.rollout(engine.each([scene]), options=Options(max_steps=1))


@pytest.mark.parametrize("dynamic", [True, False])
def test_a_body_larger_than_100_kilometres_is_refused(dynamic: bool) -> None:
    moon = Body((Circle(1.1e6, (0.0, 5.0)),), dynamic=dynamic, name="moon")
    with pytest.raises(WorldsError, match=r'body "moon": its shapes reach 1\.1e\+05 m from its origin'):
        engine.rollout(engine.each([Scene((moon,), units_per_metre=10.0)]), options=Options(max_steps=1))
