"""What an attempt records besides its status, and that it depends only on the task and the action."""

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.phyre import Attempt
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.catalogue.templates import published_numbers
from tumble.phyre.observation import view
from tumble.phyre.simulation import simulator as simulate
from tumble.phyre.simulation.actions import from_balls, placed_balls, within_scene
from tumble.phyre.simulation.attempt import WANTS, SimulationError, ball_at
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED, STABLY_SOLVED, UNSTABLY_SOLVED

APART, LEDGE, PAIR = "00000:009", "00002:007", "00101:000"
"""Two balls that hang in the air; a ball above a ledge and the floor that it has to reach; a task for two balls."""
GRAVITY = -9.8 * 6.0
"""Pixels per second and second: a metre has 6 pixels."""
OUTSIDE = [0.0, 0.0, 1.0]
"""A ball of 32 pixels in the corner: most of it would lie outside the scene."""


@pytest.fixture(scope="module")
def one_ball() -> phyre.Simulator:
    return phyre.Simulator([phyre.task(APART), phyre.task(LEDGE)], "B")


@pytest.fixture(scope="module")
def two_balls() -> phyre.Simulator:
    return phyre.Simulator([phyre.task(PAIR)], "2B")


def differences(one: Attempt, other: Attempt) -> list[str]:
    """The fields in which two attempts differ in at least one bit."""

    def content(value: object) -> object:
        return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value

    names = [part.name for part in fields(Attempt)]
    return [name for name in names if content(getattr(one, name)) != content(getattr(other, name))]


def test_by_default_there_are_only_status_and_steps(one_ball: phyre.Simulator) -> None:
    attempt = one_ball.simulate(LEDGE, solution(LEDGE))
    assert attempt.status == SOLVED
    assert attempt.solved
    assert 180 <= attempt.steps <= 1000
    assert all(getattr(attempt, name) is None for name in (*WANTS, "frames"))


@pytest.mark.parametrize("name", WANTS)
def test_a_field_is_the_same_alone_and_with_all_others(name: str, one_ball: phyre.Simulator) -> None:
    alone = one_ball.simulate(LEDGE, solution(LEDGE), want=[name])
    everything = one_ball.simulate(LEDGE, solution(LEDGE), want=WANTS)
    assert all((getattr(alone, other) is not None) == (other == name) for other in WANTS)
    np.testing.assert_array_equal(getattr(alone, name), getattr(everything, name))
    assert (alone.status, alone.steps) == (everything.status, everything.steps)


@pytest.mark.parametrize("stride", [7, 60, 400, 5000])
def test_shapes(stride: int, two_balls: phyre.Simulator) -> None:
    attempt = two_balls.simulate(PAIR, solution(PAIR), stride=stride, want=WANTS)
    bodies, seen = len(phyre.task(PAIR).scene.bodies) + 2, len(phyre.task(PAIR).scene.bodies) + 2 - 4
    assert len(attempt.scene.bodies) == bodies
    assert len(view.objects(attempt.scene)) == seen, "the four walls are no objects"
    np.testing.assert_array_equal(attempt.frames, range(0, attempt.steps + 1, stride))
    frames = len(attempt.frames)
    assert (attempt.observations.shape, attempt.observations.dtype) == ((frames, 256, 256), np.uint8)
    assert (attempt.features.shape, attempt.features.dtype) == ((frames, seen, 14), np.float32)
    assert (attempt.states.shape, attempt.states.dtype) == ((frames, bodies, 6), np.float32)
    assert (attempt.trajectories.shape, attempt.trajectories.dtype) == ((attempt.steps + 1, bodies, 3), np.float32)
    assert (attempt.masks.shape, attempt.masks.dtype) == ((frames, seen, 256, 256), bool)
    assert (attempt.boxes.shape, attempt.boxes.dtype.kind) == ((frames, seen, 4), "f")
    assert attempt.events.dtype == engine.EVENT


