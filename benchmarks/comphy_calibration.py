"""ComPhy's physics against the laws that were fitted to the published motion, and how fast sets are generated.

    python benchmarks/comphy_calibration.py [--sets 200]

Every figure of the physics is measured on simulated motion, as it would be on the published one.
"""

import argparse
import itertools
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from table import Results

from tumble.comphy.catalogue.body import SHAPES, Body, Motion
from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.simulation.events import colliding_pairs, pair_distances
from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate

SLOWING = {"cube": (0.240, 0.152), "cylinder": (0.232, 0.157), "sphere": (0.0, 0.158)}
RESTITUTION = 0.17
CHARGE = 0.138
CONTACTS = {
    ("cube", "cube"): 0.464,
    ("cube", "sphere"): 0.435,
    ("cube", "cylinder"): 0.434,
    ("sphere", "sphere"): 0.411,
    ("sphere", "cylinder"): 0.406,
    ("cylinder", "cylinder"): 0.404,
}
POSITION_SPREAD, VELOCITY_SPREAD = 1.84, 0.72
SPEEDS = (0.5, 1.0, 1.5, 2.0)
DECELERATION_FRAMES = 10
"""Frames over which a deceleration is measured."""
PARTED_FRAMES = 3
"""Frames after a collision at which the bodies' velocities are measured."""
Job = tuple[int, Family]


def body(shape: str, color: str, charge: int = 0) -> Body:
    return Body(color, "metal", shape, charge=charge)


def check(results: Results, figure: str, value: float, fitted: float, note: str = "") -> None:
    """A figure that must be within 10 % of the fitted one."""
    must = f"{0.9 * fitted:.3f} to {1.1 * fitted:.3f}"
    missed = "" if abs(value - fitted) <= 0.1 * fitted else "MISSED; "
    results.add(figure, f"{value:.3f}", must, f"{fitted:.3f}", missed + note)


def decelerations(results: Results) -> None:
    for shape, (constant, slope) in SLOWING.items():
        bodies = (body(shape, "red"),)
        for speed in SPEEDS:
            start = InitialState.on_table(bodies, np.zeros((1, 2)), np.array([0.3]), speed * np.array([[0.6, 0.8]]))
            motion = simulate(bodies, start, DECELERATION_FRAMES + 1)
            speeds = np.hypot(*motion.velocities[:, 0, :2].T)
            measured = (speeds[0] - speeds[-1]) * FRAMES_PER_SECOND / DECELERATION_FRAMES
            check(results, f"deceleration of a {shape} at {speed}", measured, constant + slope * speeds.mean())


def bounce(shapes: tuple[str, str], speed: float, heading: float) -> tuple[float, float]:
    """Restitution of two bodies that collide head on, and the distance of their centres at contact."""
    bodies = body(shapes[0], "red"), body(shapes[1], "blue")
    start = InitialState.on_table(
        bodies, np.array([[-0.6, 0.0], [0.6, 0.0]]), np.array([0.0, heading]), np.array([[speed, 0.0], [-speed, 0.0]])
    )
    motion = simulate(bodies, start, 60)
    frame = motion.collisions[0].step // STEPS_PER_FRAME
    closing = motion.velocities[:, 0, 0] - motion.velocities[:, 1, 0]
    return -closing[frame + PARTED_FRAMES] / closing[frame], contact_distances(motion)[0][1]


def contact_distances(motion: Motion) -> list[tuple[tuple[int, int], float]]:
    """Distance of the centres at each collision, interpolated between frames."""
    contacts = []
    for collision in motion.collisions:
        frame, part = divmod(collision.step, STEPS_PER_FRAME)
        apart = pair_distances(motion, *collision.pair)
        after = min(frame + 1, motion.frames - 1)
        contacts.append((collision.pair, float(apart[frame] + (apart[after] - apart[frame]) * part / STEPS_PER_FRAME)))
    return contacts


def restitutions(results: Results) -> None:
    by_pair = {}
    for shapes in itertools.combinations_with_replacement(SHAPES, 2):
        drawn = itertools.product((0.6, 0.8, 1.0, 1.2), (0.0, 0.2, 0.4))
        by_pair[shapes] = float(np.median([bounce(shapes, speed, heading)[0] for speed, heading in drawn]))
    note = ", ".join(f"{one}-{other} {value:.2f}" for (one, other), value in by_pair.items())
    check(
        results, "restitution, median over pairs of shapes", float(np.median(list(by_pair.values()))), RESTITUTION, note
    )


