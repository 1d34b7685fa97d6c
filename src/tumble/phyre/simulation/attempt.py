"""Attempts: the worlds and the goal's rule that the engine is given, and the result of each attempt.

Worlds have the balls of actions, or the bodies of user inputs. A result has a status, and whatever else was asked
for.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from tumble import engine
from tumble.checks import whole_number
from tumble.engine import Relation, Rule, relations, touching
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import HOLD_STEPS, MATERIAL, Task
from tumble.phyre.observation import view
from tumble.phyre.observation.view import boxes
from tumble.phyre.simulation.actions import MAX_RADIUS
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Body, Circle, Scene

WANTS = ("observations", "features", "states", "trajectories", "events", "masks", "boxes")
"""What `want` can ask for besides the status; see the fields of `Attempt`."""


class SimulationError(TumbleError):
    """Attempts that cannot be simulated."""


@dataclass(frozen=True)
class Attempt:
    """An attempt at a task. Fields that were not asked for are None; an invalid action has only its status."""

    status: int
    """-1 not solved, 0 invalid, 1 solved; if stability was checked, 2 unstably and 3 stably solved."""
    steps: int = 0
    """Steps of 1/60 s until the goal had held for 3 s, or until the end."""
    scene: Scene | None = None
    """The task's scene with the placed balls after its bodies."""
    frames: np.ndarray | None = None
    """int [frames]: the steps of the recorded frames."""
    observations: np.ndarray | None = None
    """uint8 [frames, 256, 256]: colour indices, the top row first."""
    features: np.ndarray | None = None
    """float32 [frames, objects, 14]; `observe.objects(scene)` tells which bodies are objects."""
    states: np.ndarray | None = None
    """float32 [frames, bodies, 6]: x, y, angle and their velocities, in pixels, radians and seconds."""
    trajectories: np.ndarray | None = None
    """float32 [steps + 1, bodies, 3]: x, y and angle after every step, the start included."""
    events: np.ndarray | None = None
    """engine.EVENT [n]: contacts that begin or end; bodies are numbered as in `scene`."""
    masks: np.ndarray | None = None
    """bool [frames, objects, 256, 256]."""
    boxes: np.ndarray | None = None
    """float [frames, objects, (left, bottom, right, top)]."""

    @property
    def solved(self) -> bool:
        return self.status >= SOLVED

    def with_status(self, status: int) -> "Attempt":
        return replace(self, status=status)


def rollout_options(options: engine.Options, stride: int, want: Collection[str]) -> engine.Options:
    """The engine's options that record what `want` asks for."""
    names = {want} if isinstance(want, str) else set(want)
    unknown = sorted(names - set(WANTS))
    if unknown:
        raise SimulationError(f"an attempt has no {unknown[0]!r}; there are {', '.join(WANTS)}")
    whole_number("stride", stride, at_least=1, error=SimulationError)
    recorded_stride = 1 if "trajectories" in names else stride if names - {"events"} else 0
    return replace(options, stride=recorded_stride, velocities="states" in names, events="events" in names)


def attempts_from_rollouts(
    scenes: Sequence[Scene], rollouts: engine.Rollouts, stride: int, want: Collection[str]
) -> list[Attempt]:
    """The attempts of rollouts, given the scene of each world with its placed balls."""
    return [_attempt(scene, rollouts, world, stride, want) for world, scene in enumerate(scenes)]


def _attempt(scene: Scene, rollouts: engine.Rollouts, world: int, stride: int, want: Collection[str]) -> Attempt:
    steps = int(rollouts.steps[world])
    solved = rollouts.verdicts[world] == 1
    attempt = Attempt(SOLVED if solved else NOT_SOLVED, steps, scene)
    if "events" in want:
        first, end = np.searchsorted(rollouts.events["world"], (world, world + 1))  # ordered by world
        events = rollouts.events[first:end].copy()
        events["world"] = 0  # an attempt must not depend on its index in the batch
        attempt = replace(attempt, events=events)
    if not len(rollouts.frames):
        return attempt
    reached = rollouts.frames <= steps
    poses = rollouts.poses[world, reached, : len(scene.bodies)]
    kept = rollouts.frames[reached] % stride == 0
    attempt = replace(attempt, frames=rollouts.frames[reached][kept])
    if "trajectories" in want:
        attempt = replace(attempt, trajectories=poses)
    if "states" in want:
        velocities = rollouts.velocities[world, reached, : len(scene.bodies)]
        attempt = replace(attempt, states=np.concatenate([poses, velocities], axis=2)[kept])
    views = {
        "observations": view.picture,
        "features": view.features,
        "masks": view.masks,
        "boxes": view.boxes,
    }
    fields = {name: make(scene, poses[kept]) for name, make in views.items() if name in want}
    return replace(attempt, **fields)  # type: ignore[arg-type]


