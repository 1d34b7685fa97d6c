"""Attempts have the status that the benchmark's rules give them."""

from pathlib import Path

import numpy as np
import pytest
from published import Published, load

from tumble import phyre
from tumble.phyre.catalogue.task import MATERIAL
from tumble.phyre.catalogue.task_files import TaskFileError
from tumble.phyre.simulation.actions import from_balls
from tumble.phyre.simulation.attempt import SimulationError
from tumble.scene import Body, Circle, Scene, box


def shelf_task(task_id: str = "90000:000", tier: str = "B") -> phyre.Task:
    """A ball lies on a shelf; knocked off to the right, it comes to rest on the floor."""
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), role="subject", **MATERIAL)
    walls = [Body((box(5.0, 256.0),), position=(x, 128.0), **MATERIAL) for x in (-2.5, 258.5)]
    shelf = Body((box(100.0, 5.0),), position=(50.0, 80.0), **MATERIAL)
    ball = Body((Circle(8.0),), position=(80.0, 90.5), dynamic=True, role="object", **MATERIAL)
    return phyre.Task(task_id, tier, Scene((floor, *walls, shelf, ball), units_per_metre=6.0), body=4, other=0)


KNOCKS = from_balls(np.array([[[72.0, 200.0, 12.0]]]))[0]
LEAVES = from_balls(np.array([[[200.0, 50.0, 8.0]]]))[0]
OVERLAPS = from_balls(np.array([[[80.0, 90.0, 8.0]]]))[0]


def test_statuses_of_a_sweep() -> None:
    status = phyre.Simulator([shelf_task(), shelf_task("90000:001")], "B").sweep([KNOCKS, LEAVES, OVERLAPS])
    assert status.dtype == np.int8
    np.testing.assert_array_equal(status, [[1, -1, 0]] * 2)


def test_pairs_equal_the_sweep_and_tell_stable_solutions() -> None:
    simulator = phyre.Simulator([shelf_task()], "B")
    ids = ["90000:000"] * 3
    np.testing.assert_array_equal(simulator.pairs(ids, [KNOCKS, LEAVES, OVERLAPS]), [1, -1, 0])
    np.testing.assert_array_equal(simulator.pairs(ids, [KNOCKS, LEAVES, OVERLAPS], stable=True), [3, -1, 0])


def test_wrong_tiers_tasks_and_numbers_are_named() -> None:
    with pytest.raises(ValueError, match="90000:000 is of tier B, not 2B"):
        phyre.Simulator([shelf_task()], "2B")
    simulator = phyre.Simulator([shelf_task()], "B")
    with pytest.raises(SimulationError, match="no task '00000:000'"):
        simulator.pairs(["00000:000"], [KNOCKS])
    with pytest.raises(ValueError, match="2 tasks do not pair with 1 actions"):
        simulator.pairs(["90000:000"] * 2, [KNOCKS])
    with pytest.raises(ValueError, match="no tier 'C'"):
        shelf_task(tier="C")


def test_published_outcomes_are_reproduced(published: Published) -> None:
    tasks, solutions = published.tasks, load("official_solutions.json.xz")
    for tier in ("B", "2B"):
        for kind, expected in (("stable", 3), ("unstable", 2)):
            known = [(i, a) for i, s in solutions.items() if tasks[i].tier == tier for a in s[kind]][::60]
            simulator = phyre.Simulator([tasks[i] for i in sorted({i for i, _ in known})], tier)
            status = simulator.pairs([i for i, _ in known], [a for _, a in known], stable=True)
            assert np.mean(status == expected) > 0.88, "a few are borderline, also for Box2D on another machine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not json", "neither JSON"),
        (b"\xfd7zXZ\x00broken", "neither JSON"),
        (b"[]", "an object with a task for each id"),
        (b'{"00000:000": {"tier": "B"}}', "00000:000: 'goal' is missing"),
        (b'{"00000:000": {"tier": "B", "goal": {"body": 0, "other": 9}, "bodies": []}}', "body 0 of 0"),
        (
            b'{"1:0": {"tier": "B", "goal": {"body": 0, "other": 0}, "bodies": [{"x": 0, "y": 0, "angle": 0, '
            b'"dynamic": true, "color": 2, "shapes": [{"radius": -1}]}]}}',
            "1:0: .*radius",
        ),
    ],
)
def test_damaged_task_files_are_rejected(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_bytes(content)
    with pytest.raises(TaskFileError, match=message):
        phyre.official.load(path)


@pytest.mark.gpu
def test_a_gpu_gives_the_same_statuses() -> None:
    for tier in ("B", "2B"):
        ids = phyre.task_ids(tier)[::97]
        tasks = [phyre.task(task_id) for task_id in ids]
        actions = phyre.actions.fixed_set(phyre.TIERS[tier], 200)
        there = phyre.Simulator(tasks, tier, "cuda").sweep(actions)
        np.testing.assert_array_equal(there, phyre.Simulator(tasks, tier).sweep(actions))
        assert set(np.unique(there)) == {-1, 0, 1}
