"""The physics: bodies that slide and roll on an endless table, collide, and attract or repel each other.

MuJoCo at 250 Hz. What is set here follows from laws that were fitted to the published motion: a moving body slows down
by a + b * speed, a from friction with the table and b from damping; charged bodies accelerate by
0.138 * q_i * q_j / (m_i * r^2); collisions keep 0.17 of the closing speed. `benchmarks/comphy_calibration.py` measures
all of this on simulated motion.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import CHARGE_CONSTANT, collisions_of, pairs_of
from tumble.comphy.simulation.rotations import rotate, turned
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import (
    CUBE_HALF,
    CYLINDER_HALF_HEIGHT,
    HALF_HEIGHTS,
    RADIUS,
    STEPS_PER_FRAME,
    STEPS_PER_SECOND,
)
from tumble.comphy.tasks.motion import DECIMALS, Motion

GRAVITY = 9.8
FRICTION = {"sphere": 0.0245, "cube": 0.0245, "cylinder": 0.0237}
"""Of each shape on the table; spheres roll, so it only ends their skidding. Bodies slide along each other freely."""
DAMPING = {"sphere": 0.158, "cube": 0.152, "cylinder": 0.157}
"""Share of its velocity and of its spin that a body loses in a second."""
CLOSEST = 2.0 * RADIUS
"""Charges come no closer than this, as far as their force is concerned."""
BOUNCE = (-5000.0, -99.0)
"""MuJoCo's stiffness and damping of contacts between bodies (its `solref`), by which restitution is set."""

_GEOMETRY = {
    "sphere": f'type="sphere" size="{RADIUS}"',
    "cube": f'type="box" size="{CUBE_HALF} {CUBE_HALF} {CUBE_HALF}"',
    "cylinder": f'type="cylinder" size="{RADIUS} {CYLINDER_HALF_HEIGHT}"',
}


@dataclass(frozen=True, eq=False)
class Start:
    """How bodies begin; arrays as in `Motion`, but of one frame."""

    positions: np.ndarray
    orientations: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray

    @classmethod
    def on_table(
        cls, bodies: tuple[Body, ...], places: np.ndarray, headings: np.ndarray, velocities: np.ndarray
    ) -> "Start":
        """Bodies upright at places [body, 2], turned by headings [body], with velocities [body, 2]; spheres roll."""
        heights = np.array([HALF_HEIGHTS[body.shape] for body in bodies])
        level = np.zeros(len(bodies))
        rolls = np.array([1.0 / RADIUS if body.shape == "sphere" else 0.0 for body in bodies])
        along, across = np.asarray(velocities, float).T
        return cls(
            np.column_stack([places, heights]).round(DECIMALS),
            turned(np.asarray(headings, float)).round(DECIMALS),
            np.column_stack([along, across, level]).round(DECIMALS),
            np.column_stack([-across * rolls, along * rolls, level]).round(DECIMALS),
        )

    @classmethod
    def from_motion(cls, motion: Motion, frame: int) -> "Start":
        """The state at a frame; from a motion's frame 0 the same motion follows."""
        return cls(motion.positions[frame], motion.orientations[frame], motion.velocities[frame], motion.spins[frame])


def physics_id() -> str:
    """Names what motion hangs on: our settings and MuJoCo's release."""
    return f"comphy-1/mujoco-{_mujoco().__version__}"


def simulate(bodies: tuple[Body, ...], start: Start, frames: int) -> Motion:
    """How the bodies move; the same bits each time, whatever ran before. The last frame's ten steps are taken too."""
    mj = _mujoco()
    model = _model(tuple((body.shape, body.mass) for body in bodies))
    data = mj.MjData(model)
    place, speed, applied, touching = data.qpos, data.qvel, data.qfrc_applied, data.sensordata
    place.reshape(-1, 7)[:] = np.concatenate([start.positions, start.orientations], axis=1)
    turn_back = start.orientations * (1.0, -1.0, -1.0, -1.0)
    speed.reshape(-1, 6)[:] = np.concatenate([start.velocities, rotate(turn_back, start.spins)], axis=1)
    charged = _charged_pairs(bodies)
    places = np.empty((frames, len(place)))
    speeds = np.empty((frames, len(speed)))
    touches = np.empty((frames * STEPS_PER_FRAME, len(touching)))
    step = 0
    for frame in range(frames):
        places[frame] = place
        speeds[frame] = speed
        for step in range(frame * STEPS_PER_FRAME, (frame + 1) * STEPS_PER_FRAME):
            if charged:
                applied[:] = _forces(charged, place.tolist(), len(applied))
            mj.mj_step(model, data)
            touches[step] = touching
    return _motion(start, places.reshape(frames, -1, 7), speeds.reshape(frames, -1, 6), touches)


