"""Interventions: what can be done to a world between two steps, and the draft that they change.

Bodies are given by index, by name, or by colour where only one body has it. Positions are in pixels and velocities
in pixels per second, as in `Moment`; impulses are in kg m/s. A draft has an edited scene, and operations for the
engine.
"""

import json
import math
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from tumble.engine.rules.changes import MOVE, PLACE, PUSH, PUSH_AT, REMOVE, SET_VELOCITY, UPDATE_SURFACE
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import MATERIAL, Task
from tumble.phyre.observation.words import body_index, body_name
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS
from tumble.phyre.simulation.moment import Moment
from tumble.scene import Body, Circle, Scene, from_json, to_json


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
        self.operate(REMOVE, index)

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
        self.operate(PLACE, index, metres(x), metres(y), angle, metres(vx), metres(vy), angular)


Point = tuple[float, float]
BodyRef = int | str


@dataclass(frozen=True)
class Intervention:
    """One change of a world."""

    kinds: ClassVar[dict[str, type["Intervention"]]] = {}

    def __init_subclass__(cls) -> None:
        Intervention.kinds[cls.__name__] = cls

    def apply(self, draft: Draft) -> None:
        """Makes the change in a draft; raises an InterventionError if it can't be made."""
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """The intervention as a JSON object."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {name: _plain(value) for name, value in values.items() if value is not None and value is not False}
        return {"type": type(self).__name__, **given}


@dataclass(frozen=True)
class Push(Intervention):
    """Applies an impulse (x, y) in kg m/s to a dynamic body: at its centre of mass, or at a point `at` of it."""

    body: BodyRef
    impulse: Point
    at: Point | None = None

    def apply(self, draft: Draft) -> None:
        body = draft.dynamic_index(self.body)
        px, py = _finite("impulse", self.impulse, 2)
        if self.at is None:
            draft.operate(PUSH, body, px, py)
            return
        x, y = _finite("at", self.at, 2)
        draft.points.append((body, x, y))
        draft.operate(PUSH_AT, body, px, py, draft.in_metres(x), draft.in_metres(y))


@dataclass(frozen=True)
class SetVelocity(Intervention):
    """Sets the velocity of a dynamic body: x and y in pixels per second, `angular` in radians per second."""

    body: BodyRef
    x: float
    y: float
    angular: float = 0.0

    def apply(self, draft: Draft) -> None:
        body = draft.dynamic_index(self.body)
        x, y, angular = _finite("velocity", (self.x, self.y, self.angular), 3)
        draft.operate(SET_VELOCITY, body, 0.0, 0.0, 0.0, draft.in_metres(x), draft.in_metres(y), angular)


@dataclass(frozen=True)
class Move(Intervention):
    """Moves a body to a new pose; what is not given stays. A dynamic body keeps its velocity and is awake."""

    body: BodyRef
    x: float | None = None
    y: float | None = None
    angle: float | None = None
    overlap: bool = False
    """Allows it to overlap other bodies, which the engine then pushes apart."""

    def apply(self, draft: Draft) -> None:
        body = draft.index(self.body)
        given = (self.x, self.y, self.angle)
        if given == (None, None, None):
            raise InterventionError("Move needs x, y or angle")
        pose = [old if new is None else new for old, new in zip(draft.poses[body].tolist(), given, strict=True)]
        x, y, angle = _finite("pose", pose, 3)
        draft.place(body, x, y, angle, self.overlap)
        if not draft.body(body).dynamic:
            draft.edit(body, position=(x, y), angle=angle)
        draft.operate(MOVE, body, draft.in_metres(x), draft.in_metres(y), angle)


@dataclass(frozen=True)
class Remove(Intervention):
    """Removes a body; what it touched wakes up. Bodies that the goal names can't be removed."""

    body: BodyRef

    def apply(self, draft: Draft) -> None:
        draft.remove(draft.index(self.body))


@dataclass(frozen=True)
class Add(Intervention):
    """Adds a body where its `position`, `angle` and velocities say; it gets the next index."""

    body: Body
    overlap: bool = False
    """Allows it to overlap other bodies, which the engine then pushes apart."""

    @staticmethod
    def ball(x: float, y: float, radius: float, velocity: Point = (0.0, 0.0), overlap: bool = False) -> "Add":
        """A ball as an action places it: of PHYRE's material, with a radius from 2 to 32 pixels."""
        if not MIN_RADIUS <= radius <= MAX_RADIUS:
            raise InterventionError(f"the radius of a ball is {MIN_RADIUS:g} to {MAX_RADIUS:g} pixels, not {radius:g}")
        circle = Circle(float(radius))
        return Add(Body((circle,), (x, y), velocity=velocity, dynamic=True, role="placed", **MATERIAL), overlap)

    def apply(self, draft: Draft) -> None:
        if not isinstance(self.body, Body):
            raise InterventionError(f"Add takes a tumble.scene.Body, not {self.body!r}")
        draft.append(self.body, self.overlap)


@dataclass(frozen=True)
class Change(Intervention):
    """Changes properties of a body. `dynamic=False` freezes it where it is, `dynamic=True` lets it fall."""

    body: BodyRef
    density: float | None = None
    friction: float | None = None
    restitution: float | None = None
    dynamic: bool | None = None

    def apply(self, draft: Draft) -> None:
        index = draft.index(self.body)
        material = {name: getattr(self, name) for name in ("density", "friction", "restitution")}
        given = {name: value for name, value in material.items() if value is not None}
        if not given and self.dynamic is None:
            raise InterventionError("Change needs density, friction, restitution or dynamic")
        if given:
            draft.edit(index, **given)
            draft.operate(UPDATE_SURFACE, index)
        was_dynamic = draft.body(index).dynamic
        if self.dynamic is True and not was_dynamic:
            draft.edit(index, dynamic=True)
            draft.put(index, (0.0, 0.0, 0.0))
        elif self.dynamic is False and was_dynamic:
            draft.freeze(index)

    def record(self) -> dict[str, Any]:
        """As of any intervention; a `dynamic` of False is no default."""
        record = super().record()
        return record if self.dynamic is None else {**record, "dynamic": self.dynamic}


def intervention_from_record(record: Any) -> Intervention:
    """The intervention of a JSON object."""
    values = dict(record) if isinstance(record, dict) else {}
    kind = Intervention.kinds.get(values.pop("type", ""))
    if kind is None:
        raise InterventionError(f"no intervention of type {record!r}; there are {', '.join(Intervention.kinds)}")
    if kind is Add and isinstance(values.get("body"), dict):
        values["body"] = from_json(json.dumps({"version": 1, "bodies": [values["body"]]})).bodies[0]
    for name in ("impulse", "at"):
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    try:
        return kind(**values)
    except TypeError as error:
        raise InterventionError(f"{kind.__name__}: {error}") from None


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Body):
        return json.loads(to_json(Scene((value,))))["bodies"][0]
    if isinstance(value, str | bool):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(map(float, value)) if hasattr(value, "__len__") else value


def _finite(name: str, values: Any, count: int) -> tuple[float, ...]:
    """The values as floats; raises an InterventionError unless they are `count` finite numbers."""
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise InterventionError(f"{name} must be {count} numbers, not {values!r}") from None
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise InterventionError(f"{name} must be {count} finite numbers, not {values!r}")
    return numbers