def charge_constant(results: Results) -> None:
    """From two bodies released at rest: acceleration times r^2."""
    for name, sign in (("repulsion", 1), ("attraction", -1)):
        bodies = body("sphere", "red", 1), body("sphere", "blue", sign)
        slides = body("cube", "red", 1), body("cube", "blue", sign)
        constants = [_charge_of(slides, apart, 0.240) for apart in (0.5, 0.55, 0.6)]
        check(results, f"charge constant, {name} of cubes", float(np.mean(constants)), CHARGE)
        rolling = [_charge_of(bodies, apart, 0.0) for apart in (0.6, 0.8, 1.0)]
        results.add(f"the same of spheres, {name}", f"{np.mean(rolling):.3f}", note="part of the force makes them roll")


def _charge_of(bodies: tuple[Body, ...], apart: float, friction: float, frames: int = 6) -> float:
    """The charge constant by the initial acceleration of two bodies released at rest."""
    places = np.array([[0.0, 0.0], [apart, 0.0]])
    motion = simulate(bodies, InitialState.on_table(bodies, places, np.zeros(2), np.zeros((2, 2))), frames)
    gained = abs(motion.velocities[-1, 0, 0]) * FRAMES_PER_SECOND / (frames - 1)
    return float((gained + friction) * np.mean(pair_distances(motion, 0, 1) ** 2))


def generated(job: Job) -> VideoSet:
    return make_set(*job, seed=1)


def contacts(results: Results, sets: list[VideoSet]) -> None:
    by_shapes: dict[tuple[str, ...], list[float]] = {pair: [] for pair in CONTACTS}
    for own in sets:
        for (one, other), distance in contact_distances(own.target):
            shapes = own.bodies[one].shape, own.bodies[other].shape
            by_shapes[shapes if shapes in by_shapes else shapes[::-1]].append(distance)
    for (one, other), fitted in CONTACTS.items():
        values = by_shapes[one, other]
        note = f"median of {len(values)} collisions in targets"
        check(results, f"contact distance of {one} and {other}", float(np.median(values)), fitted, note)


def spread(results: Results, sets: list[VideoSet]) -> None:
    positions = np.concatenate([own.target.positions[..., :2].ravel() for own in sets])
    velocities = np.concatenate([own.target.velocities[..., :2].ravel() for own in sets])
    note = f"planar coordinates of all bodies over all {TARGET_FRAMES} frames of {len(sets)} targets"
    check(results, "standard deviation of positions", float(positions.std()), POSITION_SPREAD, note)
    check(results, "standard deviation of velocities", float(velocities.std()), VELOCITY_SPREAD, note)


def content(results: Results, sets: list[VideoSet]) -> None:
    later = np.mean([bool(colliding_pairs(own.target, SHOWN_FRAMES, TARGET_FRAMES)) for own in sets])
    results.add("sets with a collision after the shown part", f"{later:.2f}")
    for family in ("mass", "charge"):
        changed = [
            colliding_pairs(motion) != colliding_pairs(own.target)
            for own in sets
            if own.family == family
            for change, motion in own.altered.items()
        ]
        results.add(f"altered worlds of {family} sets in which other pairs collide", f"{np.mean(changed):.2f}")
    shown = np.mean([len(colliding_pairs(own.target)) for own in sets])
    results.add("pairs that collide in view in the shown part", f"{shown:.2f}", note="per target")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    count = parser.parse_args().sets
    results = Results(f"ComPhy, {physics_id()}")
    decelerations(results)
    restitutions(results)
    charge_constant(results)
    families: tuple[Family, ...] = ("mass", "charge")
    jobs: list[Job] = [(index, families[index % 2]) for index in range(count)]
    begin = time.process_time()
    alone = [generated(job) for job in jobs[: count // 4]]
    note = "by processor time, which other processes do not affect"
    results.add("sets/s on one core, no questions", f"{len(alone) / (time.process_time() - begin):.2f}", note=note)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(generated, jobs[:2]))
        begin = time.perf_counter()
        rest = list(pool.map(generated, jobs[count // 4 :], chunksize=4))
        rate = len(rest) / (time.perf_counter() - begin)
        note = f"by the clock; the machine's load was {os.getloadavg()[0]:.1f}"
        results.add("sets/s on two cores, no questions", f"{rate:.2f}", "1", note=note)
    sets = [*alone, *rest]
    contacts(results, sets)
    spread(results, sets)
    content(results, sets)
    results.finish("comphy-calibration")


if __name__ == "__main__":
    main()
