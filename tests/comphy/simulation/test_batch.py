"""Worlds as plain arrays: the same motion as `simulate_many`, and merged steps that stay close to it."""

from dataclasses import replace

import numpy as np
import pytest

from tumble.comphy.catalogue.body import DECIMALS, HEAVY, SHAPES, Body
from tumble.comphy.simulation.batch import WorldArrays, simulate_arrays
from tumble.comphy.simulation.simulator import InitialState, SimulatorError, simulate_many

BODIES = (
    Body("red", "metal", "cube"),
    Body("blue", "metal", "sphere", HEAVY),
    Body("gray", "rubber", "cylinder", charge=1),
    Body("cyan", "rubber", "cube", charge=-1),
)
PLACES = np.array(
    [[[-1.0, 0.0625], [0.0, 0.0], [1.0, 1.0], [0.25, 1.25]], [[-1.5, 0.5], [0.5, 0.5], [1.0, 1.0], [0.0, 2.0]]]
)
VELOCITIES = np.array(
    [[[1.5, 0.0], [-0.5, 0.25], [-0.5, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 0.0], [0.0, -0.5], [0.5, -0.5]]]
)
FRAMES = 60


def arrays() -> WorldArrays:
    """Two worlds; the second without its last body."""
    return WorldArrays(
        np.array([4, 3]),
        np.tile([SHAPES.index(body.shape) for body in BODIES], (2, 1)),
        np.tile([float(body.mass) for body in BODIES], (2, 1)),
        np.tile([float(body.charge) for body in BODIES], (2, 1)) * [[1.0], [0.0]],
        PLACES,
        np.zeros((2, 4)),
        VELOCITIES,
    )


def test_exact_steps_give_the_bits_of_simulate_many() -> None:
    neutral = tuple(replace(body, charge=0) for body in BODIES[:3])
    worlds = [
        (
            bodies,
            InitialState.on_table(
                bodies, PLACES[k, : len(bodies)], np.zeros(len(bodies)), VELOCITIES[k, : len(bodies)]
            ),
        )
        for k, bodies in enumerate((BODIES, neutral))
    ]
    paths = simulate_arrays(arrays(), FRAMES)
    for k, motion in enumerate(simulate_many(worlds, FRAMES)):
        assert np.array_equal(paths.places[k, :, : motion.bodies].round(DECIMALS), motion.positions[..., :2])
        assert np.array_equal(paths.velocities[k, :, : motion.bodies].round(DECIMALS), motion.velocities[..., :2])
        found = [tuple(row) for row in paths.collisions[k, : paths.collision_counts[k]].tolist()]
        assert found == [(one.step, one.first, one.second) for one in motion.collisions]
        assert motion.collisions


def test_merged_steps_move_bodies_as_all_steps_do() -> None:
    exact, merged = (simulate_arrays(arrays(), FRAMES, exact=one) for one in (True, False))
    assert np.abs(exact.places - merged.places)[0].max() < 0.005
    assert np.abs(exact.places - merged.places)[1, :, :3].max() < 0.005
    assert np.abs(np.sin(2.0 * (exact.yaws - merged.yaws)))[:, :, 0].max() < 0.04
    moved = np.abs(exact.places[:, -1] - exact.places[:, 0]).max()
    assert moved > 0.5


def test_threads_and_batches_make_no_difference() -> None:
    one = arrays()
    rows = np.tile([0, 1], 100)
    many = WorldArrays(*(getattr(one, name)[rows] for name in WorldArrays.__dataclass_fields__ if name != "spins"))
    alone = simulate_arrays(one, FRAMES, exact=False, threads=1)
    together = simulate_arrays(many, FRAMES, exact=False, threads=2)
    assert np.array_equal(together.places, alone.places[rows])


def test_each_world_has_its_own_number_of_frames() -> None:
    paths = simulate_arrays(arrays(), np.array([20, FRAMES]), exact=False)
    whole = simulate_arrays(arrays(), FRAMES, exact=False)
    assert np.array_equal(paths.places[0, :20], whole.places[0, :20])
    assert not paths.places[0, 20:].any()
    assert np.array_equal(paths.places[1], whole.places[1])


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(SimulatorError, match=r"yaws must have the shape \[2, 4\]"):
        replace(arrays(), yaws=np.zeros((2, 3)))
