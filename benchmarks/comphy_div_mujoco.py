"""The physics of the div world beside MuJoCo's: the same starts, masses, charges and laws, simulated by both.

    pip install mujoco
    python benchmarks/comphy_div_mujoco.py [--sets 100]

First each two categories meet TRIALS times, with random forms, headings and misses; then the targets of sets are
simulated. MuJoCo simulates the convex parts of the objects in three dimensions. They stand on a plane with friction,
and touch each other without; a large inertia about the horizontal axes keeps them upright, as in ours.
"""

import argparse
import itertools
import time
from collections import Counter

import mujoco
import numpy as np
from comphy_mujoco import STIFFNESS, coulomb_forces
from table import Results

from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.catalogue.world import DIV, SHOWN_FRAMES, STEPS_PER_FRAME, STEPS_PER_SECOND
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.objects.shape import build_object
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import colliding_pairs, debounced_collisions, pairs_of
from tumble.comphy.simulation.laws import DAMPING, FRICTION, GRAVITY
from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate, simulate_many
from tumble.draws import Draws
from tumble.progress import bar

TRIALS, TRIAL_FRAMES = 10, 40
APART, SPEED = 0.9, 1.2
"""Of two objects that meet: their distance, and the speed of the first one."""
MISSES = (-0.5, 0.5)
"""By how much the first one is aimed past the other."""
AFTER = 5
"""Frames after a contact at which velocities are compared."""
UPRIGHT = 1000.0
"""Inertia about the horizontal axes, per mass."""


