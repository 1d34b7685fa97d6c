"""Facts about the physics of everyday objects: laws, contacts by height, and repeatability."""

from hashlib import sha256

import numpy as np
import pytest

from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, BodyError, Motion
from tumble.comphy.catalogue.world import DIV, FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.simulation.footprints import footprint_of
from tumble.comphy.simulation.laws import SLIDES_AS, deceleration
from tumble.comphy.simulation.outcomes import straight_pairs
from tumble.comphy.simulation.simulator import InitialState, SimulatorError, physics_id, simulate, simulate_many

STATE_ARRAYS = ("positions", "orientations", "velocities", "angular_velocities")
GOLDEN = {"comphy-div-1": "4ae4ddd1d3d807d2"}
"""Digest of the motion of `scene`, by physics."""


def objects(*shapes: str, form: int = 1, **properties: int) -> tuple[Body, ...]:
    colors = ("red", "blue", "green", "gray")
    return tuple(
        Body(color, "wood", shape, form=form, **properties) for color, shape in zip(colors, shapes, strict=False)
    )


def on_x(bodies: tuple[Body, ...], apart: float, speed: float, frames: int = 50, headings: object = None) -> Motion:
    """Two objects on the x axis, of which the first moves towards the second."""
    places, velocities = np.array([[0.0, 0.0], [apart, 0.0]]), np.array([[speed, 0.0], [0.0, 0.0]])
    turned = np.zeros(2) if headings is None else np.array(headings)
    return simulate(bodies, InitialState.on_table(bodies, places, turned, velocities), frames)


def scene() -> tuple[tuple[Body, ...], InitialState]:
    """Four objects that meet in the middle."""
    bodies = objects("teapot", "chair", "trophy", "bucket")
    angles = np.arange(4) * np.pi / 2 + 0.1
    places = 1.2 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return bodies, InitialState.on_table(bodies, places, np.array([0.3, -1.0, 2.0, 0.0]), -0.9 * places)


@pytest.mark.parametrize("shape", DIV.shapes)
@pytest.mark.parametrize("mass", [LIGHT, HEAVY])
def test_objects_slow_down_as_their_kind_whatever_their_mass(shape: str, mass: int) -> None:
    bodies = objects(shape, mass=mass)
    start = InitialState.on_table(bodies, np.zeros((1, 2)), np.ones(1), np.array([[0.8, -0.6]]))
    speeds = np.hypot(*simulate(bodies, start, 11).velocities[:, 0, :2].T)
    constant, slope = deceleration(SLIDES_AS[shape])
    measured = (speeds[0] - speeds[-1]) * FRAMES_PER_SECOND / 10
    assert measured == pytest.approx(constant + slope * speeds.mean(), rel=0.03)


@pytest.mark.parametrize("shapes", [("bottle", "bowl"), ("chair", "cone"), ("sofa", "table"), ("mug", "teapot")])
def test_momentum_is_kept_and_energy_is_not_gained(shapes: tuple[str, str]) -> None:
    bodies = objects(*shapes)
    motion = on_x(bodies, 0.9, 1.5, headings=(0.4, 1.1))
    (collision,) = motion.collisions
    before, after = collision.step // 10, collision.step // 10 + 2
    momenta = motion.velocities[[before, after]].sum(axis=1)
    assert momenta[1] == pytest.approx(momenta[0], abs=0.06)  # friction takes 0.02 a frame
    inertias = np.array([footprint_of(shape, 1).inertia for shape in shapes])
    energy = (motion.velocities**2).sum(axis=(1, 2)) + (motion.angular_velocities[..., 2] ** 2 * inertias).sum(axis=1)
    assert (np.diff(energy) < 1e-9).all()
    assert energy[after] < 0.95 * energy[before]


def test_an_object_that_is_hit_beside_its_centre_turns() -> None:
    bodies = objects("bottle", "sofa")
    places, velocities = np.array([[-0.7, 0.2], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])
    motion = simulate(bodies, InitialState.on_table(bodies, places, np.array([0.0, np.pi / 2]), velocities), 50)
    assert motion.collisions
    assert motion.angular_velocities[-25, 1, 2] < -0.1
    assert np.abs(motion.angular_velocities[:, 0]).max() == pytest.approx(0.0, abs=1e-6)  # a disc is pushed centrally


