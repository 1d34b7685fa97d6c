"""The published PHYRE tasks as scenes of the engine: what the benchmark programs measure on.

The data lies beside the checkout (../shared, or where TUMBLE_SHARED points); it is not part of the project.
"""

import json
import lzma
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tumble.engine import Rule, Worlds, touching, variants
from tumble.engine.worlds import ADD, NEVER
from tumble.scene import Body, Circle, Polygon, Scene

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TUMBLE_SHARED", ROOT.parent / "shared"))
UNITS = 6.0
HOLD = 180
MATERIAL = {"density": 0.25, "friction": 0.5, "restitution": 0.2, "angular_damping": 0.01}
BALLS = tuple(Body(shapes=(Circle(float(r)),), dynamic=True, role="placed", **MATERIAL) for r in range(1, 33))

Task = dict[str, Any]
Case = tuple[str, Sequence[float]]


def load(name: str) -> Any:
    """A file of the published data."""
    path = SHARED / "phyre" / name
    if not path.exists():
        raise SystemExit(f"{path} is missing: set TUMBLE_SHARED to the folder that holds phyre/{name}")
    with lzma.open(path, "rt") as stream:
        return json.load(stream)


def scene_of(task: Task) -> Scene:
    """The bodies of a task, in its order."""
    return Scene(
        tuple(
            Body(
                shapes=tuple(_shape(shape) for shape in body["shapes"]),
                position=(body["x"], body["y"]),
                angle=body["angle"],
                dynamic=body["dynamic"],
                **MATERIAL,
            )
            for body in task["bodies"]
        ),
        units_per_metre=UNITS,
    )


def _shape(shape: dict[str, Any]) -> Circle | Polygon:
    if "radius" in shape:
        return Circle(shape["radius"])
    return Polygon(tuple((x, y) for x, y in shape["vertices"]))


def goal_of(tasks: Sequence[Task]) -> Rule:
    """The rule that decides tasks: two bodies touch for 3 s; two balls already when 0.1 px apart."""
    reach = []
    for task in tasks:
        a, b = (task["bodies"][task["goal"][key]]["shapes"] for key in ("body", "other"))
        both_balls = len(a) == len(b) == 1 and "radius" in a[0] and "radius" in b[0]
        reach.append(np.float32(a[0]["radius"] + b[0]["radius"] + 0.1) / np.float32(UNITS) if both_balls else 0.0)
    return touching(
        [task["goal"]["body"] for task in tasks],
        [task["goal"]["other"] for task in tasks],
        HOLD,
        np.array(reach),
    )


def placed_balls(actions: np.ndarray) -> np.ndarray:
    """Whole x, y and radius of the balls [n, balls, 3] that actions in the unit cube place."""
    raw = actions.reshape(len(actions), -1, 3) * (255.0, 255.0, 30.0) + (0.0, 0.0, 2.0)
    return np.concatenate([np.trunc(raw[..., :2]), np.rint(raw[..., 2:])], axis=2)


class Published:
    """The published tasks, with their scenes built once."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = load("official_tasks.json.xz")
        self._scenes: dict[str, Scene] = {}

    def scene(self, task_id: str) -> Scene:
        if task_id not in self._scenes:
            self._scenes[task_id] = scene_of(self.tasks[task_id])
        return self._scenes[task_id]

    def worlds(self, cases: Sequence[Case]) -> tuple[Worlds, Rule]:
        """The worlds of (task, action) pairs, and the rule that decides them."""
        ids = sorted({task_id for task_id, _ in cases})
        index = {task_id: k for k, task_id in enumerate(ids)}
        width = max(len(action) for _, action in cases) // 3
        padded = np.zeros((len(cases), width * 3))
        used = np.zeros((len(cases), width), bool)
        for k, (_, action) in enumerate(cases):
            padded[k, : len(action)] = action
            used[k, : len(action) // 3] = True
        balls = placed_balls(padded)
        worlds = variants(
            [self.scene(task_id) for task_id in ids],
            scene_of=[index[task_id] for task_id, _ in cases],
            kinds=BALLS,
            target=np.where(used, ADD, NEVER),
            kind=np.where(used, balls[..., 2] - 1, 0),
            poses=np.concatenate([balls[..., :2], np.zeros((len(cases), width, 1))], axis=2),
        )
        return worlds, goal_of([self.tasks[task_id] for task_id, _ in cases])

    def random_valid(self, task_id: str, count: int, rng: np.random.Generator) -> np.ndarray:
        """Random valid actions of a task: balls within the scene that overlap nothing."""
        width = 3 if self.tasks[task_id]["tier"] == "B" else 6
        found = np.zeros((0, width))
        while len(found) < count:
            actions = rng.random((4 * count + 64, width))
            found = np.concatenate([found, actions[self.valid(task_id, actions)]])
        return found[:count]

    def valid(self, task_id: str, actions: np.ndarray) -> np.ndarray:
        """Which actions place their balls within the scene, a pixel apart, and clear of all bodies."""
        raw = actions.reshape(len(actions), -1, 3) * (255.0, 255.0, 30.0) + (0.0, 0.0, 2.0)
        centre, radius = raw[..., :2], raw[..., 2]
        inside = (centre >= radius[..., None]) & (centre <= 256.0 - radius[..., None])
        valid = np.asarray(inside.all(axis=(1, 2)))
        if raw.shape[1] == 2:
            apart = np.hypot(*(centre[:, 0] - centre[:, 1]).T)
            valid &= apart >= radius.sum(axis=1) + 1.0
        balls = placed_balls(actions)
        for body in self.tasks[task_id]["bodies"]:
            for shape in body["shapes"]:
                for k in range(balls.shape[1]):
                    valid &= ~_overlaps(body, shape, balls[:, k])
        return valid


def _overlaps(body: dict[str, Any], shape: dict[str, Any], balls: np.ndarray) -> np.ndarray:
    offset = balls[:, :2] - (body["x"], body["y"])
    if "radius" in shape:
        return np.asarray(np.hypot(*offset.T) + 1e-5 < balls[:, 2] + shape["radius"])
    c, s = np.cos(-body["angle"]), np.sin(-body["angle"])
    local = np.stack([offset[:, 0] * c - offset[:, 1] * s, offset[:, 0] * s + offset[:, 1] * c], axis=1)
    inside = np.ones(len(balls), bool)
    nearest = np.full(len(balls), np.inf)
    corners = np.array(shape["vertices"])
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge, to = b - a, local - a
        inside &= edge[0] * to[:, 1] - edge[1] * to[:, 0] > 0.0
        t = np.clip((to @ edge) / (edge @ edge), 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(*(to - t[:, None] * edge).T))
    return np.asarray(inside | (nearest + 1e-5 < balls[:, 2]))
