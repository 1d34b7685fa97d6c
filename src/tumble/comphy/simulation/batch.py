"""Simulates many worlds given as plain arrays, with little work for each: for fits, which need thousands of them.

Worlds hold plain bodies, or everyday objects.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.catalogue.body import SHAPES, yaw_quaternions
from tumble.comphy.catalogue.world import DIV, RADIUS, STEPS_PER_SECOND
from tumble.comphy.simulation.footprints import Kind
from tumble.comphy.simulation.laws import DAMPING, FRICTION, GRAVITY
from tumble.comphy.simulation.physics.kernel import ITERATIONS, simulate_worlds
from tumble.comphy.simulation.physics.merged_object_steps import fit_object_worlds
from tumble.comphy.simulation.physics.merged_steps import MERGED, MOST_BODIES, MergedLaws, fit_worlds
from tumble.comphy.simulation.physics.object_kernel import OBJECT_CONTACTS, simulate_object_worlds
from tumble.comphy.simulation.simulator import (
    COMPILING,
    COMPILING_OBJECTS,
    SimulatorError,
    camera_eye,
    new_recording,
    shape_constants,
    upload_kinds,
    upload_worlds,
)
from tumble.engine.host.machine import GPU_THREADS_PER_BLOCK, Compiling, Machine
from tumble.engine.host.options import Options

COMPILING_FITS = Compiling("ComPhy's physics for fits", (3, 10), (30, 90))
FIT_ROUNDS = 8
"""Rounds over all contacts of a step, in fits."""
FIT_BLOCK = 64
"""Threads in a block of a GPU: the kernel of fits needs many registers."""
CHUNK = 64
"""Worlds that a thread simulates at a time, at least."""


@dataclass(frozen=True, eq=False)
class WorldArrays:
    """The bodies and starts of many worlds; a world's unused bodies are last."""

    counts: np.ndarray
    """int32 [world]: bodies."""
    shapes: np.ndarray
    """int32 [world, body]: indices in SHAPES."""
    masses: np.ndarray
    """float64 [world, body]."""
    charges: np.ndarray
    """float64 [world, body]."""
    places: np.ndarray
    """float64 [world, body, 2]."""
    yaws: np.ndarray
    """float64 [world, body]."""
    velocities: np.ndarray
    """float64 [world, body, 2]."""
    spins: np.ndarray | None = None
    """float64 [world, body, 3]: angular velocities beyond those of rolling spheres; None for none."""

    def __post_init__(self) -> None:
        size = self.shapes.shape
        expected = {"counts": size[:1], "places": (*size, 2), "velocities": (*size, 2), "spins": (*size, 3)}
        for name in ("counts", "shapes", "masses", "charges", "places", "yaws", "velocities", "spins"):
            values, shape = getattr(self, name), expected.get(name, size)
            if values is not None and values.shape != shape:
                raise SimulatorError(f"{name} must have the shape {list(shape)}, not {list(values.shape)}")


@dataclass(frozen=True, eq=False)
class Paths:
    """How the bodies of many worlds move."""

    places: np.ndarray
    """float64 [world, frame, body, 2]."""
    yaws: np.ndarray
    """float64 [world, frame, body], of cubes; only changes of them have a meaning for other shapes."""
    velocities: np.ndarray
    """float64 [world, frame, body, 2]."""
    spins: np.ndarray
    """float64 [world, frame, body, 3]."""
    collisions: np.ndarray
    """int32 [world, collision, 3]: step and the two bodies; debounced, by step."""
    collision_counts: np.ndarray
    """int32 [world]."""


def simulate_arrays(
    worlds: WorldArrays, frames: int | np.ndarray, exact: bool = True, device: str = "cpu", threads: int = 0
) -> Paths:
    """The motion of many worlds for a number of frames, or for frames [world]; later frames are zeros.

    `exact` gives the same bits as `simulate_many` before it rounds; otherwise steps are merged, for fits. `threads` is
    that of the CPU; 0: all cores.
    """
    machine = Machine(Options(device=device, threads=threads))
    kernel = simulate_worlds if exact else fit_worlds
    block_dim = GPU_THREADS_PER_BLOCK if exact else FIT_BLOCK
    machine.load(kernel, compiling=COMPILING if exact else COMPILING_FITS, block_dim=block_dim)
    size, most = worlds.shapes.shape
    if most > MOST_BODIES and not exact:
        raise SimulatorError(f"{most} bodies in a world; fits have at most {MOST_BODIES}")
    lengths = np.broadcast_to(np.asarray(frames, np.int32), (size,))
    spins = _rolling(worlds) if worlds.spins is None else _rolling(worlds) + worlds.spins
    rotations = yaw_quaternions(worlds.yaws)
    batch = upload_worlds(
        worlds.counts.astype(np.int32),
        worlds.shapes.astype(np.int32),
        worlds.masses,
        worlds.charges,
        worlds.places,
        rotations,
        worlds.velocities,
        spins,
        machine.device,
    )
    longest = int(lengths.max(initial=1))
    recording = new_recording(size, longest, most, machine.device)
    if exact:
        kept, limits = shape_constants(str(machine.device))
        inputs = [batch, recording, camera_eye(), 0, kept, limits, longest, most, ITERATIONS]
        machine.launch(kernel, size, inputs)
    else:
        _launch_fit(machine, batch, recording, lengths, most)
    return paths_of(recording)


