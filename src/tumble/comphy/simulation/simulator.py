"""The physics: bodies slide and roll on an endless table, collide, and attract or repel each other.

MuJoCo at 250 Hz. The constants follow from laws that were fitted to the published motion. A moving body decelerates by
a + b * speed, with a from friction with the table and b from damping; charged bodies accelerate by
0.138 * q_i * q_j / (m_i * r^2); collisions keep 0.17 of the closing speed. `benchmarks/comphy_calibration.py` measures
all of these on simulated motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from tumble.checks import whole_number
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import CHARGE_CONSTANT, debounced_collisions, pairs_of
from tumble.comphy.simulation.rotations import rotate, yaw_quaternions
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import (
    CUBE_HALF_SIZE,
    CYLINDER_HALF_HEIGHT,
    HALF_HEIGHTS,
    RADIUS,
    STEPS_PER_FRAME,
    STEPS_PER_SECOND,
)
from tumble.comphy.tasks.motion import DECIMALS, Motion
from tumble.errors import TumbleError

PHYSICS = "comphy-1"
"""Our part of `physics_id`; to be changed with anything that changes motion."""
GRAVITY = 9.8
FRICTION = {"sphere": 0.0245, "cube": 0.0245, "cylinder": 0.0237}
"""Of each shape with the table; spheres roll, so it only ends their skidding. There is none between bodies."""
DAMPING = {"sphere": 0.158, "cube": 0.152, "cylinder": 0.157}
"""Share of its velocity and of its angular velocity that a body loses per second."""
MIN_CHARGE_DISTANCE = 2.0 * RADIUS
"""Smaller distances count as this one in the force between charges."""
CONTACT_SOLREF = (-5000.0, -99.0)
"""MuJoCo's stiffness and damping (`solref`) of contacts between bodies, which set the restitution."""

_GEOMETRY = {
    "sphere": f'type="sphere" size="{RADIUS}"',
    "cube": f'type="box" size="{CUBE_HALF_SIZE} {CUBE_HALF_SIZE} {CUBE_HALF_SIZE}"',
    "cylinder": f'type="cylinder" size="{RADIUS} {CYLINDER_HALF_HEIGHT}"',
}


class SimulatorError(TumbleError):
    """MuJoCo is not installed, or bodies and their initial state do not fit together."""


@dataclass(frozen=True, eq=False)
class InitialState:
    """The state from which bodies are simulated; arrays as in `Motion`, of one frame."""

    positions: np.ndarray
    orientations: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray

    def __post_init__(self) -> None:
        count = len(self.positions)
        for field in fields(self):
            width = 4 if field.name == "orientations" else 3
            array = getattr(self, field.name)
            if np.shape(array) != (count, width) or not np.isfinite(array).all():
                raise SimulatorError(
                    f"{field.name} must be finite numbers of the shape [{count}, {width}], not {list(np.shape(array))}"
                )

    @classmethod
    def on_table(
        cls, bodies: tuple[Body, ...], places: np.ndarray, headings: np.ndarray, velocities: np.ndarray
    ) -> "InitialState":
        """Bodies upright at places [body, 2], with headings [body] and velocities [body, 2]; spheres roll."""
        heights = np.array([HALF_HEIGHTS[body.shape] for body in bodies])
        zeros = np.zeros(len(bodies))
        spin_per_speed = np.array([1.0 / RADIUS if body.shape == "sphere" else 0.0 for body in bodies])
        x, y = np.asarray(velocities, float).T
        return cls(
            np.column_stack([places, heights]).round(DECIMALS),
            yaw_quaternions(np.asarray(headings, float)).round(DECIMALS),
            np.column_stack([x, y, zeros]).round(DECIMALS),
            np.column_stack([-y * spin_per_speed, x * spin_per_speed, zeros]).round(DECIMALS),
        )

    @classmethod
    def from_motion(cls, motion: Motion, frame: int) -> "InitialState":
        """The state of a motion at a frame; simulating from frame 0 gives the same motion again."""
        return cls(
            motion.positions[frame],
            motion.orientations[frame],
            motion.velocities[frame],
            motion.angular_velocities[frame],
        )


def physics_id() -> str:
    """Names everything that motion depends on besides bodies and initial state: our settings and MuJoCo's release.

    Generated datasets carry it in `dataset.json` (`Dataset.physics_id`).
    """
    return f"{PHYSICS}/mujoco-{_mujoco().__version__}"


World = tuple[tuple[Body, ...], InitialState]
"""Bodies and the state that they start from."""


