"""Solutions of tasks, carried over to other tasks."""

from dataclasses import replace

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.agents.explorer.memory import SolutionMemory, landings, layout_of, memory_of
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.generation import training_pool
from tumble.phyre.simulation.actions import exact_balls, from_balls, valid
from tumble.phyre.simulation.status import SOLVED
from tumble.scene import Body, Circle, Polygon, Scene


def task_at(x: float, other: float, role: str = "object") -> phyre.Task:
    """A task with a ball of a role at x, and another that moves further right."""
    walls = phyre.task("00000:000").scene.bodies[:4]
    places = ((10.0, x, 100.0, role), (8.0, other, 60.0, "subject"))
    own = [Body((Circle(radius),), (centre, y), dynamic=True, role=kind) for radius, centre, y, kind in places]
    return phyre.Task("mine:000", "B", Scene((*walls, *own)), 4, 5)


def ball(x: float, y: float, radius: float) -> np.ndarray:
    return from_balls(np.array([[[x, y, radius]]]))


def test_a_ball_is_placed_relative_to_the_body_that_it_was_nearest_to() -> None:
    memory, rng = SolutionMemory(), np.random.default_rng(0)
    memory.add(task_at(60.0, 200.0), ball(65.0, 130.0, 8.0))
    moved = exact_balls(memory.alike(task_at(100.0, 180.0), 300, rng))[:, 0]
    exact = moved[np.abs(moved - (105.0, 130.0, 8.0)).max(axis=1) < 1e-6]
    assert 60 < len(exact) < 140, "a third is not moved at random"
    assert np.abs(moved[:, :2] - (105.0, 130.0)).max() < 60.0


def test_scenes_need_no_walls() -> None:
    memory, rng = SolutionMemory(), np.random.default_rng(0)
    task = task_at(60.0, 200.0)
    open_task = replace(task, scene=Scene(task.scene.bodies[4:]), body=0, other=1)
    memory.add(open_task, ball(65.0, 130.0, 8.0))
    assert not len(memory.alike(task, 10, rng)), "bodies have other numbers there"
    moved = exact_balls(memory.by_role(open_task, 100, rng).actions)[:, 0]
    np.testing.assert_allclose(np.unique(moved.round(6), axis=0), [[55.0, 130.0, 8.0], [65.0, 130.0, 8.0]])


def test_without_scenes_that_are_alike_bodies_correspond_by_their_roles() -> None:
    memory, rng = SolutionMemory(), np.random.default_rng(0)
    memory.add(task_at(60.0, 200.0), ball(205.0, 90.0, 8.0))
    other = task_at(100.0, 160.0, role="")
    assert layout_of(other.scene) != layout_of(task_at(60.0, 200.0).scene)
    assert not len(memory.alike(other, 10, rng))
    places = exact_balls(memory.by_role(other, 100, rng).actions)[:, 0]
    np.testing.assert_allclose(np.unique(places.round(6), axis=0), [[155.0, 90.0, 8.0], [165.0, 90.0, 8.0]])


def test_a_memory_without_solutions_has_no_actions() -> None:
    memory, rng = SolutionMemory(), np.random.default_rng(0)
    task = phyre.task("00100:000")
    memory.add(task, np.zeros((0, 6)))
    assert memory.alike(task, 5, rng).shape == memory.by_role(task, 5, rng).actions.shape == (0, 6)


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_solutions_that_are_carried_over_solve_more_often_than_random_actions(tier: str) -> None:
    tasks = list(published_tasks(tier).values())
    template = tasks[100:200]
    memory = memory_of(template[:40], training_pool.shipped(tier, 4))
    tested = template[60:70]
    rates = []
    for draw in (memory.alike, lambda task, count, rng: rng.random((count, phyre.TIERS[tier].numbers))):
        ids, actions = [], []
        for task in tested:
            drawn = draw(task, 400, np.random.default_rng(0))
            drawn = drawn[valid(task.scene, drawn)][:40]
            ids += [task.id] * len(drawn)
            actions.append(drawn)
        rates.append((phyre.Simulator(tested, tier).pairs(ids, np.concatenate(actions)) == SOLVED).mean())
    assert rates[0] > 2.0 * rates[1] + 0.05


def test_a_memory_without_a_pool_has_the_solutions_of_the_package() -> None:
    memory = memory_of([phyre.task("00002:011"), phyre.task("00003:004")], None)
    assert sum(len(one.radii) for some in memory.by_layout.values() for one in some) == 2


