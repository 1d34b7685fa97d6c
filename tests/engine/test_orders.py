"""Worlds are rolled out in any order, on a GPU such that neighbours are alike; results stay in the order given."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tumble import engine
from tumble.engine.host.job import Job
from tumble.engine.host.machine import LANE_MEMORY, Machine
from tumble.engine.host.stepping import FEW_WORLDS, MULTIPROCESSORS, place_worlds, stepped_by
from tumble.engine.host.worlds import order_of_alike
from tumble.engine.rollout.kernels import NO_WORLD
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


def test_moving_bodies_are_counted() -> None:
    dominoes = samples.dominoes()
    moving = sum(body.dynamic for body in dominoes.bodies)
    assert dropped_balls([(0, 90.0), (1, 120.0)]).moving_counts().tolist() == [moving + 1] * 2
    assert engine.each([dominoes]).moving_counts().tolist() == [moving]


@pytest.mark.parametrize("count", [1, 90, 3000, 60_000])
def test_every_world_is_placed_once_and_blocks_of_heavy_worlds_have_fewer(count: int) -> None:
    block, waves = 128, 1.5
    moving = np.repeat([2, 9, 4], -(-count // 3))[:count]
    blocks = place_worlds(moving, block, waves, exponent=1.5).reshape(-1, block)
    held = [lanes[lanes != NO_WORLD] for lanes in blocks]
    assert np.concatenate(held).tolist() == np.argsort(-moving, kind="stable").tolist()
    assert all(len(np.unique(moving[worlds])) == 1 for worlds in held)
    full = -(-count // block)
    assert full <= len(blocks) <= max(full, MULTIPROCESSORS * waves) + 3
    sizes = [max(len(worlds) for worlds in held if moving[worlds[0]] == kind) for kind in np.unique(moving)]
    assert sizes == sorted(sizes, reverse=True)


def test_worlds_of_a_block_are_spread_over_its_warps() -> None:
    lanes = place_worlds(np.full(132 * 8, 5), block=128, waves=1.0, exponent=1.5).reshape(-1, 4, 32)
    assert lanes.shape[0] == 132
    assert (lanes[0] != NO_WORLD).sum(axis=1).tolist() == [2, 2, 2, 2]


def test_lanes_fit_the_memory_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(engine.Options())
    memory = 2**30
    monkeypatch.setattr(machine, "device", SimpleNamespace(total_memory=memory))
    monkeypatch.setattr(machine, "is_cpu", False)
    monkeypatch.setattr(machine, "stepping", FEW_WORLDS)
    worlds = dropped_balls([(k % 2, 60.0 + 0.2 * k) for k in range(600)])
    placed = machine.lane_worlds(worlds, lane_bytes=1000)
    assert (placed != NO_WORLD).sum() == 600
    room = int(LANE_MEMORY * memory) // len(placed)
    assert len(machine.lane_worlds(worlds, room)) == len(placed)
    assert len(machine.lane_worlds(worlds, room + 1)) == 0
    assert machine.lanes_for(60_000, lane_bytes=1000) == 118 * FEW_WORLDS.block
    fewer = machine.lanes_for(60_000, lane_bytes=8000)
    assert fewer % FEW_WORLDS.block == 0
    assert LANE_MEMORY * memory - FEW_WORLDS.block * 8000 < fewer * 8000 <= LANE_MEMORY * memory
    assert machine.lanes_for(60_000, lane_bytes=2**29) == FEW_WORLDS.block


@pytest.mark.gpu
def test_placed_worlds_have_the_results_of_queued_ones() -> None:
    worlds = dropped_balls([(k % 2, 60.0 + 0.2 * k) for k in range(600)])
    options = engine.Options(max_steps=300, stride=100, device="cuda")
    rolled = []
    for settings in (FEW_WORLDS, replace(FEW_WORLDS, waves=0.0), replace(FEW_WORLDS, waves=0.1, exponent=3.0)):
        with stepped_by(settings):
            rolled.append(engine.rollout(worlds, engine.RUN_TO_END, options))
    for other in rolled[1:]:
        for name in ("verdicts", "steps", "poses"):
            np.testing.assert_array_equal(getattr(rolled[0], name), getattr(other, name))
