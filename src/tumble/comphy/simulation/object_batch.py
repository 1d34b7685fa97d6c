"""Simulates many worlds of everyday objects given as plain arrays, for fits: `batch` is the same for plain bodies."""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.simulation.batch import FIT_ROUNDS, Paths, WorldArrays, paths_of
from tumble.comphy.simulation.device_objects import upload_kinds
from tumble.comphy.simulation.device_worlds import camera_eye, new_recording, shape_constants, upload_worlds
from tumble.comphy.simulation.footprints import Kind
from tumble.comphy.simulation.object_paths import COMPILING_OBJECTS
from tumble.comphy.simulation.physics.object_kernel import simulate_object_worlds
from tumble.comphy.simulation.physics.objects import OBJECT_CONTACTS
from tumble.comphy.simulation.rotations import yaw_quaternions
from tumble.comphy.tasks.world import DIV
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options


def simulate_object_arrays(
    worlds: WorldArrays, kinds: Sequence[Kind], kind: np.ndarray, frames: int | np.ndarray, device: str = "cpu"
) -> Paths:
    """The motion of many worlds for a number of frames, or for frames [world]; later frames have no meaning.

    `kind`, int32 [world, body], are indices of `kinds`; `worlds.shapes` are not used. Contacts are solved in fewer
    rounds than in `simulate_many`.
    """
    machine = Machine(Options(device=device, threads=1))
    machine.load(simulate_object_worlds, compiling=COMPILING_OBJECTS)
    size, most = kind.shape
    longest = int(np.max(frames, initial=1))
    shapes = np.array([DIV.shapes.index(shape) for shape, _ in kinds], np.int32)[kind]
    spins = np.zeros((size, most, 3)) if worlds.spins is None else worlds.spins
    batch = upload_worlds(
        worlds.counts.astype(np.int32),
        shapes,
        worlds.masses,
        worlds.charges,
        worlds.places,
        yaw_quaternions(worlds.yaws),
        worlds.velocities,
        spins,
        machine.device,
        OBJECT_CONTACTS,
    )
    recording = new_recording(size, longest, most, machine.device)
    kept, limits = shape_constants(str(machine.device), DIV.shapes)
    laws = [camera_eye(), 0, kept, limits, longest, most, FIT_ROUNDS]
    objects = upload_kinds(kinds, kind.astype(np.int32), machine.device)
    machine.launch(simulate_object_worlds, size, [batch, *objects, recording, *laws])
    return paths_of(recording)
