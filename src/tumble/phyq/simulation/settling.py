"""Whether levels are at rest before the first shot, and the poses in which their pieces come to rest."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tumble import engine
from tumble.phyq.simulation.world import LevelWorld
from tumble.phyq.tasks.level import Level

AT_REST_SHIFT = 0.05
"""The largest motion, in units and radians, of a piece that counts as at rest."""
DECIMALS = 5
"""Decimals of settled positions, as in the published levels."""


@dataclass(frozen=True)
class Settling:
    """Motion of levels during some seconds without a shot, one row for each level."""

    at_rest: np.ndarray
    """bool [levels]: all bodies sleep, none is gone, and none moved or turned by more than AT_REST_SHIFT."""
    moved: np.ndarray
    """float [levels]: the largest distance of a body from its start."""
    turned: np.ndarray
    """float [levels]: the largest rotation in radians."""
    awake: np.ndarray
    """int [levels]: bodies that are awake."""
    gone: np.ndarray
    """int [levels]: pieces that died or left the world."""
    worst: np.ndarray
    """int [levels]: the body that moved or turned most."""


def settling_of(worlds: tuple[LevelWorld, ...], states: engine.States) -> Settling:
    """Compares end states of levels with their starts."""
    moved, turned, worst, pieces = [], [], [], []
    for world, poses in zip(worlds, states.poses, strict=True):
        placed = _placed(world)
        begin = np.array([(*world.scene.bodies[k].position, world.scene.bodies[k].angle) for k in placed])
        shift = np.nan_to_num(np.abs(poses[: len(placed)] - begin.reshape(-1, 3)))
        way, turn = np.hypot(shift[:, 0], shift[:, 1]), shift[:, 2]
        moved.append(way.max(initial=0.0))
        turned.append(turn.max(initial=0.0))
        worst.append(placed[int(np.argmax(np.maximum(way, turn)))])
        pieces.append(len(placed))
    gone = np.array(pieces) - states.present.sum(axis=1)
    awake = states.awake.sum(axis=1)
    still = (np.array(moved) <= AT_REST_SHIFT) & (np.array(turned) <= AT_REST_SHIFT)
    return Settling(
        at_rest=still & (awake == 0) & (gone == 0),
        moved=np.array(moved),
        turned=np.array(turned),
        awake=awake,
        gone=gone,
        worst=np.array(worst, int),
    )


def settled_level(world: LevelWorld, poses: np.ndarray) -> Level:
    """The level with its pieces at the poses [bodies, 3] of its dynamic bodies; pieces that are gone stay unchanged."""
    pieces: dict[str, list[Any]] = {
        "pig": list(world.level.pigs),
        "block": list(world.level.blocks),
        "tnt": list(world.level.tnts),
    }
    for body, (x, y, angle) in zip(_placed(world), poses.tolist(), strict=False):
        if math.isfinite(x):
            member = world.members[body]
            place = {"x": x, "y": y, "rotation": math.degrees(angle)}
            rounded = {name: round(value, DECIMALS) for name, value in place.items()}
            pieces[member.role][member.number] = replace(pieces[member.role][member.number], **rounded)
    return replace(world.level, pigs=tuple(pieces["pig"]), blocks=tuple(pieces["block"]), tnts=tuple(pieces["tnt"]))


def _placed(world: LevelWorld) -> list[int]:
    """The dynamic bodies of pieces."""
    return [int(body) for body in world.dynamic if body < world.first_bird]
