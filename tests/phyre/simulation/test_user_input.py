"""User input: what it places, when it is valid, and that it is simulated like an action."""

from itertools import pairwise

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre import UserInput
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.template import World, ball, bar
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.status import INVALID, SOLVED, STABLY_SOLVED
from tumble.phyre.simulation.user_input import UserInputError
from tumble.scene import Body, Circle, Scene, rasterize, regular_polygon


@pytest.fixture(scope="module")
def task() -> Task:
    """A ball on a shelf has to reach the floor."""
    world = World()
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    shelf = world.static(bar(0.3), "shelf", left=0.35, bottom=0.3)
    world.goal(world.dynamic(ball(0.1), "ball", cx=0.6, bottom=shelf.top), floor)
    return world.task("mine:000", "B")


@pytest.fixture(scope="module")
def simulator(task: Task) -> phyre.Simulator:
    return phyre.Simulator([task], "B")


def status(simulator: phyre.Simulator, **parts: object) -> int:
    return simulator.simulate_input("mine:000", UserInput(**parts)).status  # type: ignore[arg-type]


def test_balls_are_simulated_as_the_same_action_is(simulator: phyre.Simulator) -> None:
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 60, seed=1)
    inputs = [UserInput(balls=balls) for balls in phyre.actions.placed_balls(actions)]
    by_action = simulator.attempts(["mine:000"] * 60, actions, want=["states", "events"], stable=True)
    by_input = simulator.input_attempts(["mine:000"] * 60, inputs, want=["states", "events"], stable=True)
    assert {attempt.status for attempt in by_action} >= {-1, 0, 3}
    for one, other in zip(by_action, by_input, strict=True):
        assert (one.status, one.steps) == (other.status, other.steps)
        if one.status != INVALID:
            np.testing.assert_array_equal(one.states, other.states)
            np.testing.assert_array_equal(one.events, other.events)


def shapes_like(x: float, y: float, radius: float) -> list[UserInput]:
    """A ball as a polygon of 16 sides, as a concave one, and as the pixels of a disc."""
    disc = [(x + px, y + py) for px, py in regular_polygon(16, radius).vertices]
    gear = [(x + (px - x) * size, y + (py - y) * size) for (px, py), size in zip(disc, [1.0, 0.97] * 8, strict=True)]
    reach = range(-int(radius), int(radius))
    pixels = [(x + i, y + j) for i in reach for j in reach if np.hypot(i + 0.5, j + 0.5) < radius]
    return [UserInput(polygons=[disc]), UserInput(polygons=[gear[::-1]]), UserInput(points=pixels)]