def test_views_of_a_frame_are_those_of_its_poses(two_balls: phyre.Simulator) -> None:
    attempt = two_balls.simulate(PAIR, solution(PAIR), stride=90, want=WANTS)
    poses = attempt.states[..., :3]
    np.testing.assert_array_equal(attempt.trajectories[attempt.frames], poses)
    np.testing.assert_array_equal(attempt.observations, view.picture(attempt.scene, poses))
    np.testing.assert_array_equal(attempt.features, view.features(attempt.scene, poses))
    np.testing.assert_array_equal(attempt.masks, view.masks(attempt.scene, poses))
    np.testing.assert_array_equal(attempt.boxes, view.boxes(attempt.scene, poses))


def test_the_first_frame_is_the_task_with_the_balls_as_placed(two_balls: phyre.Simulator) -> None:
    action = np.array([0.301, 0.602, 0.11, 0.703, 0.404, 0.2])
    attempt = two_balls.simulate(PAIR, action, want=("states", "trajectories"))
    balls = np.array([[76.0, 153.0, 5.0], [179.0, 103.0, 8.0]])  # 76.755, 153.51, 5.3; 179.265, 103.02, 8.0
    np.testing.assert_array_equal(placed_balls(action[None])[0], balls)
    np.testing.assert_array_equal(attempt.states[0, -2:, :2], balls[:, :2])
    np.testing.assert_array_equal(attempt.states[0, :, 3:], 0.0)
    assert [body.shapes[0].radius for body in attempt.scene.bodies[-2:]] == [5.0, 8.0]
    assert [(body.role, body.dynamic) for body in attempt.scene.bodies[-2:]] == [("placed", True)] * 2
    starts = [(*body.position, body.angle) for body in attempt.scene.bodies]
    np.testing.assert_allclose(attempt.trajectories[0], starts, atol=2e-5)  # float32 at 256: 1.5e-5


def test_a_ball_in_the_air_falls_as_the_solver_says(one_ball: phyre.Simulator) -> None:
    """v grows by g dt before the ball moves by v dt, so that n steps make g dt² n (n + 1) / 2."""
    action = from_balls(np.array([[[200.0, 200.0, 10.0]]]))[0]
    attempt = one_ball.simulate(LEDGE, action, stride=20, want=("states",))
    for row, steps in enumerate(attempt.frames[:3]):
        assert attempt.states[row, -1, 4] == pytest.approx(GRAVITY * steps / 60, abs=1e-3)
        assert attempt.states[row, -1, 1] == pytest.approx(200.0 + GRAVITY * steps * (steps + 1) / 2 / 3600, abs=1e-3)
        np.testing.assert_array_equal(attempt.states[row, -1, [0, 2, 3, 5]], [200.0, 0.0, 0.0, 0.0])


def test_unknown_fields_and_strides_are_named(one_ball: phyre.Simulator) -> None:
    for action in (solution(LEDGE), OUTSIDE):
        with pytest.raises(ValueError, match="no 'velocities'; there are observations, features, states"):
            one_ball.simulate(LEDGE, action, want=["states", "velocities"])
        with pytest.raises(ValueError, match="stride must be a whole number, 1 or more, not 0"):
            one_ball.simulate(LEDGE, action, stride=0)
    with pytest.raises(ValueError, match="no 'velocities'"):
        one_ball.rollout(LEDGE, want=["velocities"])
    with pytest.raises(SimulationError, match="no task '00001:000'"):
        one_ball.simulate("00001:000", solution(LEDGE))


def test_an_invalid_action_has_only_a_status(one_ball: phyre.Simulator) -> None:
    x, y = phyre.task(LEDGE).scene.bodies[5].position
    on_the_ball = from_balls(np.array([[[x, y, 5.0]]]))[0]
    for action in (OUTSIDE, on_the_ball):
        for stable in (False, True):
            attempt = one_ball.simulate(LEDGE, action, stable=stable, want=WANTS)
            assert differences(attempt, Attempt(status=INVALID)) == []
            assert not attempt.solved
            assert attempt.scene is None


