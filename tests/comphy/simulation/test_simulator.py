"""Facts about ComPhy's physics: laws that were fitted to the published motion, and repeatability."""

import itertools
from hashlib import sha256

import numpy as np
import pytest

from tumble.comphy.catalogue.body import DECIMALS, HEAVY, LIGHT, SHAPES, Body, Motion
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, RADIUS
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import pair_distances
from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate, simulate_many

STATE_ARRAYS = ("positions", "orientations", "velocities", "angular_velocities")
GOLDEN = {"comphy-2": "9a663e09ed791e1d"}
"""Digest of the motion of `scene`, by physics: the same on x86 and ARM."""
RED, BLUE = ("red", "metal"), ("blue", "rubber")


def pair(
    shapes: tuple[str, str], masses: tuple[int, int] = (1, 1), charges: tuple[int, int] = (0, 0)
) -> tuple[Body, ...]:
    return Body(*RED, shapes[0], masses[0], charges[0]), Body(*BLUE, shapes[1], masses[1], charges[1])


def head_on(
    bodies: tuple[Body, ...], speeds: tuple[float, float], apart: float = 1.2, frames: int = 60, turn: float = 0.0
) -> Motion:
    """Two bodies on the x axis, the first on the left, the second turned."""
    places = np.array([[-apart / 2, 0.0], [apart / 2, 0.0]])
    return simulate(
        bodies,
        InitialState.on_table(bodies, places, np.array([0.0, turn]), np.array([[s, 0.0] for s in speeds])),
        frames,
    )


@pytest.mark.parametrize(
    ("shape", "constant", "slope"), [("sphere", 0.0, 0.158), ("cube", 0.240, 0.152), ("cylinder", 0.232, 0.157)]
)
@pytest.mark.parametrize("mass", [LIGHT, HEAVY])
@pytest.mark.parametrize("speed", [0.6, 1.5])
def test_bodies_slow_down_as_fitted_whatever_their_mass(
    shape: str, constant: float, slope: float, mass: int, speed: float
) -> None:
    bodies = (Body(*RED, shape, mass),)
    motion = simulate(
        bodies, InitialState.on_table(bodies, np.zeros((1, 2)), np.ones(1), np.array([[0.8, -0.6]]) * speed), 11
    )
    speeds = np.hypot(*motion.velocities[:, 0, :2].T)
    assert (speeds[0] - speeds[-1]) * FRAMES_PER_SECOND / 10 == pytest.approx(
        constant + slope * speeds.mean(), rel=0.03
    )


def test_a_sliding_body_stops_for_good() -> None:
    bodies = (Body(*RED, "cube"),)
    motion = simulate(bodies, InitialState.on_table(bodies, np.zeros((1, 2)), np.zeros(1), np.array([[1.0, 0.0]])), 175)
    assert np.abs(motion.velocities[-1]).max() < 1e-3
    # The distance until rest of dv/dt = -(a + b v), by integration.
    distance = 1.0 / 0.152 - 0.240 / 0.152**2 * np.log1p(0.152 / 0.240)
    assert motion.positions[-1, 0, 0] == pytest.approx(distance, rel=0.02)


def test_spheres_roll_from_the_start() -> None:
    bodies = (Body(*RED, "sphere"),)
    motion = simulate(bodies, InitialState.on_table(bodies, np.zeros((1, 2)), np.ones(1), np.array([[1.0, 0.5]])), 30)
    rolled = motion.angular_velocities[:, 0] * RADIUS
    np.testing.assert_allclose(rolled[:, 1], motion.velocities[:, 0, 0], atol=2e-3)
    np.testing.assert_allclose(-rolled[:, 0], motion.velocities[:, 0, 1], atol=2e-3)


def test_collisions_keep_a_sixth_of_the_closing_speed_in_the_median() -> None:
    kept = []
    pairs = itertools.combinations_with_replacement(SHAPES, 2)
    for shapes, speed, turn in itertools.product(pairs, (0.6, 0.8, 1.0, 1.2), (0.0, 0.2)):
        motion = head_on(pair(shapes), (speed, -speed), 0.8, 30, turn)
        closing = motion.velocities[:, 0, 0] - motion.velocities[:, 1, 0]
        frame = motion.collisions[0].step // 10
        kept.append(-closing[frame + 3] / closing[frame])
    assert np.median(kept) == pytest.approx(0.17, rel=0.1)


