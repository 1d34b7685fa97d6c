"""ComPhy-DIV's objects in MuJoCo: whether they stand, how they slide, and how often a collision makes one fall.

    pip install mujoco
    python benchmarks/comphy_objects.py [--seeds 4]

Every object stands on a table with the friction of a cylinder, as its convex parts. It is left alone for a second,
pushed, and run into by objects of all categories. None of its motion is held, so that falling over can be measured.
"""

import argparse
import itertools

import mujoco
import numpy as np
from table import Results

from tumble.comphy.catalogue.body import LIGHT, MASSES
from tumble.comphy.catalogue.world import STEPS_PER_SECOND
from tumble.comphy.objects.shape import CATEGORIES, ObjectShape, build_object
from tumble.comphy.simulation.laws import DAMPING, FRICTION, GRAVITY, deceleration
from tumble.draws import Draws
from tumble.progress import bar

STIFFNESS = "-5000 -99"
"""MuJoCo's `solref` of contacts between bodies."""
FALLEN = 0.87
"""Cosine of the tilt from which an object has fallen over."""
SPEED = 1.6
"""With which objects run into each other; fast, for bodies of this world."""
GAP = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description="ComPhy-DIV's objects in MuJoCo")
    parser.add_argument("--seeds", type=int, default=4)
    args = parser.parse_args()
    results = Results(f"ComPhy-DIV's objects in MuJoCo {mujoco.__version__}, {args.seeds} of each category")
    shapes = {category: [build_object(category, seed) for seed in range(args.seeds)] for category in CATEGORIES}
    masses = tuple(MASSES.values())
    falls = {(category, mass): 0 for category in CATEGORIES for mass in masses}
    pairs = list(itertools.product(CATEGORIES, CATEGORIES, range(args.seeds), masses))
    with bar("Collisions", len(pairs)) as advance:
        for one, other, seed, mass in pairs:
            hit = shapes[other][(seed + 1) % args.seeds]
            falls[other, mass] += falls_over(shapes[one][seed], hit, mass, f"{one} {other} {seed}")
            advance(1)
    for category, objects in shapes.items():
        least = min(shape.tipping_angle for shape in objects)
        drift, tilt = np.max([rest(shape) for shape in objects], axis=0)
        slowing = np.mean([sliding_deceleration(shape, 1.0) for shape in objects])
        shares = " and ".join(f"{100 * falls[category, mass] / len(CATEGORIES) / args.seeds:.0f} %" for mass in masses)
        friction, damping = deceleration("cylinder")
        note = f"least tipping angle {least:.0f}°; at rest it moves {drift:.4f} and tilts {tilt:.2f}°; "
        note += f"sliding at 1.0 it slows by {slowing:.3f} per s (a cylinder: {friction + damping:.3f})"
        results.add(f"{category}: falls when hit by a light and by a heavy object", shares, "", "", note)
    results.finish("comphy-objects")


def model_of(shapes: list[ObjectShape], masses: list[float]) -> mujoco.MjModel:
    """MuJoCo's model of objects that stand on a table at the origin; a body's own origin is its centre of mass."""
    meshes, bodies = [], []
    for k, (shape, mass) in enumerate(zip(shapes, masses, strict=True)):
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
            place = f'pos="{x} {y} {z - shape.mass_height}"'
            geoms.append(f'<geom {form} {place} contype="{2 << k}" conaffinity="{1 | ~(2 << k) & 62}"/>')
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = mass * shape.inertia
        inertia = f'mass="{mass}" fullinertia="{xx} {yy} {zz} {xy} {xz} {yz}"'
        stand = f'pos="0 0 {shape.mass_height}"'
        bodies.append(f'<body {stand}><freejoint/><inertial pos="0 0 0" {inertia}/>{"".join(geoms)}</body>')
    friction = FRICTION["cylinder"]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{1.0 / STEPS_PER_SECOND}" gravity="0 0 -{GRAVITY}" cone="elliptic"/>'
        f'<default><geom friction="{friction} 0 0" condim="3" solref="{STIFFNESS}"/></default>'
        f"<asset>{''.join(meshes)}</asset>"
        '<worldbody><geom type="plane" size="0 0 1" contype="1" conaffinity="62" solref="0.02 1"/>'
        f"{''.join(bodies)}</worldbody></mujoco>"
    )
    for k, mass in enumerate(masses):
        model.dof_damping[6 * k : 6 * k + 6] = DAMPING["cylinder"] * np.array(
            [mass] * 3 + model.body_inertia[k + 1].tolist()
        )
    return model


def run(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    """Simulate for some time."""
    for _ in range(round(seconds * STEPS_PER_SECOND)):
        mujoco.mj_step(model, data)


def upright(data: mujoco.MjData, body: int = 0) -> float:
    """Cosine of a body's tilt."""
    return float(data.xmat[body + 1].reshape(3, 3)[2, 2])


def rest(shape: ObjectShape) -> tuple[float, float]:
    """How far an object moves, and by how many degrees it tilts, in a second in which nothing happens."""
    model = model_of([shape], [1.0])
    data = mujoco.MjData(model)
    start = data.qpos[:3].copy()
    run(model, data, 1.0)
    return float(np.linalg.norm(data.qpos[:3] - start)), float(np.degrees(np.arccos(min(upright(data), 1.0))))


def sliding_deceleration(shape: ObjectShape, speed: float) -> float:
    """Speed that a pushed object loses per second, at a speed."""
    model = model_of([shape], [1.0])
    data = mujoco.MjData(model)
    data.qvel[0] = speed + 0.2
    run(model, data, 0.3)
    before = float(np.hypot(*data.qvel[:2]))
    run(model, data, 0.5)
    return (before - float(np.hypot(*data.qvel[:2]))) / 0.5


def falls_over(runner: ObjectShape, hit: ObjectShape, mass: float, seed: str) -> bool:
    """Whether a light object falls over within two seconds after another one has run into it."""
    draws = Draws(seed)
    model = model_of([runner, hit], [mass, LIGHT])
    data = mujoco.MjData(model)
    for k in range(2):
        half = draws.between(-np.pi, np.pi) / 2.0
        data.qpos[7 * k + 3 : 7 * k + 7] = (np.cos(half), 0.0, 0.0, np.sin(half))
    data.qpos[0] = -runner.radius - hit.radius - GAP
    data.qpos[1] = draws.between(-0.1, 0.1)
    data.qvel[0] = SPEED
    run(model, data, 2.0)
    return upright(data, 1) < FALLEN


if __name__ == "__main__":
    main()