def main() -> None:
    parser = argparse.ArgumentParser(description="the physics of the div world beside MuJoCo's")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    results = Results(f"{physics_id(DIV.name)} beside MuJoCo {mujoco.__version__}, {args.sets} targets of 5 s")
    add_meetings(results)
    verdicts: Counter[bool] = Counter()
    told: Counter[bool] = Counter()
    firsts: Counter[bool] = Counter()
    exact = 0
    before, everywhere, tilts = [], [], []
    seconds = {"ours": 0.0, "MuJoCo": 0.0}
    with bar("Targets", args.sets) as advance:
        for index in range(args.sets):
            videos = make_set(index, None, args.seed, DIV.name)
            start = InitialState.from_motion(videos.target, 0)
            begin = time.perf_counter()
            (ours,) = simulate_many([(videos.bodies, start)], SHOWN_FRAMES)
            middle = time.perf_counter()
            theirs, tilt = simulate_in_mujoco(videos.bodies, start, SHOWN_FRAMES)
            seconds["ours"] += middle - begin
            seconds["MuJoCo"] += time.perf_counter() - middle
            differing = colliding_pairs(ours) ^ colliding_pairs(theirs)
            pairs = pairs_of(len(videos.bodies))
            verdicts.update(pair not in differing for pair in pairs)
            open_pairs = frozenset().union(*videos.undetermined.values())
            told.update(pair not in differing for pair in pairs if pair not in open_pairs)
            if ours.collisions:
                firsts[same_start(ours.collisions[0], theirs.collisions)] += 1
            exact += not differing
            errors = np.linalg.norm((ours.positions - theirs.positions)[..., :2], axis=-1).max(axis=1)
            first = min((collision.step // STEPS_PER_FRAME for collision in ours.collisions), default=SHOWN_FRAMES)
            before.append(errors[: first + 1].max())
            everywhere.append(errors[-1])
            tilts.append(tilt)
            advance(1)
    results.add("pairs that collide in both or in neither", share(verdicts))
    results.add("the same, of pairs whose outcome the videos tell", share(told))
    results.add("first collisions of a target: the same pair, at most 2 frames apart", share(firsts))
    results.add("targets with the same colliding pairs", f"{100 * exact / args.sets:.1f} %")
    results.add("largest distance before the first collision", f"{np.median(before):.4f}", "", "", "units, median")
    results.add("largest distance after 5 s", f"{np.median(everywhere):.3f}", "", "", "units, median")
    results.add("largest tilt in MuJoCo", f"{max(tilts):.2f}", "", "", "degrees")
    ratio = seconds["MuJoCo"] / seconds["ours"]
    results.add("time of MuJoCo, relative to ours", f"{ratio:.0f} x", "", "", "one world at a time, one core")
    results.finish("comphy-div-mujoco")


def add_meetings(results: Results) -> None:
    """Whether two objects touch when one passes the other, when they do, and how they move then."""
    touch: Counter[bool] = Counter()
    delays, turned, speeds = [], [], []
    pairs = list(itertools.combinations(DIV.shapes, 2))
    with bar("Meetings", len(pairs)) as advance:
        for pair in pairs:
            for trial in range(TRIALS):
                bodies, start = meeting(pair, Draws(f"meeting {pair} {trial}"))
                ours, (theirs, _) = (
                    simulate(bodies, start, TRIAL_FRAMES),
                    simulate_in_mujoco(bodies, start, TRIAL_FRAMES),
                )
                touch[bool(ours.collisions) == bool(theirs.collisions)] += 1
                if ours.collisions and theirs.collisions:
                    delays.append(abs(ours.collisions[0].step - theirs.collisions[0].step) / STEPS_PER_SECOND)
                    after = min(ours.collisions[0].step // STEPS_PER_FRAME + AFTER, TRIAL_FRAMES - 1)
                    change = ours.velocities[after] - theirs.velocities[after]
                    speeds.append(np.linalg.norm(change[:, :2], axis=-1).max() / SPEED)
                    turned.append(np.abs(ours.angular_velocities - theirs.angular_velocities)[after, :, 2].max())
            advance(1)
    results.add(
        "two objects that touch in both or in neither", share(touch), "", "", f"{len(pairs)} pairs of categories"
    )
    results.add("time between the first contacts", f"{np.mean(delays):.4f}", "", "", "s, mean")
    results.add(
        "velocities that differ 5 frames later", f"{100 * np.median(speeds):.1f}", "", "", "% of the speed, median"
    )
    results.add("turning that differs 5 frames later", f"{np.median(turned):.2f}", "", "", "radians/s, median")


def meeting(shapes: tuple[str, str], draws: Draws) -> tuple[tuple[Body, Body], InitialState]:
    """Two objects, of which the first passes or hits the second."""
    one, other = (Body("red", "wood", shape, form=draws.one_of(range(DIV.forms))) for shape in shapes)
    places = np.array([[-APART, draws.between(*MISSES)], [0.0, 0.0]])
    headings = np.array([draws.between(-np.pi, np.pi) for _ in range(2)])
    velocities = np.array([[SPEED, 0.0], [0.0, 0.0]])
    return (one, other), InitialState.on_table((one, other), places, headings, velocities)


def share(verdicts: Counter[bool]) -> str:
    """A count of verdicts in words."""
    return f"{verdicts[True]} of {verdicts.total()}: {100 * verdicts[True] / verdicts.total():.1f} %"


def same_start(first: Collision, others: tuple[Collision, ...]) -> bool:
    """Whether a collision happens in another simulation at about the same time."""
    return any(other.pair == first.pair and abs(other.step - first.step) <= 2 * STEPS_PER_FRAME for other in others)


def simulate_in_mujoco(bodies: tuple[Body, ...], start: InitialState, frames: int) -> tuple[Motion, float]:
    """The same as `simulate`, by MuJoCo, and the largest tilt in degrees."""
    model = model_of(bodies)
    data = mujoco.MjData(model)
    places, speeds = data.qpos.reshape(-1, 7), data.qvel.reshape(-1, 6)
    places[:, :2], places[:, 3:] = start.positions[:, :2], start.orientations
    speeds[:, :3], speeds[:, 3:] = start.velocities, start.angular_velocities
    charges = np.array([body.charge for body in bodies], float)
    owners = model.geom_bodyid
    states, rates, touched = np.empty((frames, len(bodies), 7)), np.empty((frames, len(bodies), 6)), []
    for step in range(frames * STEPS_PER_FRAME):
        if step % STEPS_PER_FRAME == 0:
            states[step // STEPS_PER_FRAME], rates[step // STEPS_PER_FRAME] = places, speeds
        if charges.any():
            data.qfrc_applied.reshape(-1, 6)[:, :2] = coulomb_forces(charges, places[:, :2])
        mujoco.mj_step(model, data)
        found = {tuple(sorted(owners[list(contact.geom)].tolist())) for contact in data.contact if contact.dist <= 0.0}
        touched += [(step, one - 1, other - 1) for one, other in sorted(found) if one > 0]
    positions = start.positions + (states[..., :3] - states[0, :, :3]) * (1.0, 1.0, 0.0)
    up = 1.0 - 2.0 * (states[..., 4] ** 2 + states[..., 5] ** 2)
    motion = Motion(
        positions,
        states[..., 3:],
        rates[..., :3],
        rates[..., 3:],
        CAMERA.sees(positions),
        debounced_collisions(touched),
    )
    return motion, float(np.degrees(np.arccos(np.clip(up.min(), -1.0, 1.0))))


def model_of(bodies: tuple[Body, ...]) -> mujoco.MjModel:
    """MuJoCo's model of objects that stand on a plane."""
    meshes, parts = [], []
    for k, body in enumerate(bodies):
        shape = build_object(body.shape, body.form)
        geoms = []
        for number, part in enumerate(shape.parts):
            if part.kind == "hull":
                points = " ".join(f"{value:.6f}" for value in (part.vertices - part.centre).ravel())
                meshes.append(f'<mesh name="part{k}_{number}" vertex="{points}" inertia="convex"/>')
                form = f'type="mesh" mesh="part{k}_{number}"'
            else:
                size = part.half_size if part.kind == "box" else part.half_size[1:]
                form = f'type="{part.kind}" size="{" ".join(map(str, size))}"'
            x, y, z = part.centre
            # Two bodies collide, and each with the plane (bit 0); the parts of one body don't.
            masks = f'contype="{2 << k}" conaffinity="{1 | ~(2 << k) & 62}"'
            friction = f'friction="{FRICTION[body.shape]} 0 0"'
            geoms.append(f'<geom {form} pos="{x} {y} {z - shape.mass_height}" {masks} {friction}/>')
        inertia = " ".join(str(body.mass * value) for value in (UPRIGHT, UPRIGHT, shape.inertia[2, 2]))
        parts.append(
            f'<body pos="{k} 0 {shape.mass_height}"><freejoint/>'
            f'<inertial pos="0 0 0" mass="{body.mass}" diaginertia="{inertia}"/>{"".join(geoms)}</body>'
        )
    slipperiest = min(FRICTION[body.shape] for body in bodies)  # of a plane and an object the larger friction counts
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{1.0 / STEPS_PER_SECOND}" gravity="0 0 -{GRAVITY}" cone="elliptic"/>'
        f'<default><geom condim="1" solref="{STIFFNESS}"/></default><asset>{"".join(meshes)}</asset><worldbody>'
        f'<geom type="plane" size="0 0 1" contype="1" conaffinity="62" condim="3" solref="0.02 1" '
        f'friction="{slipperiest} 0 0"/>{"".join(parts)}</worldbody></mujoco>'
    )
    for k, body in enumerate(bodies):
        inertias = np.array([body.mass] * 3 + model.body_inertia[k + 1].tolist())
        model.dof_damping[6 * k : 6 * k + 6] = DAMPING[body.shape] * inertias
    return model


if __name__ == "__main__":
    main()