def test_polygons_and_points_solve_where_balls_do(simulator: phyre.Simulator) -> None:
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 60, seed=1)
    solves = simulator.pairs(["mine:000"] * 60, actions, stable=True) == STABLY_SOLVED
    balls = phyre.actions.placed_balls(actions[solves])[:6, 0]
    inputs = [UserInput(), *(user_input for ball in balls for user_input in shapes_like(*ball))]
    want = ["trajectories", "observations"]
    nothing, *attempts = simulator.input_attempts(["mine:000"] * len(inputs), inputs, want=want, stable=True)
    assert (nothing.status, nothing.steps) == (-1, simulator.rollout("mine:000").steps)
    for k, attempt in enumerate(attempts):
        assert attempt.scene.bodies[-1].role == "placed"
        drawn = (attempt.observations[0] == 1).sum()
        assert drawn == pytest.approx(np.pi * balls[k // 3, 2] ** 2, rel=0.1), "it is drawn as placed"
        assert attempt.trajectories[-1, -1, 1] < attempt.trajectories[0, -1, 1], "it falls"
    for kind in range(3):
        assert max(attempt.status for attempt in attempts[kind::3]) > SOLVED, "solved, and its stability is known"


def test_points_become_the_pixels_that_they_name() -> None:
    rng = np.random.default_rng(0)
    points = rng.integers(0, 24, (200, 2))
    bodies = UserInput(points=points.reshape(-1)).bodies
    drawn = rasterize(Scene(bodies))[::-1] > 0
    expected = np.zeros((256, 256), bool)
    expected[points[:, 1], points[:, 0]] = True
    np.testing.assert_array_equal(drawn, expected)
    area = sum(abs(_area(shape.vertices)) for body in bodies for shape in body.shapes)
    assert area == pytest.approx(expected.sum()), "no pixel is covered twice"


def _area(vertices: tuple) -> float:
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in pairwise([*vertices, vertices[0]])) / 2.0


def test_neighbouring_points_are_one_body() -> None:
    assert len(UserInput(points=[(5, 5), (6, 6), (7, 5), (5, 5)]).bodies) == 1
    assert len(UserInput(points=[(5, 5), (7, 5)]).bodies) == 2
    assert len(UserInput(points=[(x, y) for x in range(30) for y in range(20)]).bodies[0].shapes) == 1


def test_validity(simulator: phyre.Simulator) -> None:
    free = [(10, 200), (40, 200), (20, 230)]
    assert status(simulator, polygons=[free]) != INVALID
    assert status(simulator, polygons=[[(-1, 200), (40, 200), (20, 230)]]) == INVALID, "leaves the scene"
    assert status(simulator, points=[(256, 100)]) == INVALID, "a pixel outside"
    assert status(simulator, points=[(255, 100)]) != INVALID
    assert status(simulator, polygons=[[(100, 70), (140, 70), (120, 90)]]) == INVALID, "overlaps the shelf"
    assert status(simulator, points=[(120, 79)]) == INVALID
    top = 0.3 * 256 + 256 / 50
    assert status(simulator, polygons=[[(95, top), (115, top), (105, 110)]]) != INVALID, "may lie on the shelf"
    assert status(simulator, balls=[(20, 210, 3)], polygons=[free]) == INVALID, "overlaps another placed body"
    assert status(simulator, polygons=[free, [(40, 200), (60, 200), (50, 230)]]) != INVALID, "may touch one"
    hole = [(20, 150), (60, 150), (60, 154), (24, 154), (24, 180), (60, 180), (60, 184), (20, 184)]
    assert status(simulator, polygons=[hole], balls=[(45, 167, 10)]) != INVALID, "within a concave polygon"
    assert status(simulator, polygons=[hole], balls=[(45, 167, 14)]) == INVALID


def test_overlap_agrees_with_sampled_points() -> None:
    """Two random shapes overlap if and only if some point lies well inside both."""
    rng = np.random.default_rng(3)
    obstacles, placed, expected = [], [], []
    grid = np.stack(np.meshgrid(np.linspace(0, 60, 241), np.linspace(0, 60, 241)), axis=-1).reshape(-1, 2)
    for _ in range(120):
        pair, depth = [], np.full(len(grid), np.inf)
        for _ in range(2):
            at, size = rng.uniform(15, 45, 2), rng.uniform(3, 12)
            shape = Circle(size) if rng.random() < 0.3 else regular_polygon(int(rng.integers(3, 8)), size, rng.random())
            pair.append(Body((shape,), position=tuple(at), dynamic=True))
            local = grid - at
            if isinstance(shape, Circle):
                inside = size - np.hypot(*local.T)
            else:
                corners = np.array(shape.vertices)
                edge = np.roll(corners, -1, axis=0) - corners
                normal = np.stack([-edge[:, 1], edge[:, 0]], axis=1) / np.hypot(*edge.T)[:, None]
                inside = ((local[:, None] - corners) * normal).sum(axis=2).min(axis=1)
            depth = np.minimum(depth, inside)
        if -0.4 < depth.max() < 0.4:
            continue  # too close for the grid
        obstacles.append(Scene((pair[0],)))
        placed.append([pair[1]])
        expected.append(bool(depth.max() < 0))
    clear = Obstacles(obstacles).clear_bodies(np.arange(len(placed)), placed)
    assert clear.tolist() == expected
    assert 20 < sum(expected) < len(expected) - 20


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"balls": [(1, 2)]}, "ball 0 must be x, y and radius, as finite numbers in pixels"),
        ({"balls": [(1, 2, 0)]}, "ball 0: radius must be greater than"),
        ({"balls": [(1, np.nan, 2)]}, "ball 0 must be x, y and radius"),
        ({"polygons": [[(0, 0), (1, 0)]]}, "polygon 0: it must have 3 or more vertices, got 2"),
        ({"polygons": [[(0, 0), (2, 2), (2, 0), (0, 2)]]}, "polygon 0: polygon crosses itself"),
        ({"polygons": [[(0, 0), ("a", 2), (2, 0)]]}, "polygon 0, vertex 1 must be x and y"),
        ({"points": [1, 2, 3]}, "an even number of x, y"),
        ({"points": [(1.5, 2)]}, "point 0 must be two whole numbers"),
        ({"points": "abc"}, "points must be pairs"),
    ],
)
def test_malformed_input_is_refused(parts: dict, message: str, simulator: phyre.Simulator) -> None:
    with pytest.raises(UserInputError, match=message):
        status(simulator, **parts)