def test_a_shade_passes_over_a_bowl() -> None:
    """Lamp and bowl touch at the foot or stem; a bottle, which is taller, touches the shade."""
    lamp, bowl = (footprint_of(shape, 1) for shape in ("lamp", "bowl"))
    touch = []
    for other in ("bowl", "bottle"):
        bodies = objects("lamp", other)
        apart = lamp.reach + footprint_of(other, 1).reach
        start = InitialState.on_table(
            bodies, np.array([[0.0, 0.0], [apart - 0.02, 0.0]]), np.zeros(2), np.zeros((2, 2))
        )
        touch.append(bool(simulate(bodies, start, 2).collisions))
    assert bowl.pieces[-1].high < min(piece.low for piece in lamp.pieces if piece.radius == lamp.reach)
    assert touch == [False, True]


def test_a_chair_is_as_wide_as_it_is_turned() -> None:
    """Its corners reach farther than its sides."""
    bodies = objects("chair", "bottle")
    frames = [on_x(bodies, 0.8, 1.0, headings=(heading, 0.0)).collisions[0].step for heading in (0.0, np.pi / 4)]
    assert frames[1] < frames[0] - 5


@pytest.mark.parametrize(("charges", "sign"), [((1, 1), 1.0), ((1, -1), -1.0)])
def test_charges_repel_and_attract(charges: tuple[int, int], sign: float) -> None:
    bodies = tuple(Body("red", "metal", "bottle", charge=charge, form=2) for charge in charges)
    motion = on_x(bodies, 0.5, 0.0, frames=6)
    assert np.sign(motion.velocities[-1, 1, 0]) == sign
    assert motion.velocities[-1, 0, 0] == pytest.approx(-motion.velocities[-1, 1, 0])


def test_touching_objects_come_to_rest_without_overlapping() -> None:
    bodies = tuple(Body("red", "metal", "mug", charge=charge, form=3) for charge in (1, -1))
    motion = on_x(bodies, 0.6, 0.0, frames=120)
    assert len(motion.collisions) == 1
    assert np.abs(motion.velocities[-1]).max() < 0.02
    drift = np.linalg.norm(motion.positions[-1] - motion.positions[-40], axis=-1)
    assert drift.max() < 0.01


def test_motion_does_not_depend_on_the_batch() -> None:
    bodies, start = scene()
    (alone,) = simulate_many([(bodies, start)], 60)
    other = objects("sofa", "lamp", form=8)
    state = InitialState.on_table(other, np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros(2), np.zeros((2, 2)))
    together = simulate_many([(other, state), (bodies, start)], 60)[1]
    for name in STATE_ARRAYS:
        np.testing.assert_array_equal(getattr(alone, name), getattr(together, name))
    assert alone.collisions == together.collisions


def test_the_same_start_gives_the_same_bits() -> None:
    bodies, start = scene()
    motion = simulate(bodies, start, SHOWN_FRAMES)
    assert len(motion.collisions) > 3
    content = b"".join(np.ascontiguousarray(getattr(motion, name)).tobytes() for name in STATE_ARRAYS)
    assert sha256(content + repr(motion.collisions).encode()).hexdigest()[:16] == GOLDEN[physics_id(DIV.name)]


def test_plain_bodies_and_objects_do_not_mix() -> None:
    bodies = Body("red", "metal", "cube"), *objects("mug")
    start = InitialState.on_table(bodies, np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros(2), np.zeros((2, 2)))
    with pytest.raises((BodyError, SimulatorError), match="different worlds"):
        simulate(bodies, start, 2)


def test_straight_paths_meet_when_outlines_do() -> None:
    """A free path without slowing down: the chair's side is nearer than its corner."""
    for heading, expected in ((0.0, frozenset({(0, 1)})), (None, frozenset())):
        bodies = objects("chair", "bottle")
        aside = 0.0 if heading == 0.0 else 0.6
        frames = np.arange(SHOWN_FRAMES)[:, None, None] / FRAMES_PER_SECOND
        velocities = np.array([[0.0, 0.0, 0.0], [-0.5, 0.0, 0.0]])
        last = np.array([[0.0, 0.0, 0.2], [0.8, aside, 0.2]])
        positions = last + (frames - frames[-1]) * velocities
        upright = np.broadcast_to((1.0, 0.0, 0.0, 0.0), (SHOWN_FRAMES, 2, 4))
        still = np.zeros_like(positions)
        seen = np.ones((SHOWN_FRAMES, 2), bool)
        motion = Motion(positions, upright, np.broadcast_to(velocities, positions.shape), still, seen)
        assert straight_pairs(bodies, motion) == expected
