"""Sessions: the bits of one rollout however they are divided; interventions, branches, replays and errors."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.engine.rules.rule import Rule
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import HOLD_STEPS, MATERIAL
from tumble.phyre.simulation.branches import overlaps
from tumble.phyre.simulation.interventions import Intervention
from tumble.phyre.simulation.session import Session
from tumble.scene import Body, Circle, box

TASKS = [
    f"{template:05d}:{number:03d}"
    for template, number in ((0, 0), (3, 1), (8, 50), (13, 42), (19, 7), (24, 12), (101, 3))
]
TIER = phyre.TIERS["B"]
Plan = list[Intervention]


@cache
def solving_action(task: phyre.Task, count: int = 100) -> np.ndarray:
    """An action that solves the task or, where none of a few does, a valid one."""
    actions = phyre.actions.fixed_set(phyre.TIERS[task.tier], count)
    status = phyre.Simulator([task], task.tier).sweep(actions, progress=lambda _: None)[0]
    return np.asarray(actions[np.argmax(status == 1) if (status == 1).any() else np.argmax(status == -1)])


def stick_session(step: int = 40) -> Session:
    """A solving attempt at a task with a vase, a stick (green) and a wall (purple), after some steps."""
    task = phyre.task("00003:001")
    session = Session(task, solving_action(task))
    session.step(step)
    return session


def same(a: phyre.Moment, b: phyre.Moment) -> None:
    assert (a.step, a.status, a.contacts) == (b.step, b.status, b.contacts)
    np.testing.assert_array_equal(a.poses, b.poses)
    np.testing.assert_array_equal(a.velocities, b.velocities)


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("most", [30, 400])
def test_pieces_give_the_bits_of_one_rollout(task_id: str, most: int) -> None:
    task = phyre.task(task_id)
    action = solving_action(task)
    whole = phyre.Simulator([task], task.tier).simulate(task, action, want=("trajectories", "events"))
    session, rng = Session(task, action), np.random.default_rng(most)
    while not session.over:
        session.step(int(rng.integers(1, most + 1)))
    assert (session.state.status, session.state.step) == (whole.status, whole.steps)
    np.testing.assert_array_equal(session.trajectory, whole.trajectories)
    columns = ["step", "begin", "body_a", "body_b"]
    assert whole.events is not None
    np.testing.assert_array_equal(session.events[columns], whole.events[columns])


def test_the_goal_is_counted_across_pieces() -> None:
    """Split in the middle of the 3 s for which the goal has to hold."""
    whole = stick_session()
    whole.step(1000)
    assert whole.state.solved
    session = stick_session()
    session.step(whole.state.step - HOLD_STEPS // 2 - 40)
    assert not session.state.solved
    assert (session.state.held, whole.state.held) == (HOLD_STEPS // 2, HOLD_STEPS)
    session.step(1000)
    same(session.state, whole.state)


def test_without_an_action() -> None:
    task = phyre.task("00008:050")
    still = phyre.Simulator([task], "B").rollout(task, want=("trajectories",))
    session = Session(task.id)
    session.step(300)
    session.step(1000)
    assert session.state.step == still.steps
    np.testing.assert_array_equal(session.trajectory, still.trajectories)


def plans(session: Session) -> list[Plan]:
    ball = len(session.scene.bodies) - 1
    x, y, _ = session.state.poses[ball].tolist()
    plank = Body((box(30.0, 5.0),), (60.0, 200.0))
    return [
        [],
        [phyre.Push("green", (5.0, 5.0))],
        [phyre.Push(ball, (0.0, -30.0), at=(x + 1.0, y))],
        [phyre.SetVelocity("vase", 50.0, 100.0, 3.0)],
        [phyre.Move("green", x=60.0, y=200.0, angle=0.3)],
        [phyre.Move("wall", x=200.0, overlap=True)],
        [phyre.Remove("vase")],
        [phyre.Remove("left wall")],
        [phyre.Add.ball(30.0, 200.0, 10.0)],
        [phyre.Add.ball(50.0, 200.0, 10.0, velocity=(80.0, 0.0)), phyre.Add(plank, overlap=True)],
        [phyre.Add(plank)],
        [phyre.Add(replace(plank, dynamic=True, angle=1.0)), phyre.Remove("red")],
        [phyre.Change("vase", dynamic=False)],
        [phyre.Change("top wall", dynamic=True)],
        [phyre.Change("vase", density=3.0, friction=0.0, restitution=0.9)],
        [phyre.Change("vase", dynamic=False), phyre.Push("green", (9.0, 0.0))],
    ]


def test_a_branch_is_what_intervening_and_stepping_on_gives() -> None:
    """All kinds of changes in one call of the engine, each equal to the session that makes the change itself."""
    session = stick_session()
    before = session.digest()
    branches = session.branch(plans(session), final=True)
    assert session.digest() == before
    for k, plan in enumerate(plans(session)):
        other = session.copy()
        other.intervene(*plan)
        while not other.over:
            other.step(170)
        same(other.state, branches.moment(k))
        assert (branches.status[k], branches.steps[k]) == (other.state.status, other.state.step)
        np.testing.assert_array_equal(branches.poses[k, : len(other.scene.bodies)], other.state.poses)
        assert np.isfinite(other.state.poses[other.state.present]).all()
        same(other.replay().state, other.state)
        saved = Session.from_json(other.to_json())
        assert saved.digest() == other.digest()
        assert saved.history == other.history
    assert len(set(branches.steps.tolist())) > 2, "the changes must matter"


def test_branches_make_one_call_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand pushes start from one saved state."""
    session = stick_session()
    calls: list[tuple[int, int]] = []
    rollout = engine.rollout

    def counted(worlds: engine.Worlds, rule: Rule, *args: object, **settings: object) -> engine.Rollouts:
        start = settings["start"]
        assert isinstance(start, engine.States)
        calls.append((len(worlds), len(start)))
        return rollout(worlds, rule, *args, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "rollout", counted)
    many = session.branch([[phyre.Push("green", (k / 100.0, 0.0))] for k in range(1000)], steps=20, final=True)
    assert calls == [(1000, 1)]
    assert (many.steps == 60).all()
    assert len(np.unique(many.poses[:, session.state.index("green"), 0])) > 900


