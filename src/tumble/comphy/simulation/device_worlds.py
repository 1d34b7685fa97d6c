"""Batches of worlds in the memory of a device, and the constants that kernels take."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import APART_FRAMES, pairs_of
from tumble.comphy.simulation.laws import DAMPING, FRICTION, GRAVITY
from tumble.comphy.simulation.physics.worlds import CONTACTS_PER_PAIR, Eye, Recording, Worlds
from tumble.comphy.tasks.body import SHAPES
from tumble.comphy.tasks.constants import STEPS_PER_SECOND

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