def test_a_rollout_without_an_action(one_ball: phyre.Simulator) -> None:
    """Both balls fall where they hang and come to rest apart: the sheet of the template says so."""
    left = one_ball.rollout(APART, want=WANTS)
    scene = phyre.task(APART).scene
    assert left.scene == scene
    assert (left.status, left.steps) == (NOT_SOLVED, 1000)
    assert left.states.shape == (17, len(scene.bodies), 6)
    np.testing.assert_allclose(left.states[-1, [4, 5], 0], [scene.bodies[k].position[0] for k in (4, 5)], atol=0.01)
    np.testing.assert_allclose(left.states[-1, [4, 5], 3:], 0.0, atol=1e-3)
    assert differences(left, one_ball.rollout(phyre.task(APART), want=WANTS)) == [], "by task as by id"


def test_a_ball_that_meets_nothing_changes_nothing(one_ball: phyre.Simulator) -> None:
    away = from_balls(np.array([[[10.0, 8.0, 2.0]]]))[0]
    with_ball = one_ball.simulate(LEDGE, away, want=("trajectories",))
    without = one_ball.rollout(LEDGE, want=("trajectories",))
    np.testing.assert_array_equal(with_ball.trajectories[:60, :-1], without.trajectories[:60])


def test_events_name_bodies_and_a_solved_attempt_ends_with_its_goal(one_ball: phyre.Simulator) -> None:
    """Touching must hold for 180 steps, the one with which it begins included; with it, the attempt is over."""
    task = phyre.task(LEDGE)
    attempt = one_ball.simulate(LEDGE, solution(LEDGE), want=("events", "states"))
    pairs = np.stack([attempt.events["body_a"], attempt.events["body_b"]], axis=1)
    assert pairs.min() >= 0
    assert pairs.max() < len(attempt.scene.bodies)
    assert all(attempt.scene.bodies[a].dynamic or attempt.scene.bodies[b].dynamic for a, b in pairs)
    assert (np.diff(attempt.events["step"]) >= 0).all()
    goal = attempt.events[(np.sort(pairs, axis=1) == sorted((task.body, task.other))).all(axis=1)]
    assert goal["begin"][-1], "they touch at the end"
    assert attempt.steps - goal["step"][-1] + 1 == 180
    begins = goal["begin"].tolist()
    assert begins == [True, False] * (len(begins) // 2) + [True], "what ends has begun"


def test_events_of_a_failed_attempt_never_hold_the_goal(one_ball: phyre.Simulator) -> None:
    """The ledge catches the ball and keeps it."""
    task = phyre.task(LEDGE)
    attempt = one_ball.rollout(LEDGE, want="events")
    assert attempt.status == NOT_SOLVED
    pairs = {tuple(sorted((int(event["body_a"]), int(event["body_b"])))) for event in attempt.events}
    assert (task.other, task.body) not in pairs
    assert (task.body, task.other) not in pairs
    assert (4, task.body) in pairs, "body 4 is the ledge"


@pytest.fixture(scope="module")
def outcomes(one_ball: phyre.Simulator) -> tuple[np.ndarray, np.ndarray]:
    """Random actions on the task with two balls, and their status with stability."""
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 400, seed=5)
    return actions, one_ball.pairs([APART] * 400, actions, stable=True)


def test_simulate_tells_stable_solutions_as_pairs_do(
    one_ball: phyre.Simulator, outcomes: tuple[np.ndarray, np.ndarray]
) -> None:
    actions, status = outcomes
    assert set(np.unique(status)) == {NOT_SOLVED, INVALID, UNSTABLY_SOLVED, STABLY_SOLVED}
    plain = one_ball.pairs([APART] * 400, actions)
    np.testing.assert_array_equal(plain, np.where(status >= SOLVED, SOLVED, status))
    for code in np.unique(status):
        for k in np.flatnonzero(status == code)[:3]:
            assert one_ball.simulate(APART, actions[k], stable=True).status == code
            assert one_ball.simulate(APART, actions[k]).status == plain[k]
            assert one_ball.simulate(APART, actions[k], stable=True).solved == (code >= SOLVED)


