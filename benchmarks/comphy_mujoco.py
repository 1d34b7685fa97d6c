"""ComPhy's physics beside MuJoCo's: the same starts, masses, charges and laws, simulated by both.

    pip install mujoco
    python benchmarks/comphy_mujoco.py [--sets 200]

MuJoCo simulates bodies in three dimensions that stand on a plane. Contacts between bodies are soft there, with a
stiffness and damping that keep about 0.17 of the closing speed. Cylinders touch other bodies as spheres of the same
radius and height, which is the same for upright bodies: MuJoCo's own contact of a cube and a cylinder sometimes adds
energy.
"""

import argparse
import itertools
import time
from collections import Counter

import mujoco
import numpy as np
from table import Results

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    CYLINDER_HALF_HEIGHT,
    RADIUS,
    SHOWN_FRAMES,
    STEPS_PER_FRAME,
    STEPS_PER_SECOND,
)
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import colliding_pairs, debounced_collisions, pairs_of
from tumble.comphy.simulation.laws import CHARGE_CONSTANT, DAMPING, FRICTION, GRAVITY
from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate_many
from tumble.progress import bar

STIFFNESS = "-5000 -99"
"""MuJoCo's `solref` of contacts between bodies."""
GEOMETRY = {
    "sphere": f'type="sphere" size="{RADIUS}"',
    "cube": f'type="box" size="{CUBE_HALF_SIZE} {CUBE_HALF_SIZE} {CUBE_HALF_SIZE}"',
    "cylinder": f'type="cylinder" size="{RADIUS} {CYLINDER_HALF_HEIGHT}"',
}


