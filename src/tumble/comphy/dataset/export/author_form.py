"""Annotations in the form that the ComPhy authors' programs read: `config`, `motion` and `collisions` with a time.

A motion of 125 frames and the properties of bodies in it are what they call a prediction; `known_worlds` collects those
that a set has.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tumble.comphy.dataset.euler import euler_angles
from tumble.comphy.tasks.body import CHARGES, MASSES, Body
from tumble.comphy.tasks.constants import STEPS_PER_FRAME, STEPS_PER_SECOND
from tumble.comphy.tasks.motion import DECIMALS, Collision, Motion
from tumble.comphy.tasks.video_set import VideoSet, world_key

SIZE = (480, 320)
"""Width and height of pictures in the authors' programs: all boxes are in these pixels."""
PROPERTY_VALUES = {"mass": tuple(MASSES.values()), "charge": tuple(CHARGES.values())}


def config(bodies: tuple[Body, ...], with_properties: bool) -> list[dict[str, Any]]:
    """The attributes of bodies, with or without mass and charge."""
    return [
        {
            "color": body.color,
            "material": body.material,
            "shape": body.shape,
            **({"mass": body.mass, "charge": body.charge} if with_properties else {}),
        }
        for body in bodies
    ]


def annotation(bodies: tuple[Body, ...], motion: Motion, with_properties: bool) -> dict[str, Any]:
    """The annotation of a video; `field_config` is a feature that the published data does not use."""
    arrays = {
        "location": motion.positions,
        "orientation": np.round(euler_angles(motion.orientations), DECIMALS),
        "velocity": motion.velocities,
        "angular_velocity": motion.angular_velocities,
        "inside_scene": motion.in_view,
    }
    return {
        "config": config(bodies, with_properties),
        "field_config": [],
        "motion": motion_frames(arrays),
        "collisions": [{"object_idxs": list(each.pair), "time": collision_time(each)} for each in motion.collisions],
    }


def motion_frames(arrays: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Arrays [frame, body, ...] by name, as a list of frames with a list of objects."""
    columns = [array.tolist() for array in arrays.values()]
    return [
        {"objects": [dict(zip(arrays, body, strict=True)) for body in zip(*frame, strict=True)]}
        for frame in zip(*columns, strict=True)
    ]


def collision_time(collision: Collision) -> float:
    """Seconds from which every program reads the collision's frame, step // 10.

    PCR rounds the time to a frame and CPL's executor cuts it off, so the step within the frame is limited to 1 to 4.

    >>> collision_time(Collision(299, 0, 1))
    1.176
    """
    frame, step = divmod(collision.step, STEPS_PER_FRAME)
    return (frame * STEPS_PER_FRAME + min(max(step, 1), 4)) / STEPS_PER_SECOND


def known_worlds(videos: VideoSet) -> dict[tuple[str, int, int], Motion]:
    """The motions that a set has, by property ("mass" or "charge"), body, and the value that the body then has.

    Worlds of the same masses and the same products of charges move alike: all values that lead to the target's world or
    to one of the simulated changes are there.
    """
    motions = {world_key(change.apply(videos.bodies)): motion for change, motion in videos.altered.items()}
    motions[world_key(videos.bodies)] = videos.target
    known = {}
    for name, values in PROPERTY_VALUES.items():
        for k in range(len(videos.bodies)):
            for value in values:
                world = world_key(_with_property(videos.bodies, k, name, value))
                if world in motions:
                    known[name, k, value] = motions[world]
    return known


def _with_property(bodies: tuple[Body, ...], k: int, name: str, value: int) -> tuple[Body, ...]:
    changed = replace(bodies[k], mass=value) if name == "mass" else replace(bodies[k], charge=value)
    return (*bodies[:k], changed, *bodies[k + 1 :])
