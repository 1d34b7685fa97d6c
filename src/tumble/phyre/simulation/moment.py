"""A moment of an attempt: where all bodies are after a step, how they move and what they touch."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tumble import engine
from tumble.phyre.observation import view
from tumble.phyre.observation.words import body_index
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Scene, initial_poses

Pair = tuple[int, int]


@dataclass(frozen=True)
class Moment:
    """The state of a world after a step; bodies are numbered as in `scene`, absent ones are NaN."""

    scene: Scene
    """The bodies; where they are is in `poses`."""
    step: int
    """Steps of 1/60 s since the start of the attempt."""
    poses: np.ndarray
    """float32 [bodies, (x, y, angle)] in pixels and radians."""
    velocities: np.ndarray
    """float32 [bodies, (x, y, angular)] in pixels and radians per second; 0 for static bodies."""
    contacts: frozenset[Pair]
    """Pairs of bodies that touch, the lower index first."""
    status: int = NOT_SOLVED
    """1 if the goal has been reached, otherwise -1."""
    awake: np.ndarray | None = None
    """bool [bodies]: which dynamic bodies are awake; None for the moments that `Session.until` passes."""
    states: engine.States | None = field(default=None, repr=False)
    """The one state of the engine to resume from; None likewise."""

    @property
    def present(self) -> np.ndarray:
        """bool [bodies]: which bodies are in the world."""
        return np.asarray(np.isfinite(self.poses[:, 0]))

    @property
    def held(self) -> int:
        """Steps for which the goal has held without a break until now; 0 for moments that `Session.until` passes."""
        return 0 if self.states is None else int(self.states.scratch_ints[0, 0])

    @property
    def solved(self) -> bool:
        return self.status == SOLVED

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self.step / 60.0

    def index(self, body: int | str) -> int:
        """The index of a body given by its index, its name or its colour."""
        return body_index(self.scene, body)

    def pose(self, body: int | str) -> np.ndarray:
        """float32 [(x, y, angle)] of a body."""
        return np.asarray(self.poses[self.index(body)])

    def velocity(self, body: int | str) -> np.ndarray:
        """float32 [(x, y, angular)] of a body."""
        return np.asarray(self.velocities[self.index(body)])

    def touching(self, a: int | str, b: int | str) -> bool:
        """Whether two bodies touch."""
        return pair_of(self.index(a), self.index(b)) in self.contacts

    def picture(self) -> np.ndarray:
        """uint8 [256, 256]: colour indices, the top row first."""
        return view.picture(self.scene, self.poses)


def pair_of(a: int, b: int) -> Pair:
    """Two bodies, the lower index first."""
    return (a, b) if a < b else (b, a)


def fixed_poses(scene: Scene) -> np.ndarray:
    """float32 [bodies, 3]: poses of static bodies as the engine has them, NaN for dynamic and absent ones."""
    poses = initial_poses(scene).astype(np.float32)
    units = np.float32(scene.units_per_metre)
    poses[:, :2] = poses[:, :2] / units * units
    poses[dynamic_bodies(scene)] = np.nan
    return poses


def dynamic_bodies(scene: Scene) -> np.ndarray:
    """int [n]: the indices of the dynamic bodies."""
    return np.array([k for k, body in enumerate(scene.bodies) if body.dynamic], int)


def all_bodies(scene: Scene, states: engine.States) -> tuple[np.ndarray, np.ndarray]:
    """float32 [states, bodies, 3] twice: poses and velocities of all bodies, in pixels, in states of a scene."""
    moving = dynamic_bodies(scene)
    scale = np.array([scene.units_per_metre, scene.units_per_metre, 1.0], np.float32)
    fixed = fixed_poses(scene)
    poses = np.tile(fixed, (len(states), 1, 1))
    velocities = np.where(np.isfinite(poses), np.float32(0.0), np.float32(np.nan))
    poses[:, moving] = states.poses[:, : len(moving)] * scale
    velocities[:, moving] = states.velocities[:, : len(moving)] * scale
    return poses, velocities


def moment_from(scene: Scene, states: engine.States, status: int) -> Moment:
    """The moment of one saved state."""
    moving = dynamic_bodies(scene)
    poses, velocities = all_bodies(scene, states)
    awake = np.zeros(len(scene.bodies), bool)
    awake[moving] = states.awake[0, : len(moving)]
    contacts = pairs_of(states.touching_pairs(0))
    return Moment(scene, int(states.steps[0]), poses[0], velocities[0], contacts, status, awake, states)


def pairs_of(rows: Iterable[Iterable[int]]) -> frozenset[Pair]:
    """The different pairs of bodies among rows of two."""
    return frozenset(pair_of(int(a), int(b)) for a, b in rows)