def test_physics_of_a_push() -> None:
    """The velocity changes by impulse over mass, and a point off the centre makes a ball spin: w = r x J / I."""
    task = phyre.task("00003:001")
    session = Session(task, solving_action(task))
    ball = len(session.scene.bodies) - 1
    mass = session.masses[ball]
    radius = session.scene.bodies[ball].shapes[0].radius / 6.0  # type: ignore[union-attr]
    x, y, _ = session.state.poses[ball].tolist()
    session.intervene(phyre.Push(ball, (4.0, 2.0), at=(x, y + 6.0)))
    velocity = session.state.velocity(ball)
    np.testing.assert_allclose(velocity[:2], np.array([4.0, 2.0]) / mass * 6.0, rtol=1e-5)
    np.testing.assert_allclose(velocity[2], -4.0 / (0.5 * mass * radius**2), rtol=1e-5)


def test_freezing_and_releasing() -> None:
    session = stick_session()
    pose = session.state.pose("vase").copy()
    session.intervene(phyre.Change("vase", dynamic=False))
    session.step(60)
    np.testing.assert_allclose(session.state.pose("vase"), pose, atol=1e-4)
    session.intervene(phyre.Move("vase", x=60.0, y=150.0), phyre.Change("vase", dynamic=True))
    session.step(30)
    assert session.state.pose("vase")[1] < 150.0


def test_removing_a_support_wakes_what_rests_on_it() -> None:
    """A ball asleep on a shelf falls when the shelf is removed, and stays when another body is."""
    task = phyre.task("00000:000")
    shelf = Body((box(60.0, 6.0),), (128.0, 100.0), name="shelf")
    ball = Body((Circle(10.0),), (128.0, 113.0), dynamic=True, name="sleeper", **MATERIAL)
    session = Session(replace(task, scene=task.scene.with_bodies(shelf, ball)))
    assert session.until(lambda moment: moment.step == 400)
    assert session.state.awake is not None
    sleeper = session.state.index("sleeper")
    assert not session.state.awake[sleeper]
    assert session.state.touching("sleeper", "shelf")
    fallen = session.branch([[phyre.Remove("shelf")], [phyre.Move("shelf", x=30.0)], []], steps=60, final=True)
    heights = fallen.poses[:, sleeper, 1]
    np.testing.assert_allclose(heights[:2], session.state.pose("sleeper")[1] - 0.5 * 9.8 * 6.0, atol=1.0)
    assert heights[2] == session.state.pose("sleeper")[1]