def _launch_fit(machine: Machine, batch: Any, recording: Any, lengths: np.ndarray, most: int) -> None:
    """Simulates with merged steps, on all threads."""
    size = len(lengths)
    chunk = max(CHUNK, -(-size // (2 * machine.threads))) if machine.is_cpu and machine.threads > 1 else size
    shared = [
        batch,
        recording,
        camera_eye(),
        merged_laws(str(machine.device)),
        machine.ints(lengths),
        most,
        FIT_ROUNDS,
    ]

    def work(_: int, first: int) -> None:
        machine.launch(fit_worlds, min(chunk, size - first), [*shared, first], FIT_BLOCK)

    if size <= chunk:
        work(0, 0)
    else:
        machine.for_pieces(range(0, size, chunk), work)


def paths_of(recording: Any) -> Paths:
    """What was recorded."""
    rotations = recording.rotation.numpy()
    return Paths(
        recording.place.numpy(),
        2.0 * np.arctan2(rotations[..., 3], rotations[..., 0]),
        recording.velocity.numpy(),
        recording.spin.numpy(),
        recording.collisions.numpy(),
        recording.collision_count.numpy(),
    )


def _rolling(worlds: WorldArrays) -> np.ndarray:
    """float64 [world, body, 3]: angular velocities of rolling spheres; zero for other shapes."""
    spins = np.zeros((*worlds.shapes.shape, 3))
    rolls = (worlds.shapes == SHAPES.index("sphere")) / RADIUS
    spins[..., 0], spins[..., 1] = -worlds.velocities[..., 1] * rolls, worlds.velocities[..., 0] * rolls
    return spins


@lru_cache(maxsize=4)
def merged_laws(device: str, shapes: tuple[str, ...] = SHAPES) -> Any:
    """What merged steps do to bodies of some shapes; sums of geometric series."""
    step = 1.0 / STEPS_PER_SECOND
    kept, limit, drift, gain = (np.zeros((len(MERGED), len(shapes))) for _ in range(4))
    for row, count in enumerate(MERGED):
        for column, shape in enumerate(shapes):
            powers = np.exp(-DAMPING[shape] * step) ** np.arange(count + 1)
            sums = np.cumsum(powers[:-1])
            kept[row, column] = powers[-1]
            limit[row, column] = FRICTION[shape] * GRAVITY * step * sums[-1]
            drift[row, column] = step * powers[1:].sum()
            gain[row, column] = step * sums.sum() / sums[-1]
    laws = MergedLaws()
    laws.kept, laws.limit, laws.drift, laws.gain = (
        wp.array(values, dtype=wp.float64, device=device) for values in (kept, limit, drift, gain)
    )
    return laws


COMPILING_OBJECT_FITS = Compiling("ComPhy's physics for fits of everyday objects", (5, 20), (30, 90))


def simulate_object_arrays(
    worlds: WorldArrays,
    kinds: Sequence[Kind],
    kind: np.ndarray,
    frames: int | np.ndarray,
    exact: bool = True,
    device: str = "cpu",
    rounds: int = ITERATIONS,
) -> Paths:
    """The motion of many worlds for a number of frames, or for frames [world]; later frames have no meaning.

    `kind`, int32 [world, body], are indices of `kinds`; `worlds.shapes` are not used. `exact` gives the same bits as
    `simulate_many` before it rounds; otherwise steps are merged, for fits. `rounds` over contacts.
    """
    machine = Machine(Options(device=device, threads=1))
    size, most = kind.shape
    if most > MOST_BODIES and not exact:
        raise SimulatorError(f"{most} bodies in a world; fits have at most {MOST_BODIES}")
    lengths = np.broadcast_to(np.asarray(frames, np.int32), (size,))
    longest = int(lengths.max(initial=1))
    batch = _object_batch(
        worlds, np.array([DIV.shapes.index(shape) for shape, _ in kinds], np.int32)[kind], machine.device
    )
    recording = new_recording(size, longest, most, machine.device)
    objects = upload_kinds(kinds, kind.astype(np.int32), machine.device)
    if exact:
        machine.load(simulate_object_worlds, compiling=COMPILING_OBJECTS)
        kept, limits = shape_constants(str(machine.device), DIV.shapes)
        laws = [camera_eye(), 0, kept, limits, longest, most, rounds]
        machine.launch(simulate_object_worlds, size, [batch, *objects, recording, *laws], GPU_THREADS_PER_BLOCK)
    else:
        machine.load(fit_object_worlds, compiling=COMPILING_OBJECT_FITS, block_dim=FIT_BLOCK)
        gaps = wp.empty((size, most * most), dtype=wp.float64, device=machine.device)
        laws = [merged_laws(str(machine.device), DIV.shapes), gaps, machine.ints(lengths), most, rounds]
        machine.launch(fit_object_worlds, size, [batch, *objects, recording, *laws], FIT_BLOCK)
    return paths_of(recording)


def _object_batch(worlds: WorldArrays, shapes: np.ndarray, device: Any) -> Any:
    """The worlds on a device."""
    spins = np.zeros((*shapes.shape, 3)) if worlds.spins is None else worlds.spins
    return upload_worlds(
        worlds.counts.astype(np.int32),
        shapes,
        worlds.masses,
        worlds.charges,
        worlds.places,
        yaw_quaternions(worlds.yaws),
        worlds.velocities,
        spins,
        device,
        OBJECT_CONTACTS,
    )
