"""The physics: bodies slide and roll on an endless table, collide, and attract or repel each other.

Worlds are simulated in batches at 250 Hz by a Warp kernel, with the laws in `laws`. The same start gives the same
bits in any batch, on the CPU and on a GPU. Plain shapes and everyday objects have a kernel each. For everyday
objects on given paths, a kernel finds when they first touch, if they pass through each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.checks import whole_number
from tumble.comphy.catalogue.body import DECIMALS, SHAPES, Body, Collision, Motion, world_of_bodies, yaw_quaternions
from tumble.comphy.catalogue.video_set import Pair
from tumble.comphy.catalogue.world import DIV, HALF_HEIGHTS, PLAIN, RADIUS, STEPS_PER_SECOND, ObjectWorld, named_world
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import APART_FRAMES, pairs_of
from tumble.comphy.simulation.footprints import (
    MOST_CORNERS,
    Footprint,
    Kind,
    Piece,
    footprint_of,
    side_normals,
    touching_pieces,
)
from tumble.comphy.simulation.laws import DAMPING, FRICTION, GRAVITY
from tumble.comphy.simulation.physics.contacts import CONTACTS_PER_PAIR, Eye, Recording, Worlds
from tumble.comphy.simulation.physics.kernel import ITERATIONS, simulate_worlds
from tumble.comphy.simulation.physics.object_kernel import (
    OBJECT_CONTACTS,
    Objects,
    find_first_touches,
    simulate_object_worlds,
)
from tumble.comphy.simulation.physics.pieces import Pieces
from tumble.engine.host.machine import Compiling, Machine
from tumble.engine.host.options import Options
from tumble.errors import TumbleError

NEVER = -(10**9)
"""The last contact of a pair that has not touched."""


def upload_worlds(
    count: np.ndarray,
    shape: np.ndarray,
    mass: np.ndarray,
    charge: np.ndarray,
    place: np.ndarray,
    rotation: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    device: Any,
    contacts_per_pair: int = CONTACTS_PER_PAIR,
) -> Any:
    """A batch of worlds on a device, from arrays [world, body, ...] as in `Worlds`, and count [world]."""
    size, most = shape.shape
    batch = Worlds()
    batch.count = wp.array(count, dtype=int, device=device)
    batch.is_charged = wp.array((np.count_nonzero(charge, axis=1) > 1).astype(np.int32), dtype=int, device=device)
    batch.shape = wp.array(shape, dtype=int, device=device)
    batch.mass, batch.charge = (wp.array(values, dtype=wp.float64, device=device) for values in (mass, charge))
    batch.place, batch.velocity = (wp.array(values, dtype=wp.vec2d, device=device) for values in (place, velocity))
    batch.rotation = wp.array(rotation, dtype=wp.vec4d, device=device)
    batch.spin = wp.array(spin, dtype=wp.vec3d, device=device)
    batch.last_touch = wp.full((size, most * most), NEVER, dtype=int, device=device)
    contacts = size, contacts_per_pair * len(pairs_of(most))
    batch.contact_bodies = wp.empty(contacts, dtype=wp.vec2i, device=device)
    batch.contact_normal = wp.empty(contacts, dtype=wp.vec2d, device=device)
    batch.contact_arms = wp.empty(contacts, dtype=wp.vec2d, device=device)
    batch.contact_gap = wp.empty(contacts, dtype=wp.float64, device=device)
    batch.contact_target = wp.empty(contacts, dtype=wp.float64, device=device)
    batch.contact_impulse = wp.empty(contacts, dtype=wp.float64, device=device)
    return batch


def new_recording(worlds: int, frames: int, bodies: int, device: Any) -> Any:
    """Room for what is recorded of a batch of worlds."""
    shape = worlds, frames, bodies
    recording = Recording()
    recording.place, recording.velocity = (wp.zeros(shape, dtype=wp.vec2d, device=device) for _ in range(2))
    recording.rotation = wp.zeros(shape, dtype=wp.vec4d, device=device)
    recording.spin = wp.zeros(shape, dtype=wp.vec3d, device=device)
    most = len(pairs_of(bodies)) * (frames // APART_FRAMES + 1)  # a pair parts for APART_FRAMES between two collisions
    recording.collisions = wp.zeros((worlds, most), dtype=wp.vec3i, device=device)
    recording.collision_count = wp.zeros(worlds, dtype=int, device=device)
    return recording


@lru_cache(maxsize=4)
def shape_constants(device: str, shapes: tuple[str, ...] = SHAPES) -> tuple[Any, Any]:
    """[shape]: the share of its velocity that a body keeps in a step, and friction's impulse per mass in a step."""
    kept = [math.exp(-DAMPING[shape] / STEPS_PER_SECOND) for shape in shapes]
    limits = [FRICTION[shape] * GRAVITY / STEPS_PER_SECOND for shape in shapes]
    return wp.array(kept, dtype=wp.float64, device=device), wp.array(limits, dtype=wp.float64, device=device)


@lru_cache(maxsize=1)
def camera_eye() -> Any:
    """The camera."""
    right, up, forward = CAMERA.axes
    eye = Eye()
    eye.position = wp.vec3d(*CAMERA.position)
    eye.right, eye.up, eye.forward = wp.vec3d(*right), wp.vec3d(*up), wp.vec3d(*forward)
    eye.half_width = 0.5 * CAMERA.sensor_width / CAMERA.focal_length
    eye.half_height = eye.half_width / CAMERA.aspect
    return eye


