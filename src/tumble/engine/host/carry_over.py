"""Saved states of a scene as states of a changed scene: bodies added, or made dynamic or static."""

from dataclasses import replace

import numpy as np

from tumble.engine.host.states import States
from tumble.engine.math.constants import HUGE
from tumble.engine.state.layout import BODY_VECS
from tumble.scene import Scene

NO_BOX = (HUGE, HUGE, -HUGE, -HUGE)
"""The fat AABB of an absent body."""


def carried_over(states: States, old: Scene, new: Scene, bodies: int, shapes: int) -> States:
    """States of `old` as states of `new`, with room for a number of bodies and shapes.

    A body of `new` has the index that it has in `old`, or follows its bodies. One that is dynamic only in `new` is
    absent until it is placed; one that is dynamic only in `old` is where the scene has it.
    """
    rows, boxes = _rows(old), _boxes(old)
    kept = [rows.get(k, -1) for k, body in enumerate(new.bodies) if body.dynamic]
    kept_boxes = [
        boxes[k][s] if k in boxes else -1
        for k, body in enumerate(new.bodies)
        if body.dynamic
        for s in range(len(body.shapes))
    ]
    count, old_vecs = len(states), states.bodies * BODY_VECS
    old_bodies = states.vecs[:, :old_vecs].reshape(count, states.bodies, BODY_VECS, 4)
    body_vecs = np.zeros((count, bodies, BODY_VECS, 4), np.float32)
    flags = np.zeros((count, bodies), np.int32)
    for row, source in enumerate(kept):
        if source >= 0:
            body_vecs[:, row] = old_bodies[:, source]
            flags[:, row] = states.ints[:, 1 + source]
    box_vecs = np.zeros((count, shapes, 4), np.float32)
    for row, source in enumerate(kept_boxes):
        box_vecs[:, row] = NO_BOX if source < 0 else states.vecs[:, old_vecs + source]
    contact_vecs = states.vecs[:, old_vecs + states.shapes :]
    return replace(
        states,
        bodies=bodies,
        shapes=shapes,
        vecs=np.concatenate([body_vecs.reshape(count, -1, 4), box_vecs, contact_vecs], axis=1),
        ints=np.concatenate([states.ints[:, :1], flags, states.ints[:, 1 + states.bodies :]], axis=1),
    )


def _rows(scene: Scene) -> dict[int, int]:
    """The row in a state of each dynamic body."""
    return {body: row for row, body in enumerate(k for k, body in enumerate(scene.bodies) if body.dynamic)}


def _boxes(scene: Scene) -> dict[int, list[int]]:
    """The rows in a state of the fat AABBs of each dynamic body."""
    found: dict[int, list[int]] = {}
    first = 0
    for k, body in enumerate(scene.bodies):
        if body.dynamic:
            found[k] = list(range(first, first + len(body.shapes)))
            first += len(body.shapes)
    return found
