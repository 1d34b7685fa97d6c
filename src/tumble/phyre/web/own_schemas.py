"""Tasks that people make, as the browser sends them: the record of a task file, with limits on all of its numbers.

The fields are those of `tasks.files.own_json`, whose reader decides; the limits keep an attempt as short as those at
published tasks are.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tumble.phyre.tasks.relations import CODES
from tumble.scene import MAX_VERTICES

MOST_BODIES = 80
MOST_MOVING = 20
"""Published tasks have up to 65 bodies, of which up to 10 move."""
MOST_SHAPES = 240
MOST_MOVING_SHAPES = 60
MOST_RANDOM = 1_000_000
"""Actions of a search."""
FARTHEST = 1024.0
"""Pixels from the scene's corner."""
ID_PATTERN = r"^[!-~]{1,60}$"

Place = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST, allow_inf_nan=False)]
Point = Annotated[list[Place], Field(min_length=2, max_length=2)]
Size = Annotated[float, Field(ge=0.5, le=512.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Factor = Annotated[float, Field(ge=0.0, le=10.0, allow_inf_nan=False)]
Signed = Annotated[float, Field(ge=-100.0, le=100.0, allow_inf_nan=False)]
BitSet = Annotated[int, Field(ge=0, le=0xFFFF)]


class Strict(BaseModel):
    """A record without unknown fields, whose values have the type that they should have."""

    model_config = ConfigDict(extra="forbid", strict=True)


class CircleRecord(Strict):
    """A circle."""

    type: Literal["circle"]
    radius: Size
    centre: Point = [0.0, 0.0]


class PolygonRecord(Strict):
    """A convex polygon."""

    type: Literal["polygon"]
    vertices: Annotated[list[Point], Field(min_length=3, max_length=MAX_VERTICES)]


ShapeRecord = Annotated[CircleRecord | PolygonRecord, Field(discriminator="type")]


class BodyRecord(Strict):
    """A body; what is not given has the default of `tumble.scene.Body`."""

    shapes: Annotated[list[ShapeRecord], Field(min_length=1, max_length=16)]
    position: Point = [0.0, 0.0]
    angle: Signed = 0.0
    velocity: Point = [0.0, 0.0]
    angular_velocity: Signed = 0.0
    dynamic: bool = False
    name: Annotated[str, Field(max_length=60)] = ""
    role: Annotated[str, Field(max_length=60)] = ""
    density: Annotated[float, Field(ge=0.001, le=100.0, allow_inf_nan=False)] = 1.0
    friction: Factor = 0.5
    restitution: Share = 0.0
    gravity_scale: Annotated[float, Field(ge=-10.0, le=10.0, allow_inf_nan=False)] = 1.0
    linear_damping: Factor = 0.0
    angular_damping: Factor = 0.0
    bullet: bool = False
    layer: BitSet = 1
    mask: BitSet = 0xFFFF


class SceneRecord(Strict):
    """A scene of PHYRE's size."""

    version: Literal[1]
    bodies: Annotated[list[BodyRecord], Field(min_length=2, max_length=MOST_BODIES)]
    width: Annotated[float, Field(ge=256.0, le=256.0)] = 256.0
    height: Annotated[float, Field(ge=256.0, le=256.0)] = 256.0
    units_per_metre: Annotated[float, Field(ge=1.0, le=100.0, allow_inf_nan=False)] = 6.0
    gravity: Annotated[list[Signed], Field(min_length=2, max_length=2)] = [0.0, -9.8]

    @model_validator(mode="after")
    def _check_counts(self) -> "SceneRecord":
        if sum(len(body.shapes) for body in self.bodies) > MOST_SHAPES:
            raise ValueError(f"a task on this page can have {MOST_SHAPES} shapes")
        if sum(body.dynamic for body in self.bodies) > MOST_MOVING:
            raise ValueError(f"a task on this page can have {MOST_MOVING} bodies that move")
        if sum(len(body.shapes) for body in self.bodies if body.dynamic) > MOST_MOVING_SHAPES:
            raise ValueError(f"the moving bodies of a task on this page can have {MOST_MOVING_SHAPES} shapes")
        return self


BodyIndex = Annotated[int, Field(ge=0, lt=MOST_BODIES)]
Relation = Annotated[str, Field(max_length=20)]


class GoalRecord(Strict):
    """The two bodies, by index or name, and their relation."""

    body: BodyIndex | Annotated[str, Field(max_length=60)]
    other: BodyIndex | Annotated[str, Field(max_length=60)]
    relation: Relation | Annotated[list[Relation], Field(min_length=1, max_length=len(CODES))] = "touching"
    area: Annotated[list[Point], Field(max_length=64)] = []


class OwnTask(Strict):
    """A task as its file has it."""

    id: Annotated[str, Field(pattern=ID_PATTERN)]
    tier: Literal["B", "2B"]
    goal: GoalRecord
    scene: SceneRecord

    @property
    def record(self) -> dict[str, Any]:
        """What was sent, which a file would hold."""
        return self.model_dump(exclude_unset=True)


class OwnTaskRequest(Strict):
    """A task that a person makes."""

    own: OwnTask


class SweepRequest(Strict):
    """Random actions at such a task, from a number of the list on."""

    own: OwnTask
    first: Annotated[int, Field(ge=0, lt=MOST_RANDOM)]


class OwnAttemptRequest(Strict):
    """An attempt at such a task."""

    own: OwnTask
    action: Annotated[list[Share], Field(min_length=3, max_length=6)]