def upload_objects(worlds: Sequence[tuple[Body, ...]], most: int, device: Any) -> tuple[Any, Any]:
    """The objects and pieces of worlds with these bodies, of which none has more than `most`."""
    kinds = sorted({(body.shape, body.form) for bodies in worlds for body in bodies})
    number = {kind: k for k, kind in enumerate(kinds)}
    kind = np.zeros((len(worlds), most), np.int32)
    for row, bodies in enumerate(worlds):
        kind[row, : len(bodies)] = [number[body.shape, body.form] for body in bodies]
    return upload_kinds(kinds, kind, device)


def upload_kinds(kinds: Sequence[Kind], kind: np.ndarray, device: Any) -> tuple[Any, Any]:
    """The objects and pieces of worlds whose bodies are of these kinds: `kind` is int32 [world, body]."""
    rows = np.unique(kind, axis=0).tolist()
    meetings = {(i, j) for row in rows for i in row for j in row}
    tables, pieces = _tables(tuple(kinds), tuple(sorted(meetings)), str(device))
    objects = Objects()
    objects.kind = wp.array(kind, dtype=int, device=device)
    for name, table in tables.items():
        setattr(objects, name, table)
    return objects, pieces


@lru_cache(maxsize=16)
def _tables(kinds: tuple[Kind, ...], meetings: tuple[tuple[int, int], ...], device: str) -> tuple[dict[str, Any], Any]:
    """What kernels know of some kinds of objects, of which some meet in a world, and their pieces."""
    footprints = [footprint_of(*kind) for kind in kinds]
    firsts = np.cumsum([0, *(len(footprint.pieces) for footprint in footprints)])
    first_pair, pair_count = (np.zeros((len(kinds), len(kinds)), np.int32) for _ in range(2))
    pairs: list[tuple[int, int]] = []
    for i, j in meetings:
        found = touching_pieces(kinds[i], kinds[j])
        first_pair[i, j], pair_count[i, j] = len(pairs), len(found)
        pairs += [(int(firsts[i]) + p, int(firsts[j]) + q) for p, q in found]
    tables = {
        "inertia": _reals([footprint.inertia for footprint in footprints], device),
        "support": wp.array([footprint.support for footprint in footprints], dtype=wp.vec2d, device=device),
        "reach": _reals([footprint.reach for footprint in footprints], device),
        "first_pair": wp.array(first_pair, dtype=int, device=device),
        "pair_count": wp.array(pair_count, dtype=int, device=device),
        "pairs": wp.array(np.array(pairs, np.int32), dtype=wp.vec2i, device=device),
    }
    return tables, _pieces(footprints, device)


def _pieces(footprints: Sequence[Footprint], device: str) -> Any:
    """The pieces of all footprints, one after the other."""
    every = [piece for footprint in footprints for piece in footprint.pieces]
    corners, normals = (np.zeros((len(every), MOST_CORNERS, 2)) for _ in range(2))
    middles = np.array([piece.corners.mean(axis=0) for piece in every])
    for row, piece in enumerate(every):
        corners[row, : len(piece.corners)] = piece.corners
        if len(piece.corners) > 1:
            normals[row, : len(piece.corners)] = side_normals(piece.corners)
    bounds = [_bound(piece, middle) for piece, middle in zip(every, middles, strict=True)]
    pieces = Pieces()
    pieces.count = wp.array([len(piece.corners) for piece in every], dtype=int, device=device)
    pieces.corners, pieces.normals = (wp.array(rows, dtype=wp.vec2d, device=device) for rows in (corners, normals))
    pieces.middle = wp.array(middles, dtype=wp.vec2d, device=device)
    pieces.radius, pieces.bound = _reals([piece.radius for piece in every], device), _reals(bounds, device)
    return pieces


def _bound(piece: Piece, middle: np.ndarray) -> float:
    return float(np.sqrt(((piece.corners - middle) ** 2).sum(axis=1)).max()) + piece.radius


def _reals(values: Sequence[float], device: str) -> Any:
    return wp.array(np.array(values, float), dtype=wp.float64, device=device)


COMPILING_OBJECTS = Compiling("ComPhy's physics of everyday objects", (4, 20), (4, 20))


def first_touches_of_objects(bodies: Sequence[Body], paths: np.ndarray, headings: np.ndarray) -> dict[Pair, int]:
    """The pairs that touch on their paths [step, body, 2], and the first step in which they do. NaN touches nothing."""
    pairs = pairs_of(len(bodies))
    if not pairs:
        return {}
    machine = Machine(Options(device="cpu", threads=1))
    machine.load(find_first_touches, compiling=COMPILING_OBJECTS)
    device = machine.device
    found = wp.zeros(len(pairs), dtype=int, device=device)
    inputs = [
        *upload_objects([tuple(bodies)], len(bodies), device),
        wp.array(np.array(pairs, np.int32), dtype=wp.vec2i, device=device),
        wp.array(np.ascontiguousarray(paths), dtype=wp.vec2d, device=device),
        wp.array(np.stack([np.cos(headings), np.sin(headings)], axis=-1), dtype=wp.vec2d, device=device),
        len(paths),
        found,
    ]
    machine.launch(find_first_touches, len(pairs), inputs)
    return {pair: int(step) for pair, step in zip(pairs, found.numpy().tolist(), strict=True) if step >= 0}


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