def main() -> None:
    parser = argparse.ArgumentParser(description="ComPhy's physics beside MuJoCo's")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    results = Results(f"{physics_id()} beside MuJoCo {mujoco.__version__}, {args.sets} targets of 5 s")
    verdicts: Counter[bool] = Counter()
    exact = 0
    before, everywhere = [], []
    seconds = {"ours": 0.0, "MuJoCo": 0.0}
    with bar("Targets", args.sets) as advance:
        for index in range(args.sets):
            videos = make_set(index, None, args.seed)
            start = InitialState.from_motion(videos.target, 0)
            begin = time.perf_counter()
            (ours,) = simulate_many([(videos.bodies, start)], SHOWN_FRAMES)
            middle = time.perf_counter()
            theirs = simulate_in_mujoco(videos.bodies, start, SHOWN_FRAMES)
            seconds["ours"] += middle - begin
            seconds["MuJoCo"] += time.perf_counter() - middle
            differing = colliding_pairs(ours) ^ colliding_pairs(theirs)
            pairs = len(pairs_of(len(videos.bodies)))
            verdicts.update({True: pairs - len(differing), False: len(differing)})
            exact += not differing
            errors = np.linalg.norm((ours.positions - theirs.positions)[..., :2], axis=-1).max(axis=1)
            first = min((collision.step // STEPS_PER_FRAME for collision in ours.collisions), default=SHOWN_FRAMES)
            before.append(errors[: first + 1].max())
            everywhere.append(errors[-1])
            advance(1)
    results.add("pairs that collide in both or in neither", f"{100 * verdicts[True] / verdicts.total():.1f} %")
    results.add("targets with the same colliding pairs", f"{100 * exact / args.sets:.1f} %")
    results.add("largest distance before the first collision", f"{np.median(before):.4f}", "", "", "units, median")
    results.add("largest distance after 5 s", f"{np.median(everywhere):.3f}", "", "", "units, median")
    ratio = seconds["MuJoCo"] / seconds["ours"]
    results.add("time of MuJoCo, relative to ours", f"{ratio:.0f} x", "", "", "one world at a time, one core")
    results.finish("comphy-mujoco")


def simulate_in_mujoco(bodies: tuple[Body, ...], start: InitialState, frames: int) -> Motion:
    """The same as `simulate`, by MuJoCo."""
    model = model_of(bodies)
    data = mujoco.MjData(model)
    data.qpos.reshape(-1, 7)[:] = np.concatenate([start.positions, start.orientations], axis=1)
    data.qvel.reshape(-1, 6)[:, :3] = start.velocities
    for k, (orientation, spin) in enumerate(zip(start.orientations, start.angular_velocities, strict=True)):
        local = np.zeros(3)
        mujoco.mju_rotVecQuat(local, spin, orientation * (1.0, -1.0, -1.0, -1.0))
        data.qvel.reshape(-1, 6)[k, 3:] = local
    charges = np.array([body.charge for body in bodies], float)
    states, rates, touched = np.empty((frames, len(bodies), 7)), np.empty((frames, len(bodies), 6)), []
    for step in range(frames * STEPS_PER_FRAME):
        if step % STEPS_PER_FRAME == 0:
            states[step // STEPS_PER_FRAME] = data.qpos.reshape(-1, 7)
            rates[step // STEPS_PER_FRAME] = data.qvel.reshape(-1, 6)
        if charges.any():
            data.qfrc_applied.reshape(-1, 6)[:, :2] = coulomb_forces(charges, data.qpos.reshape(-1, 7)[:, :2])
        mujoco.mj_step(model, data)
        touched += [(step, *pairs_of(len(bodies))[pair]) for pair in np.flatnonzero(data.sensordata > 0.0)]
    positions = states[..., :3]
    return Motion(
        positions,
        states[..., 3:],
        rates[..., :3],
        rates[..., 3:],
        CAMERA.sees(positions),
        debounced_collisions(touched),
    )


def coulomb_forces(charges: np.ndarray, places: np.ndarray) -> np.ndarray:
    """[body, 2]: forces between all charged bodies."""
    offsets = places[:, None] - places[None]
    distances = np.maximum(np.linalg.norm(offsets, axis=-1), 2 * RADIUS)
    strengths = CHARGE_CONSTANT * np.outer(charges, charges) / distances**3
    return np.asarray((strengths[..., None] * offsets).sum(axis=1))


def model_of(bodies: tuple[Body, ...]) -> mujoco.MjModel:
    """MuJoCo's model of bodies; each has a shape that stands on the table and one that others touch."""
    shapes = [body.shape for body in bodies]
    contact_shapes = ["sphere" if shape == "cylinder" else shape for shape in shapes]
    free = 'contype="0" conaffinity="0"'
    geoms = "".join(
        f'<body pos="{k} 0 {RADIUS}"><freejoint/>'
        f'<geom name="stand{k}" {GEOMETRY[body.shape]} mass="{body.mass}" {free}/>'
        f'<geom name="touch{k}" {GEOMETRY[contact]} mass="0" {free}/></body>'
        for k, (body, contact) in enumerate(zip(bodies, contact_shapes, strict=True))
    )
    stands = "".join(
        f'<pair geom1="table" geom2="stand{k}" condim="3" friction="{FRICTION[shape]} {FRICTION[shape]} 0 0 0"/>'
        for k, shape in enumerate(shapes)
    )
    pairs = list(itertools.combinations(range(len(bodies)), 2))
    touches = "".join(f'<pair geom1="touch{i}" geom2="touch{j}" condim="1" solref="{STIFFNESS}"/>' for i, j in pairs)
    sensors = "".join(f'<contact geom1="touch{i}" geom2="touch{j}" data="found" num="1"/>' for i, j in pairs)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{1.0 / STEPS_PER_SECOND}" gravity="0 0 -{GRAVITY}" cone="elliptic"/>'
        f'<worldbody><geom name="table" type="plane" size="0 0 1" {free}/>{geoms}</worldbody>'
        f"<contact>{stands}{touches}</contact><sensor>{sensors}</sensor></mujoco>"
    )
    rates = np.array([DAMPING[shape] for shape in shapes])[:, None]
    inertias = np.concatenate([np.repeat(model.body_mass[1:, None], 3, axis=1), model.body_inertia[1:]], axis=1)
    model.dof_damping[:] = (rates * inertias).ravel()
    return model


if __name__ == "__main__":
    main()
