"""The result of one attempt: its status, and whatever else was asked for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble import engine
from tumble.checks import whole_number
from tumble.errors import TumbleError
from tumble.phyre.observation import view
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Scene

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