def test_until() -> None:
    session = stick_session(1)
    other = session.copy()
    ball = len(session.scene.bodies) - 1
    assert session.until(touching=(ball, "vase")) == other.until(lambda moment: moment.touching("vase", ball))
    same(session.state, other.state)
    if session.state.touching(ball, "vase"):
        before = stick_session(session.state.step - 1)
        assert not before.state.touching(ball, "vase")
    session = stick_session(1)
    angle = session.state.pose("green")[2]
    assert session.until(lambda moment: bool(abs(moment.pose("green")[2] - angle) > 0.1))
    assert not session.until(lambda moment: False)
    assert session.over


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([phyre.Push("left wall", (1.0, 1.0))], "the left wall is static"),
        ([phyre.Push("nobody", (1.0, 1.0))], "no body is named 'nobody'"),
        ([phyre.Push(99, (1.0, 1.0))], "bodies 0 to 7"),
        ([phyre.Push("black", (1.0, 1.0))], "4 bodies are black"),
        ([phyre.Push("vase", (1.0, np.nan))], "2 finite numbers"),
        ([phyre.Push("vase", (1.0, 1.0), at=(9.0, 250.0))], "is not on the vase"),
        ([phyre.Remove("green")], "the goal names it"),
        ([phyre.Remove("vase"), phyre.Push("vase", (1.0, 1.0))], "intervention 1, Push: the vase is not in the world"),
        ([phyre.Move("green", x=300.0)], "outside the scene"),
        ([phyre.Move("green", x=240.0, angle=0.0)], "overlaps the right wall"),
        ([phyre.Move("green")], "needs x, y or angle"),
        ([phyre.Add.ball(10.0, 10.0, 20.0)], "overlap=True allows that"),
        ([phyre.Change("vase")], "needs density"),
        ([phyre.Change("vase", density=-1.0)], "density must be at least 0"),
        (["push"], "no intervention"),
    ],
)
def test_what_can_not_be_done(plan: Plan, message: str) -> None:
    session = stick_session()
    before = session.digest()
    with pytest.raises(TumbleError, match=message):
        session.intervene(*plan)
    with pytest.raises(TumbleError, match="branch 1, "):
        session.branch([[], plan])
    assert session.digest() == before
    assert session.history == ()


def test_wrong_use() -> None:
    session = stick_session()
    for problem in (0, -1, 1.5, True):
        with pytest.raises(TumbleError, match="whole number from 1 on"):
            session.step(problem)  # type: ignore[arg-type]
    with pytest.raises(TumbleError, match="at least one list"):
        session.branch([])
    with pytest.raises(TumbleError, match="steps must be from 1 to the 960"):
        session.branch([[]], steps=961)
    with pytest.raises(TumbleError, match="final=True"):
        session.branch([[]], steps=1).moment(0)
    with pytest.raises(TumbleError, match="either a condition or touching"):
        session.until()
    with pytest.raises(TumbleError, match="the action is invalid"):
        Session("00003:001", [0.0, 0.0, 1.0])
    session.step(1000)
    with pytest.raises(TumbleError, match="the session is solved"):
        session.step()


def test_a_saved_session_that_was_changed_is_refused() -> None:
    session = stick_session()
    session.intervene(phyre.Push("green", (1.0, 0.0)))
    session.step(10)
    record = json.loads(session.to_json())
    with pytest.raises(TumbleError, match=r"no saved session: history\.0\.step"):
        Session.from_json(json.dumps({**record, "history": [{"step": "x", "interventions": []}]}))
    with pytest.raises(TumbleError, match="no intervention of type"):
        Session.from_json(json.dumps({**record, "history": [{"step": 1, "interventions": [{"type": "Kick"}]}]}))
    record["history"][0]["interventions"][0]["impulse"] = [1.0, 0.5]
    with pytest.raises(TumbleError, match="does not repeat"):
        Session.from_json(json.dumps(record))
    with pytest.raises(TumbleError, match="no saved session"):
        Session.from_json("{")


def test_a_user_defined_task_is_saved_whole() -> None:
    task = replace(phyre.task("00003:001"), id="mine:001")
    session = Session(task)
    session.step(5)
    assert Session.from_json(session.to_json()).task == task


def test_overlaps_of_shapes() -> None:
    """Depths of a disc and a square at known distances, turned and not."""
    bodies = (Body((Circle(10.0),)), Body((box(20.0, 20.0),)), Body((Circle(5.0),)))
    poses = np.zeros((4, 3, 3))
    poses[:, 1, 0] = [19.0, 21.0, 10.0 + 10.0 * np.sqrt(2.0) - 1.0, 19.0]
    poses[2, 1, 2] = np.pi / 4.0
    poses[:, 2, 1] = [14.0, 15.1, 0.0, np.nan]
    found = overlaps(bodies, poses, 0)
    np.testing.assert_allclose(found[:, 1], [1.0, 0.0, 1.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(found[:, 2], [1.0, 0.0, 15.0, 0.0], atol=1e-9)
