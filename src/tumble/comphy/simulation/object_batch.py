"""Simulates many worlds of everyday objects given as plain arrays, for fits: `batch` is the same for plain bodies."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.simulation.batch import FIT_BLOCK, Paths, WorldArrays, merged_laws, paths_of
from tumble.comphy.simulation.device_objects import upload_kinds
from tumble.comphy.simulation.device_worlds import camera_eye, new_recording, shape_constants, upload_worlds
from tumble.comphy.simulation.footprints import Kind
from tumble.comphy.simulation.object_paths import COMPILING_OBJECTS
from tumble.comphy.simulation.physics.impulses import ITERATIONS
from tumble.comphy.simulation.physics.merged_object_steps import fit_object_worlds
from tumble.comphy.simulation.physics.merged_steps import MOST_BODIES
from tumble.comphy.simulation.physics.object_kernel import simulate_object_worlds
from tumble.comphy.simulation.physics.objects import OBJECT_CONTACTS
from tumble.comphy.simulation.rotations import yaw_quaternions
from tumble.comphy.simulation.simulator import SimulatorError
from tumble.comphy.tasks.world import DIV
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import GPU_THREADS_PER_BLOCK, Machine
from tumble.engine.host.options import Options

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
    batch = _batch(worlds, np.array([DIV.shapes.index(shape) for shape, _ in kinds], np.int32)[kind], machine.device)
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


def _batch(worlds: WorldArrays, shapes: np.ndarray, device: Any) -> Any:
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
