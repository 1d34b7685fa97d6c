"""Everyday objects on given paths: when they first touch, if they pass through each other."""

from collections.abc import Sequence

import numpy as np
import warp as wp

from tumble.comphy.simulation.device_objects import upload_objects
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.simulation.physics.object_kernel import find_first_touches
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.video_set import Pair
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

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