def bar_task(centre: float, width: float, other: float) -> phyre.Task:
    """A task with a bar that moves, centred at x, and a ball that moves at another x, which is the goal's subject."""
    walls = phyre.task("00000:000").scene.bodies[:4]
    corners = ((-width / 2, -3.0), (width / 2, -3.0), (width / 2, 3.0), (-width / 2, 3.0))
    bar = Body((Polygon(corners),), (centre, 100.0), dynamic=True, role="object")
    ball = Body((Circle(8.0),), (other, 60.0), dynamic=True, role="subject")
    return phyre.Task("mine:000", "B", Scene((*walls, bar, ball)), 4, 5)


def carried(memory: SolutionMemory, task: phyre.Task, aimed: bool = False) -> np.ndarray:
    """The different balls, each as x, y and radius, that are carried over by kind."""
    drawn = memory.by_kind(task, 100, np.random.default_rng(0), aimed)
    return np.unique(exact_balls(drawn.actions)[:, 0].round(3), axis=0)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        pytest.param(80.0, 140.0, id="at the same share of the width"),
        pytest.param(90.0, 160.0, id="above the end"),
        pytest.param(100.0, 170.0, id="at the same distance outside"),
    ],
)
def test_a_ball_is_carried_over_to_the_box_of_a_body_of_the_same_kind(x: float, expected: float) -> None:
    memory = SolutionMemory()
    memory.add(bar_task(60.0, 60.0, 200.0), ball(x, 130.0, 8.0))
    wide = bar_task(100.0, 120.0, 200.0)
    np.testing.assert_allclose(carried(memory, wide), [[200.0 - expected, 130.0, 8.0], [expected, 130.0, 8.0]])


def test_solutions_of_other_kinds_are_left_out_where_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{SolutionMemory.__module__}.FEWEST_BY_KIND", 1)
    memory = SolutionMemory()
    memory.add(bar_task(60.0, 60.0, 200.0), ball(60.0, 130.0, 8.0))
    memory.add(task_at(60.0, 200.0), ball(60.0, 150.0, 11.0))
    assert carried(memory, bar_task(100.0, 60.0, 200.0))[:, 2].tolist() == [8.0]
    monkeypatch.setattr(f"{SolutionMemory.__module__}.FEWEST_BY_KIND", 2)
    assert 11.0 in carried(memory, bar_task(100.0, 60.0, 200.0))[:, 2]


@pytest.mark.parametrize(("other", "expected"), [(200.0, 130.0), (20.0, 70.0)])
def test_those_that_are_aimed_are_mirrored_as_the_goal_is(
    other: float, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{SolutionMemory.__module__}.AT_RANDOM", 0.0)
    memory = SolutionMemory()
    memory.add(bar_task(60.0, 60.0, 200.0), ball(90.0, 130.0, 8.0))
    task = bar_task(100.0, 60.0, other)
    assert carried(memory, task, aimed=True)[:, 0].tolist() == [expected]
    drawn = memory.by_role(task, 50, np.random.default_rng(0), aimed=True)
    assert np.unique(exact_balls(drawn.actions)[:, 0, 0].round(3)).tolist() == [expected]


def test_it_is_known_where_an_action_comes_from() -> None:
    memory, source, task = SolutionMemory(), bar_task(60.0, 60.0, 200.0), bar_task(250.0, 60.0, 20.0)
    memory.add(source, ball(100.0, 130.0, 8.0))
    found = memory.by_kind(task, 50, np.random.default_rng(0))
    assert found.landings.tolist() == [["ground"]] * 50
    assert set(found.task_ids) == {source.id}
    assert set(found.scene_kinds) == {" bar False, object bar True, subject ball True"}
    x = exact_balls(found.actions)[:, 0, 0]
    np.testing.assert_array_equal(found.was_moved, x > 230.0)  # one side is outside the scene
    assert found.was_moved.any()
    assert found.by_kind.all()
    assert not memory.by_role(task, 5, np.random.default_rng(0)).by_kind.any()
    assert len(found.take(found.was_moved)) == found.was_moved.sum()


def test_what_balls_fall_onto() -> None:
    scene = bar_task(100.0, 60.0, 200.0).scene
    balls = np.array([[[100.0, 150.0, 5.0]], [[200.0, 90.0, 5.0]], [[20.0, 90.0, 5.0]], [[100.0, 80.0, 5.0]]])
    assert landings(scene, balls)[:, 0].tolist() == ["object bar True", "subject ball True", "ground", "ground"]
