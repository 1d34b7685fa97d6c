"""Worlds with the bodies of user inputs, and whether these fit into the view."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tumble import engine
from tumble.phyre.observation.view import boxes
from tumble.scene import Body, Scene

Placed = Sequence[Body]
"""The bodies that one input places."""


def build_input_worlds(scenes: tuple[Scene, ...], scene_of: np.ndarray, placed: Sequence[Placed]) -> engine.Worlds:
    """A world for each list of placed bodies; `scene_of` is int [world]: the index of each world's scene."""
    kinds: dict[Body, int] = {}
    width = max(map(len, placed), default=0)
    target = np.full((len(placed), width), engine.NO_CHANGE, np.int32)
    kind = np.zeros((len(placed), width), np.int32)
    poses = np.zeros((len(placed), width, 3))
    for world, bodies in enumerate(placed):
        target[world, : len(bodies)] = engine.ADD
        for k, body in enumerate(bodies):
            kind[world, k] = kinds.setdefault(replace(body, position=(0.0, 0.0)), len(kinds))
            poses[world, k, :2] = body.position
    return engine.variants(scenes, scene_of=scene_of, kinds=tuple(kinds), target=target, kind=kind, poses=poses)


def shifted(bodies: Placed, shift: np.ndarray) -> list[Body]:
    """Bodies moved by (x, y) pixels."""
    return [replace(body, position=tuple(np.add(body.position, shift).tolist())) for body in bodies]


def within_view(scene: Scene, bodies: Placed) -> bool:
    """Whether placed bodies lie wholly within the view of a scene."""
    left, bottom, right, top = boxes(replace(scene, bodies=tuple(bodies))).T
    inside = (left >= 0.0) & (bottom >= 0.0) & (right <= scene.width) & (top <= scene.height)
    return bool(inside.all())