def simulate(bodies: tuple[Body, ...], start: InitialState, frames: int) -> Motion:
    """Simulates a number of frames: the same bits each time, whatever ran before.

    The steps after the last frame are simulated too, so that its collisions are found.

    >>> cube = (Body("red", "metal", "cube"),)
    >>> start = InitialState.on_table(cube, np.zeros((1, 2)), np.zeros(1), np.array([[1.0, 0.0]]))
    >>> simulate(cube, start, frames=26).velocities[[0, 25], 0, 0].round(2).tolist()
    [1.0, 0.64]
    """
    frames = whole_number("frames", frames, at_least=1, error=SimulatorError)
    if len(bodies) != len(start.positions):
        raise SimulatorError(f"{len(bodies)} bodies, but the initial state of {len(start.positions)}")
    mujoco = _mujoco()
    model = _model(tuple((body.shape, body.mass) for body in bodies))
    data = mujoco.MjData(model)
    position, velocity, force, contact = data.qpos, data.qvel, data.qfrc_applied, data.sensordata
    position.reshape(-1, 7)[:] = np.concatenate([start.positions, start.orientations], axis=1)
    to_body_axes = start.orientations * (1.0, -1.0, -1.0, -1.0)
    spins = rotate(to_body_axes, start.angular_velocities)
    velocity.reshape(-1, 6)[:] = np.concatenate([start.velocities, spins], axis=1)
    charged_pairs = _charged_pairs(bodies)
    positions = np.empty((frames, len(position)))
    velocities = np.empty((frames, len(velocity)))
    contacts = np.empty((frames * STEPS_PER_FRAME, len(contact)))
    for frame in range(frames):
        positions[frame] = position
        velocities[frame] = velocity
        for step in range(frame * STEPS_PER_FRAME, (frame + 1) * STEPS_PER_FRAME):
            if charged_pairs:
                force[:] = _forces(charged_pairs, position.tolist(), len(force))
            mujoco.mj_step(model, data)
            contacts[step] = contact
    return _motion(start, positions.reshape(frames, -1, 7), velocities.reshape(frames, -1, 6), contacts)


def simulate_many(worlds: Sequence[World], frames: int) -> list[Motion]:
    """The motion of several worlds in one batch, each (bodies, initial state)."""
    return [simulate(bodies, start, frames) for bodies, start in worlds]


def _charged_pairs(bodies: tuple[Body, ...]) -> list[tuple[int, int, float]]:
    """(body, body, force at distance 1) of the charged pairs; positive forces are repulsive."""
    return [
        (one, other, CHARGE_CONSTANT * bodies[one].charge * bodies[other].charge)
        for one, other in pairs_of(len(bodies))
        if bodies[one].charge * bodies[other].charge
    ]


def _forces(charged_pairs: list[tuple[int, int, float]], position: list[float], size: int) -> list[float]:
    """Coulomb forces strength / distance^2 on MuJoCo's degrees of freedom: 7 coordinates and 6 velocities per body.

    Plain Python, since that is faster than arrays for so few numbers.
    """
    forces = [0.0] * size
    for one, other, strength in charged_pairs:
        x, y = position[7 * other] - position[7 * one], position[7 * other + 1] - position[7 * one + 1]
        distance = max((x * x + y * y) ** 0.5, MIN_CHARGE_DISTANCE)
        scale = strength / distance**3
        forces[6 * one] -= scale * x
        forces[6 * one + 1] -= scale * y
        forces[6 * other] += scale * x
        forces[6 * other + 1] += scale * y
    return forces


def _motion(start: InitialState, states: np.ndarray, rates: np.ndarray, contacts: np.ndarray) -> Motion:
    """Rounded motion from MuJoCo's qpos [frame, body, 7], qvel [frame, body, 6] and contact sensors [step, pair]."""
    positions, orientations = states[..., :3].round(DECIMALS), states[..., 3:].round(DECIMALS)
    velocities, spins = rates[..., :3].round(DECIMALS), rotate(states[..., 3:], rates[..., 3:]).round(DECIMALS)
    positions[0], orientations[0] = start.positions, start.orientations
    velocities[0], spins[0] = start.velocities, start.angular_velocities
    pairs = pairs_of(states.shape[1])
    touched = [(int(step), *pairs[pair]) for step, pair in np.argwhere(contacts > 0.0)]
    return Motion(positions, orientations, velocities, spins, CAMERA.sees(positions), debounced_collisions(touched))


@lru_cache(maxsize=256)
def _model(kinds: tuple[tuple[str, int], ...]) -> Any:
    """MuJoCo's model of bodies by (shape, mass); contact pairs are listed, so that each has its own parameters."""
    shapes = [shape for shape, _ in kinds]
    pairs = pairs_of(len(kinds))
    geoms = "".join(
        f'<body pos="{k} 0 {HALF_HEIGHTS[shape]}"><freejoint/>'
        f'<geom name="{k}" {_GEOMETRY[shape]} mass="{mass}" contype="0" conaffinity="0"/></body>'
        for k, (shape, mass) in enumerate(kinds)
    )
    table_contacts = "".join(
        f'<pair geom1="table" geom2="{k}" condim="3" friction="{FRICTION[shape]} {FRICTION[shape]} 0 0 0"/>'
        for k, shape in enumerate(shapes)
    )
    body_contacts = "".join(
        f'<pair geom1="{one}" geom2="{other}" condim="1" solref="{CONTACT_SOLREF[0]} {CONTACT_SOLREF[1]}"/>'
        for one, other in pairs
    )
    sensors = "".join(f'<contact geom1="{one}" geom2="{other}" data="found" num="1"/>' for one, other in pairs)
    model = _mujoco().MjModel.from_xml_string(
        f'<mujoco><option timestep="{1.0 / STEPS_PER_SECOND}" gravity="0 0 -{GRAVITY}" cone="elliptic"/>'
        f'<worldbody><geom name="table" type="plane" size="0 0 1" contype="0" conaffinity="0"/>{geoms}</worldbody>'
        f"<contact>{table_contacts}{body_contacts}</contact><sensor>{sensors}</sensor></mujoco>"
    )
    rates = np.array([DAMPING[shape] for shape in shapes])[:, None]
    inertias = np.concatenate([np.repeat(model.body_mass[1:, None], 3, axis=1), model.body_inertia[1:]], axis=1)
    model.dof_damping[:] = (rates * inertias).ravel()
    return model


def _mujoco() -> Any:
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise SimulatorError('simulating ComPhy needs MuJoCo: pip install "tumble[video]"') from error
