"""A moment with changes that are not yet applied: an edited scene, and operations for the engine."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tumble.engine.rules import interventions as ops
from tumble.errors import TumbleError
from tumble.phyre.observation.body_names import body_index, body_name
from tumble.phyre.simulation.sessions.moment import Moment
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Scene


class InterventionError(TumbleError):
    """A change that can't be made to a world, and why."""


class Draft:
    """A moment of a task to which interventions are applied one after the other."""

    def __init__(self, task: Task, moment: Moment) -> None:
        self.task, self.base = task, moment
        self.poses = moment.poses
        """float32 [bodies, 3] in pixels, NaN for absent bodies."""
        self.edited: dict[int, Body] = {}
        """Bodies that differ from those of the moment's scene."""
        self.operations: list[tuple[int, int, tuple[float, ...]]] = []
        """Code, body and floats of each operation of the engine."""
        self.placed: dict[int, bool] = {}
        """Bodies that were moved or added, and whether each may overlap others."""
        self.points: list[tuple[int, float, float]] = []
        """Bodies and the points of them that were pushed."""

    def index(self, body: int | str) -> int:
        """The index of a body that is present."""
        index = body_index(self.scene(), body)
        if math.isnan(self.poses[index, 0]):
            raise InterventionError(f"{self.name(index)} is not in the world: it was removed")
        return index

    def dynamic_index(self, body: int | str) -> int:
        """The index of a dynamic body that is present."""
        index = self.index(body)
        if not self.body(index).dynamic:
            raise InterventionError(
                f"{self.name(index)} is static: make it dynamic first, with Change(…, dynamic=True)"
            )
        return index

    def body(self, index: int) -> Body:
        return self.edited[index] if index in self.edited else self.base.scene.bodies[index]

    def name(self, index: int) -> str:
        return body_name(self.scene(), index)

    def scene(self) -> Scene:
        """The scene with the edited bodies."""
        scene = self.base.scene
        if not self.edited:
            return scene
        count = max(len(scene.bodies), *(k + 1 for k in self.edited))
        return replace(scene, bodies=tuple(self.body(k) for k in range(count)))

    def edit(self, index: int, **fields: Any) -> None:
        """Changes fields of a body of the scene."""
        self.edited[index] = replace(self.body(index), **fields)

    def operate(self, code: int, body: int, *floats: float) -> None:
        """Appends an operation of the engine."""
        self.operations.append((code, body, floats))

    def in_metres(self, pixels: float) -> float:
        """A length or speed in metres, in single precision as the engine divides."""
        return float(np.float32(pixels) / np.float32(self.base.scene.units_per_metre))

    def place(self, index: int, x: float, y: float, angle: float, overlap: bool) -> None:
        """Notes where a body now is; where it may not be is found later, for many drafts together."""
        scene = self.base.scene
        if not (0.0 <= x <= scene.width and 0.0 <= y <= scene.height):
            raise InterventionError(
                f"({x:g}, {y:g}) is outside the scene, which is {scene.width:g} by {scene.height:g} pixels"
            )
        poses = np.full((max(len(self.poses), index + 1), 3), np.nan, np.float32)
        poses[: len(self.poses)] = self.poses
        poses[index] = x, y, angle
        self.poses = poses
        self.placed[index] = overlap

    def remove(self, index: int) -> None:
        """Takes a body out of the world."""
        if index in (self.task.body, self.task.other):
            raise InterventionError(f"{self.name(index)} can't be removed: the goal names it")
        self.poses = self.poses.copy()
        self.poses[index] = np.nan
        self.placed.pop(index, None)
        if not self.body(index).dynamic:
            self.edit(index, dormant=True)
        self.operate(ops.REMOVE, index)

    def append(self, body: Body, overlap: bool) -> None:
        """Adds a body after the last one."""
        index = max(len(self.base.scene.bodies), *(k + 1 for k in self.edited), 0)
        x, y = body.position
        if body.dynamic:
            # the pose of a dynamic body is part of the state: equal bodies at different places share a scene
            self.edited[index] = replace(
                body, position=(0.0, 0.0), angle=0.0, velocity=(0.0, 0.0), angular_velocity=0.0, dormant=True
            )
        else:
            self.edited[index] = replace(body, dormant=False)
        self.place(index, x, y, body.angle, overlap)
        vx, vy = body.velocity
        self.put(index, (vx, vy, body.angular_velocity))

    def freeze(self, index: int) -> None:
        """Makes a dynamic body static where it is."""
        x, y, angle = map(float, self.poses[index])
        self.edit(
            index, dynamic=False, dormant=False, position=(x, y), angle=angle, velocity=(0.0, 0.0), angular_velocity=0.0
        )
        self.put(index, (0.0, 0.0, 0.0))

    def put(self, index: int, velocity: tuple[float, float, float]) -> None:
        """Has the engine place a body where it now is, as its definition says."""
        x, y, angle = map(float, self.poses[index])
        vx, vy, angular = velocity
        metres = self.in_metres
        self.operate(ops.PLACE, index, metres(x), metres(y), angle, metres(vx), metres(vy), angular)