def test_a_heavy_body_is_hardly_moved_by_a_light_one() -> None:
    speeds = {}
    for masses in ((LIGHT, LIGHT), (LIGHT, HEAVY)):
        motion = head_on(pair(("sphere", "sphere"), masses), (1.5, 0.0))
        before = motion.collisions[0].step // 10
        speeds[masses] = motion.velocities[before + 2, 1, 0] / motion.velocities[before, 0, 0]
    # Momentum and restitution e: the struck body gets (1 + e) m1 / (m1 + m2) of the speed.
    assert speeds[LIGHT, LIGHT] == pytest.approx(1.17 / 2, rel=0.1)
    assert speeds[LIGHT, HEAVY] == pytest.approx(1.17 / 6, rel=0.1)


@pytest.mark.parametrize(("charges", "sign"), [((1, 1), 1.0), ((-1, -1), 1.0), ((1, -1), -1.0), ((0, 1), 0.0)])
def test_charges_accelerate_as_fitted(charges: tuple[int, int], sign: float) -> None:
    motion = head_on(pair(("cube", "cube"), charges=charges), (0.0, 0.0), apart=0.55, frames=5)
    gained = -motion.velocities[-1, 0, 0] * FRAMES_PER_SECOND / 4
    expected = sign * (0.138 * np.mean(1.0 / pair_distances(motion, 0, 1) ** 2) - 0.240)
    assert gained == pytest.approx(expected, rel=0.05, abs=1e-3)
    assert motion.velocities[-1, 1, 0] == pytest.approx(-motion.velocities[-1, 0, 0], abs=1e-5)


def test_charge_moves_a_light_body_five_times_as_much_as_a_heavy_one() -> None:
    motion = head_on(pair(("sphere", "sphere"), (LIGHT, HEAVY), (1, 1)), (0.0, 0.0), apart=0.6, frames=10)
    assert -motion.velocities[-1, 0, 0] == pytest.approx(5 * motion.velocities[-1, 1, 0], rel=0.02)


def test_an_attracted_pair_stays_on_the_table_and_collides_once() -> None:
    motion = head_on(pair(("sphere", "cube"), charges=(1, -1)), (0.2, -0.2), apart=0.8, frames=175)
    assert len(motion.collisions) == 1
    assert np.abs(motion.positions[..., 2] - 0.2).max() < 0.005


def test_touches_between_frames_are_not_missed() -> None:
    motion = head_on(pair(("sphere", "sphere")), (3.0, -3.0), apart=0.7, frames=4)
    (collision,) = motion.collisions
    assert collision.step == pytest.approx(250 * 0.3 / 6.0, abs=1.5)


def scene() -> tuple[tuple[Body, ...], InitialState]:
    bodies = (*pair(("cube", "sphere"), charges=(1, -1)), Body("green", "metal", "cylinder", HEAVY))
    places = np.array([[-1.0, 0.1], [1.0, 0.0], [0.0, 1.0]])
    start = InitialState.on_table(
        bodies, places, np.array([0.3, 0.0, 1.0]), np.array([[1.2, 0.0], [-1.0, 0.0], [0.0, -0.8]])
    )
    return bodies, start


def assert_same(one: Motion, other: Motion) -> None:
    for name in ("positions", "orientations", "velocities", "angular_velocities", "in_view"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.collisions == other.collisions


def test_the_same_start_gives_the_same_bits_after_anything_else() -> None:
    bodies, start = scene()
    first = simulate(bodies, start, 60)
    head_on(pair(("cube", "sphere")), (1.0, -1.0))
    assert_same(first, simulate(bodies, start, 60))


def test_all_machines_give_the_same_bits() -> None:
    motion = simulate(*scene(), 60)
    arrays = (np.ascontiguousarray(getattr(motion, name) + 0.0, "<f8") for name in STATE_ARRAYS)
    assert sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16] == GOLDEN[physics_id()]


def test_a_motion_follows_again_from_its_first_frame_and_nearly_from_any_other() -> None:
    bodies, start = scene()
    whole = simulate(bodies, start, 60)
    assert_same(whole, simulate(bodies, InitialState.from_motion(whole, 0), 60))
    part = simulate(bodies, InitialState.from_motion(whole, 12), 20)
    np.testing.assert_allclose(part.positions, whole.positions[12:32], atol=2e-3)