def test_stable_is_solved_under_all_eight_shifts_by_half_a_pixel(
    one_ball: phyre.Simulator, outcomes: tuple[np.ndarray, np.ndarray]
) -> None:
    """Each neighbour is built by hand, as a task that has the shifted ball from the start; some can't be placed."""
    actions, status = outcomes
    task = phyre.task(APART)
    counts = []
    for k in np.flatnonzero(status >= SOLVED)[:24]:
        ((x, y, radius),) = placed_balls(actions[k, None])[0]
        shifted = [(x + dx, y + dy, radius) for dx, dy in product((-0.5, 0.0, 0.5), repeat=2) if dx or dy]
        clear = Obstacles([task.scene]).clear(np.zeros(8, int), np.array(shifted)[:, None])
        neighbours = [
            replace(task, id=f"neighbour:{k}", scene=task.scene.with_bodies(ball_at(*ball)))
            for k, ball in enumerate(shifted)
        ]
        simulator = phyre.Simulator(neighbours, "B")
        survived = sum(not free or simulator.rollout(one).solved for one, free in zip(neighbours, clear, strict=True))
        assert status[k] == (STABLY_SOLVED if survived == 8 else UNSTABLY_SOLVED)
        assert one_ball.shifts_survived([APART], actions[k, None]) == survived
        counts.append(survived)
    assert {7, 8} <= set(counts), "some fail under one shift only"


def test_attempts_are_simulations_one_by_one(one_ball: phyre.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "RECORDED_BATCH_SIZE", 4)
    actions = np.concatenate([phyre.actions.fixed_set(phyre.TIERS["B"], 9, seed=2), [solution(LEDGE), OUTSIDE]])
    ids = [LEDGE, APART, LEDGE] * 3 + [LEDGE] * 2
    together = one_ball.attempts(ids, actions, stride=100, stable=True, want=WANTS)
    assert {attempt.status for attempt in together} >= {NOT_SOLVED, INVALID, STABLY_SOLVED}
    for attempt, task_id, action in zip(together, ids, actions, strict=True):
        alone = one_ball.simulate(task_id, action, stride=100, stable=True, want=WANTS)
        assert differences(attempt, alone) == []


def test_a_status_does_not_depend_on_the_batch_or_on_earlier_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, in batches of any size, with any number of threads, alone, and after anything else."""
    ids = [f"{key}:{published_numbers()[key][1]:03d}" for key in ("00000", "00004", "00012", "00023")]
    tasks = [phyre.task(task_id) for task_id in ids]
    drawn = phyre.actions.fixed_set(phyre.TIERS["B"], 40, seed=8)
    actions = np.concatenate([drawn, [solution(task_id) for task_id in ids]])
    status = phyre.Simulator(tasks, "B").sweep(actions)
    assert set(np.unique(status)) == {NOT_SOLVED, INVALID, SOLVED}
    assert (status[range(4), range(40, 44)] == SOLVED).all()

    pairs = list(product(range(len(ids)), range(len(actions))))
    for seed, cells, threads in ((0, 1 << 18, 1), (1, 7, 2), (2, 64, 3)):
        monkeypatch.setattr(simulate, "BATCH_SIZE", cells)
        simulator = phyre.Simulator(list(reversed(tasks)), "B", threads=threads)
        order = np.random.default_rng(seed).permutation(len(pairs))
        row, column = np.array(pairs)[order].T
        again = simulator.pairs([ids[k] for k in row], actions[column])
        np.testing.assert_array_equal(again, status[row, column])
        np.testing.assert_array_equal(simulator.sweep(actions[::-1], ids), status[:, ::-1])
    for k in np.random.default_rng(3).permutation(len(pairs))[:20]:
        row, column = pairs[k]
        alone = phyre.Simulator([tasks[row]], "B").simulate(ids[row], actions[column])
        assert alone.status == status[row, column]


def test_empty_inputs_give_empty_results(one_ball: phyre.Simulator) -> None:
    assert one_ball.attempts([], [], want=WANTS) == []
    assert within_scene(np.zeros((0, 3))).shape == (0,)
