"""What came of one attempt: its status, and what was wanted beside it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble import engine
from tumble.phyre.observation import view
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Scene

WANTS = ("observations", "features", "states", "trajectories", "events", "masks", "boxes")
"""What can be wanted beside the status; see the fields of `Attempt`."""


@dataclass(frozen=True)
class Attempt:
    """An attempt at a task. What was not wanted is None; of an invalid action there is nothing but the status."""

    status: int
    """-1 not solved, 0 invalid, 1 solved; where stability was asked for, 2 unstably and 3 stably solved."""
    steps: int = 0
    """Steps of 1/60 s until the goal had held for 3 s, or until the end."""
    scene: Scene | None = None
    """The task's scene with the placed balls after its bodies."""
    frames: np.ndarray | None = None
    """int [frames]: the steps at which things were kept."""
    observations: np.ndarray | None = None
    """uint8 [frames, 256, 256]: colour indices, the top row first."""
    features: np.ndarray | None = None
    """float32 [frames, objects, 14]; which bodies are objects, `observe.objects(scene)` says."""
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


def options_for(options: engine.Options, stride: int, want: Collection[str]) -> engine.Options:
    """The engine's options that keep what is wanted."""
    wanted = {want} if isinstance(want, str) else set(want)
    unknown = sorted(wanted - set(WANTS))
    if unknown:
        raise ValueError(f"an attempt has no {unknown[0]!r}; there are {', '.join(WANTS)}")
    if stride < 1:
        raise ValueError(f"stride must be 1 step or more, not {stride}")
    keep = 1 if "trajectories" in wanted else stride if wanted - {"events"} else 0
    return replace(options, stride=keep, velocities="states" in wanted, events="events" in wanted)


def attempts_of(
    scenes: Sequence[Scene], rollouts: engine.Rollouts, stride: int, want: Collection[str]
) -> list[Attempt]:
    """Attempts from rollouts of the engine, one for each scene with its placed balls."""
    return [_attempt(scene, rollouts, world, stride, want) for world, scene in enumerate(scenes)]


def _attempt(scene: Scene, rollouts: engine.Rollouts, world: int, stride: int, want: Collection[str]) -> Attempt:
    steps = int(rollouts.steps[world])
    solved = rollouts.verdicts[world] == 1
    attempt = Attempt(SOLVED if solved else NOT_SOLVED, steps, scene)
    if "events" in want:
        events = rollouts.events[rollouts.events["world"] == world]
        events["world"] = 0  # not its place in the batch: an attempt looks the same in every company
        attempt = replace(attempt, events=events)
    if not len(rollouts.frames):
        return attempt
    lived = rollouts.frames <= steps
    poses = rollouts.poses[world, lived, : len(scene.bodies)]
    kept = rollouts.frames[lived] % stride == 0
    attempt = replace(attempt, frames=rollouts.frames[lived][kept])
    if "trajectories" in want:
        attempt = replace(attempt, trajectories=poses)
    if "states" in want:
        velocities = rollouts.velocities[world, lived, : len(scene.bodies)]
        attempt = replace(attempt, states=np.concatenate([poses, velocities], axis=2)[kept])
    seen = {
        "observations": view.picture,
        "features": view.features,
        "masks": view.masks,
        "boxes": view.boxes,
    }
    drawn = {name: look(scene, poses[kept]) for name, look in seen.items() if name in want}
    return replace(attempt, **drawn)  # type: ignore[arg-type]