def test_motion_is_rounded_and_says_what_the_camera_sees() -> None:
    motion = simulate(*scene(), 30)
    np.testing.assert_array_equal(motion.positions, motion.positions.round(DECIMALS))
    np.testing.assert_array_equal(motion.in_view, CAMERA.sees(motion.positions))
    np.testing.assert_allclose(np.linalg.norm(motion.orientations, axis=-1), 1.0, atol=1e-5)


def test_a_batch_gives_the_same_bits_as_each_world_alone() -> None:
    bodies, start = scene()
    two = bodies[:2]
    fewer = InitialState(*(getattr(start, name)[:2] for name in STATE_ARRAYS))
    for motion, (own, own_start) in zip(
        simulate_many([(bodies, start), (two, fewer)], 40), [(bodies, start), (two, fewer)], strict=True
    ):
        assert_same(motion, simulate(own, own_start, 40))
    assert simulate_many([], 40) == []


@pytest.mark.parametrize("shapes", list(itertools.combinations_with_replacement(SHAPES, 2)))
def test_collisions_gain_no_energy(shapes: tuple[str, str]) -> None:
    generator = np.random.default_rng(3)
    worlds = []
    for _ in range(200):
        bodies = pair(shapes, (int(generator.choice([LIGHT, HEAVY])), int(generator.choice([LIGHT, HEAVY]))))
        angle, speeds = generator.uniform(-np.pi, np.pi), generator.uniform(0.0, 3.0, 2)
        ahead = np.array([np.cos(angle), np.sin(angle)])
        aside = generator.uniform(-0.4, 0.4) * np.array([-ahead[1], ahead[0]])
        places = np.array([-0.5 * ahead, 0.5 * ahead + aside])
        velocities = np.array([ahead * speeds[0], -ahead * speeds[1]])
        worlds.append((bodies, InitialState.on_table(bodies, places, generator.uniform(-3.0, 3.0, 2), velocities)))
    collisions = 0
    for (bodies, _), motion in zip(worlds, simulate_many(worlds, 40), strict=True):
        energy = kinetic_energy(bodies, motion)
        assert (np.diff(energy) < 1e-5).all()
        collisions += len(motion.collisions)
    assert collisions > 100


def kinetic_energy(bodies: tuple[Body, ...], motion: Motion) -> np.ndarray:
    """[frame]: of translation and rotation."""
    inertias = {"cube": 0.4**2 / 6, "sphere": 0.4 * RADIUS**2, "cylinder": RADIUS**2 / 2}
    masses = np.array([body.mass for body in bodies])
    spins = np.array([body.mass * inertias[body.shape] for body in bodies])
    moving = (motion.velocities**2).sum(axis=-1) @ masses
    return np.asarray(0.5 * moving + 0.5 * (motion.angular_velocities**2).sum(axis=-1) @ spins)


def test_bodies_that_touch_do_not_overlap() -> None:
    motion = head_on(pair(("cube", "cube")), (2.0, -2.0), apart=0.8)
    assert pair_distances(motion, 0, 1).min() > 2 * RADIUS - 0.02


def test_out_of_view_bodies_act_on_each_other_unless_only_what_is_seen_counts() -> None:
    bodies = pair(("sphere", "sphere"), charges=(1, 1))
    places = np.array([[-9.3, 4.0], [-8.7, 4.0]])
    start = InitialState.on_table(bodies, places, np.zeros(2), np.array([[0.5, 0.0], [-0.5, 0.0]]))
    (everywhere,) = simulate_many([(bodies, start)], 50)
    (seen,) = simulate_many([(bodies, start)], 50, only_in_view=True)
    assert not everywhere.in_view.any()
    assert everywhere.velocities[-1, 0, 0] < 0.0 < seen.velocities[-1, 0, 0]


@pytest.mark.gpu
def test_a_gpu_gives_the_same_bits() -> None:
    worlds = [scene()] * 3
    for one, other in zip(simulate_many(worlds, 60), simulate_many(worlds, 60, device="cuda"), strict=True):
        assert_same(one, other)