ENGINE_RELATIONS = {
    "above": Relation.ABOVE,
    "below": Relation.BELOW,
    "left of": Relation.LEFT_OF,
    "right of": Relation.RIGHT_OF,
    "touching briefly": Relation.TOUCHING,
    "touching": Relation.TOUCHING,
    "inside": Relation.INSIDE,
    "not touching": Relation.NOT_TOUCHING,
    "not inside": Relation.NOT_INSIDE,
}
"""The engine's relations by their names in tasks."""


def goal_rule(tasks: Sequence[Task], task_of: np.ndarray) -> Rule:
    """The rule that decides worlds; `task_of` is int [world]: the index of each world's task."""
    used, rows = np.unique(task_of, return_inverse=True)
    goals = [tasks[index] for index in used]
    body, other = np.array([(task.body, task.other) for task in goals], np.int32).reshape(-1, 2)[rows].T
    reach = np.array([task.reach for task in goals], np.float32)[rows]
    if all(task.only_touching for task in goals):
        return touching(body, other, HOLD_STEPS, reach)
    relation = np.array([reduce(or_, (ENGINE_RELATIONS[name] for name in task.relations)) for task in goals], np.int32)
    hold, unbroken = np.array([(task.hold_steps, task.unbroken_steps) for task in goals], np.int32)[rows].T
    areas = [np.array(task.area) / task.scene.units_per_metre for task in goals if task.area]
    has_area = np.array([bool(task.area) for task in goals])
    area_of = np.where(has_area, np.cumsum(has_area) - 1, -1)
    return relations(body, other, relation[rows], hold, unbroken, reach, areas, area_of[rows])


PLACEABLE_BALLS = tuple(
    Body((Circle(float(radius)),), dynamic=True, role="placed", **MATERIAL) for radius in range(1, int(MAX_RADIUS) + 1)
)
"""The balls that can be placed, by radius from 1 pixel on."""


def ball_at(x: float, y: float, radius: float) -> Body:
    """A placed ball; its radius is a whole number of pixels."""
    return replace(PLACEABLE_BALLS[int(radius) - 1], position=(x, y))


def build_ball_worlds(scenes: tuple[Scene, ...], scene_of: np.ndarray, balls: np.ndarray) -> engine.Worlds:
    """Worlds with placed balls [world, ball, (x, y, radius)]; a ball of radius 0 is left out.

    `scene_of` is int [world]: the index of each world's scene.
    """
    poses = np.concatenate([balls[..., :2], np.zeros((*balls.shape[:2], 1))], axis=2)
    placed = balls[..., 2] > 0
    return engine.variants(
        scenes,
        scene_of=scene_of,
        kinds=PLACEABLE_BALLS,
        target=np.where(placed, engine.ADD, engine.NO_CHANGE),
        kind=np.where(placed, balls[..., 2] - 1, 0),
        poses=poses,
    )


PlacedBodies = Sequence[Body]
"""The bodies that one input places."""


def build_input_worlds(
    scenes: tuple[Scene, ...], scene_of: np.ndarray, placed: Sequence[PlacedBodies]
) -> engine.Worlds:
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


def shifted_bodies(bodies: PlacedBodies, shift: np.ndarray) -> list[Body]:
    """Bodies moved by (x, y) pixels."""
    return [replace(body, position=tuple(np.add(body.position, shift).tolist())) for body in bodies]


def within_view(scene: Scene, bodies: PlacedBodies) -> bool:
    """Whether placed bodies lie wholly within the view of a scene."""
    left, bottom, right, top = boxes(replace(scene, bodies=tuple(bodies))).T
    inside = (left >= 0.0) & (bottom >= 0.0) & (right <= scene.width) & (top <= scene.height)
    return bool(inside.all())
