"""Worlds of everyday objects as plain arrays: the motion of `simulate_many`, and merged steps that stay close to it."""

import numpy as np

from tumble.comphy.catalogue.body import DECIMALS, HEAVY, Body
from tumble.comphy.simulation.batch import WorldArrays, simulate_object_arrays
from tumble.comphy.simulation.simulator import InitialState, simulate_many

BODIES = (
    Body("red", "metal", "chair", form=3),
    Body("blue", "metal", "mug", HEAVY, form=7),
    Body("gray", "wood", "bottle", charge=1, form=1),
    Body("cyan", "ceramic", "sofa", charge=-1, form=9),
)
KINDS = [(body.shape, body.form) for body in BODIES]
PLACES = np.array(
    [[[-1.0, 0.0625], [0.0, 0.0], [1.0, 1.0], [0.25, 1.25]], [[-1.5, 0.5], [0.5, 0.5], [1.0, 1.0], [0.0, 2.0]]]
)
VELOCITIES = np.array(
    [[[1.5, 0.0], [-0.5, 0.25], [-0.5, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 0.0], [0.0, -0.5], [0.5, -0.5]]]
)
YAWS = np.array([[0.3, 1.0, 0.0, 0.5], [0.0, 2.0, 0.0, -0.5]])
KIND = np.tile(np.arange(4), (2, 1))
FRAMES = 60


def arrays() -> WorldArrays:
    """Two worlds; the second without its last body."""
    return WorldArrays(
        np.array([4, 3]),
        np.zeros((2, 4), int),
        np.tile([float(body.mass) for body in BODIES], (2, 1)),
        np.tile([float(body.charge) for body in BODIES], (2, 1)) * [[1.0], [0.0]],
        PLACES,
        YAWS,
        VELOCITIES,
    )


def test_exact_steps_give_the_bits_of_simulate_many() -> None:
    start = InitialState.on_table(BODIES, PLACES[0], YAWS[0], VELOCITIES[0])
    (motion,) = simulate_many([(BODIES, start)], FRAMES)
    paths = simulate_object_arrays(arrays(), KINDS, KIND, FRAMES)
    assert np.abs(paths.places[0] - motion.positions[..., :2]).max() < 10.0**-DECIMALS
    found = [tuple(row) for row in paths.collisions[0, : paths.collision_counts[0]].tolist()]
    assert found == [(one.step, one.first, one.second) for one in motion.collisions]
    assert motion.collisions


def test_merged_steps_move_objects_as_all_steps_do() -> None:
    exact, merged = (simulate_object_arrays(arrays(), KINDS, KIND, FRAMES, exact=one) for one in (True, False))
    for row, bodies in enumerate((4, 3)):
        assert np.abs(exact.places - merged.places)[row, :, :bodies].max() < 0.005
        assert np.abs(np.sin(exact.yaws - merged.yaws))[row, :, :bodies].max() < 0.04
        assert merged.collision_counts[row] == exact.collision_counts[row] > 0
    assert np.abs(exact.yaws[:, -1] - exact.yaws[:, 0])[:, :2].max() > 0.3


def test_objects_at_rest_beside_each_other_pass_a_push_on() -> None:
    one = arrays()
    places = np.array([[[-1.0, 0.0], [0.0, 0.0], [0.42, 0.0], [0.92, 0.0]]])
    velocities = np.array([[[2.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]])
    row = WorldArrays(
        np.array([4]), one.shapes[:1], np.ones((1, 4)), np.zeros((1, 4)), places, one.yaws[:1] * 0.0, velocities
    )
    exact, merged = (simulate_object_arrays(row, KINDS, KIND[:1], FRAMES, exact=way) for way in (True, False))
    assert np.abs(exact.places[0, -1, 2:] - places[0, 2:])[:, 0].min() > 0.05
    assert np.abs(exact.places - merged.places).max() < 0.01


def test_each_world_has_its_own_number_of_frames() -> None:
    paths = simulate_object_arrays(arrays(), KINDS, KIND, np.array([20, FRAMES]), exact=False)
    whole = simulate_object_arrays(arrays(), KINDS, KIND, FRAMES, exact=False)
    assert np.array_equal(paths.places[0, :20], whole.places[0, :20])
    assert not paths.places[0, 20:].any()
    assert np.array_equal(paths.places[1], whole.places[1])
