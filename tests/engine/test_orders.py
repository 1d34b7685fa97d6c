"""Worlds are rolled out in any order, on a GPU such that neighbours are alike; results stay in the order given."""

import numpy as np

from tumble import engine
from tumble.engine.host.job import Job
from tumble.engine.host.worlds import order_of_alike
from tumble.scene import Body, Circle, samples

BALL = Body((Circle(6.0),), dynamic=True, density=0.25)


def dropped_balls(places: list[tuple[int, float]]) -> engine.Worlds:
    """Worlds of two scenes, each with a ball that is added at an x."""
    poses = np.array([[(x, 200.0, 0.0)] for _, x in places])
    return engine.variants([samples.dominoes()] * 2, scene_of=[scene for scene, _ in places], kinds=[BALL], poses=poses)


def test_worlds_that_are_alike_are_neighbours() -> None:
    worlds = dropped_balls([(1, 90.0), (0, 120.0), (1, 60.0), (0, 80.0), (0, 120.0)])
    assert order_of_alike(worlds).tolist() == [3, 1, 4, 2, 0]
    assert order_of_alike(engine.each([samples.dominoes()] * 3)).tolist() == [0, 1, 2]


def test_results_do_not_depend_on_the_order() -> None:
    worlds = dropped_balls([(k % 2, 60.0 + 17.0 * k) for k in range(8)])
    rolled = []
    for order in (np.arange(8), np.random.default_rng(0).permutation(8)):
        job = Job(worlds, engine.RUN_TO_END, engine.Options(max_steps=60, stride=20, events=True), lambda _: None)
        job.run_plain(order)
        rolled.append(job.finished())
    for name in ("verdicts", "steps", "poses", "events"):
        np.testing.assert_array_equal(getattr(rolled[0], name), getattr(rolled[1], name))
    assert len(rolled[0].events)
