"""The physics: bodies slide and roll on an endless table, collide, and attract or repel each other.

Worlds are simulated in batches at 250 Hz by a Warp kernel, with the laws in `laws`. The same start gives the same bits
in any batch, on the CPU and on a GPU. Plain shapes and everyday objects have a kernel each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tumble.checks import whole_number
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.device_objects import upload_objects
from tumble.comphy.simulation.device_worlds import camera_eye, new_recording, shape_constants, upload_worlds
from tumble.comphy.simulation.object_paths import COMPILING_OBJECTS
from tumble.comphy.simulation.physics.impulses import ITERATIONS
from tumble.comphy.simulation.physics.kernel import simulate_worlds
from tumble.comphy.simulation.physics.object_kernel import simulate_object_worlds
from tumble.comphy.simulation.physics.objects import OBJECT_CONTACTS
from tumble.comphy.simulation.physics.worlds import CONTACTS_PER_PAIR
from tumble.comphy.simulation.rotations import yaw_quaternions
from tumble.comphy.tasks.body import Body, world_of_bodies
from tumble.comphy.tasks.constants import HALF_HEIGHTS, RADIUS
from tumble.comphy.tasks.motion import DECIMALS, Collision, Motion
from tumble.comphy.tasks.world import DIV, PLAIN, ObjectWorld, named_world
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options
from tumble.errors import TumbleError

COMPILING = Compiling("ComPhy's physics", (2, 10), (2, 10))
_KERNELS = {
    PLAIN.name: (simulate_worlds, COMPILING, CONTACTS_PER_PAIR),
    DIV.name: (simulate_object_worlds, COMPILING_OBJECTS, OBJECT_CONTACTS),
}
"""By the name of a world: its kernel, how long it takes to compile, and the most points in which two bodies touch."""


class SimulatorError(TumbleError):
    """Bodies and their initial state do not fit together."""


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


World = tuple[tuple[Body, ...], InitialState]
"""Bodies and the state that they start from."""


def physics_id(world: str = PLAIN.name) -> str:
    """Names everything that motion in a world depends on besides bodies and initial state."""
    return named_world(world).physics


def simulate(bodies: tuple[Body, ...], start: InitialState, frames: int) -> Motion:
    """The motion of bodies from an initial state, for a number of frames of which the first is the start.

    >>> cube = (Body("red", "metal", "cube"),)
    >>> start = InitialState.on_table(cube, np.zeros((1, 2)), np.zeros(1), np.array([[1.0, 0.0]]))
    >>> simulate(cube, start, frames=26).velocities[[0, 25], 0, 0].round(2).tolist()
    [1.0, 0.64]
    """
    return simulate_many([(bodies, start)], frames)[0]


def simulate_many(
    worlds: Sequence[World], frames: int, only_in_view: bool = False, device: str = "cpu"
) -> list[Motion]:
    """The motion of several worlds in one batch.

    With `only_in_view` bodies act on each other only while the camera sees both: what differs then was caused by
    something that can't be seen.
    """
    frames = whole_number("frames", frames, at_least=1, error=SimulatorError)
    for bodies, start in worlds:
        if len(bodies) != len(start.positions):
            raise SimulatorError(f"{len(bodies)} bodies, but the initial state of {len(start.positions)}")
    if not worlds:
        return []
    machine = Machine(Options(device=device, threads=1))
    kind = world_of_bodies([body for bodies, _ in worlds for body in bodies])
    kernel, compiling, contacts = _KERNELS[kind.name]
    machine.load(kernel, compiling=compiling)
    most = max(len(bodies) for bodies, _ in worlds)
    batch = _batch(worlds, most, kind, contacts, machine.device)
    objects = () if kind is PLAIN else upload_objects([bodies for bodies, _ in worlds], most, machine.device)
    recording = new_recording(len(worlds), frames, most, machine.device)
    kept, limits = shape_constants(str(machine.device), kind.shapes)
    laws = [camera_eye(), int(only_in_view), kept, limits, frames, most, ITERATIONS]
    machine.launch(kernel, len(worlds), [batch, *objects, recording, *laws])
    return _motions(worlds, recording)


def _batch(worlds: Sequence[World], most: int, kind: ObjectWorld, contacts: int, device: Any) -> Any:
    """The worlds as arrays; unused bodies are zeros."""
    size = len(worlds), most
    shape, mass, charge = np.zeros(size, np.int32), np.ones(size), np.zeros(size)
    place, rotation, velocity, spin = (np.zeros((*size, width)) for width in (2, 4, 2, 3))
    for row, (bodies, start) in enumerate(worlds):
        used = slice(len(bodies))
        shape[row, used] = [kind.shapes.index(body.shape) for body in bodies]
        mass[row, used] = [body.mass for body in bodies]
        charge[row, used] = [body.charge for body in bodies]
        place[row, used], velocity[row, used] = start.positions[:, :2], start.velocities[:, :2]
        rotation[row, used], spin[row, used] = start.orientations, start.angular_velocities
    counts = np.array([len(bodies) for bodies, _ in worlds], np.int32)
    return upload_worlds(counts, shape, mass, charge, place, rotation, velocity, spin, device, contacts)


def _motions(worlds: Sequence[World], recording: Any) -> list[Motion]:
    """Rounded motions."""
    places, velocities, rotations, spins, collisions, counts = (
        array.numpy()
        for array in (
            recording.place,
            recording.velocity,
            recording.rotation,
            recording.spin,
            recording.collisions,
            recording.collision_count,
        )
    )
    heights = np.full((*places.shape[:3], 1), 0.0)
    for row, (bodies, _) in enumerate(worlds):
        heights[row, :, : len(bodies), 0] = [HALF_HEIGHTS[body.shape] for body in bodies]
    positions = np.concatenate([places, heights], axis=-1).round(DECIMALS)
    speeds = np.concatenate([velocities, np.zeros_like(heights)], axis=-1).round(DECIMALS)
    orientations, turned = rotations.round(DECIMALS), spins.round(DECIMALS)
    for row, (bodies, start) in enumerate(worlds):
        first = row, 0, slice(len(bodies))
        positions[first], orientations[first] = start.positions, start.orientations
        speeds[first], turned[first] = start.velocities, start.angular_velocities
    in_view = CAMERA.sees(positions)
    motions = []
    for row, (bodies, _) in enumerate(worlds):
        used = row, slice(None), slice(len(bodies))
        found = tuple(Collision(*collision) for collision in collisions[row, : counts[row]].tolist())
        motions.append(
            Motion(positions[used], orientations[used], speeds[used], turned[used], in_view[used], collisions=found)
        )
    return motions