def _charged_pairs(bodies: tuple[Body, ...]) -> list[tuple[int, int, float]]:
    """(body, body, force at distance 1) of the pairs with charge; positive forces drive them apart."""
    return [
        (one, other, CHARGE_CONSTANT * bodies[one].charge * bodies[other].charge)
        for one, other in pairs_of(len(bodies))
        if bodies[one].charge * bodies[other].charge
    ]


def _forces(charged: list[tuple[int, int, float]], place: list[float], size: int) -> list[float]:
    """Coulomb's forces along MuJoCo's degrees of freedom; plain Python is faster than arrays for so few numbers."""
    forces = [0.0] * size
    for one, other, strength in charged:
        along, across = place[7 * other] - place[7 * one], place[7 * other + 1] - place[7 * one + 1]
        distance = max((along * along + across * across) ** 0.5, CLOSEST)
        scale = strength / distance**3
        forces[6 * one] -= scale * along
        forces[6 * one + 1] -= scale * across
        forces[6 * other] += scale * along
        forces[6 * other + 1] += scale * across
    return forces


def _motion(start: Start, places: np.ndarray, speeds: np.ndarray, touches: np.ndarray) -> Motion:
    """Rounded motion from MuJoCo's states of each frame and touches [step, pair]."""
    positions, orientations = places[..., :3].round(DECIMALS), places[..., 3:].round(DECIMALS)
    velocities, spins = speeds[..., :3].round(DECIMALS), rotate(places[..., 3:], speeds[..., 3:]).round(DECIMALS)
    positions[0], orientations[0] = start.positions, start.orientations
    velocities[0], spins[0] = start.velocities, start.spins
    both = pairs_of(places.shape[1])
    touched = [(int(step), *both[pair]) for step, pair in np.argwhere(touches > 0.0)]
    return Motion(positions, orientations, velocities, spins, CAMERA.sees(positions), collisions_of(touched))


@lru_cache(maxsize=256)
def _model(kinds: tuple[tuple[str, int], ...]) -> Any:
    """A world of bodies of such shapes and masses; the contacts are listed, so that each has its own law."""
    shapes = [shape for shape, _ in kinds]
    geoms = "".join(
        f'<body pos="{k} 0 {HALF_HEIGHTS[shape]}"><freejoint/>'
        f'<geom name="{k}" {_GEOMETRY[shape]} mass="{mass}" contype="0" conaffinity="0"/></body>'
        for k, (shape, mass) in enumerate(kinds)
    )
    slides = "".join(
        f'<pair geom1="table" geom2="{k}" condim="3" friction="{FRICTION[shape]} {FRICTION[shape]} 0 0 0"/>'
        for k, shape in enumerate(shapes)
    )
    bounces = "".join(
        f'<pair geom1="{one}" geom2="{other}" condim="1" solref="{BOUNCE[0]} {BOUNCE[1]}"/>'
        for one, other in pairs_of(len(kinds))
    )
    touches = "".join(
        f'<contact geom1="{one}" geom2="{other}" data="found" num="1"/>' for one, other in pairs_of(len(kinds))
    )
    model = _mujoco().MjModel.from_xml_string(
        f'<mujoco><option timestep="{1.0 / STEPS_PER_SECOND}" gravity="0 0 -{GRAVITY}" cone="elliptic"/>'
        f'<worldbody><geom name="table" type="plane" size="0 0 1" contype="0" conaffinity="0"/>{geoms}</worldbody>'
        f"<contact>{slides}{bounces}</contact><sensor>{touches}</sensor></mujoco>"
    )
    rates = np.array([DAMPING[shape] for shape in shapes])[:, None]
    weights = np.concatenate([np.repeat(model.body_mass[1:, None], 3, axis=1), model.body_inertia[1:]], axis=1)
    model.dof_damping[:] = (rates * weights).ravel()
    return model


def _mujoco() -> Any:
    """MuJoCo, which comes with an extra."""
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise ImportError("simulating ComPhy's worlds needs MuJoCo: pip install 'tumble[video]'") from error
