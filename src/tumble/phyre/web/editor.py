"""The editor and the tasks that people make with it: routes, checks, random actions, limits.

The server keeps nothing: every request brings the whole task, as the record of a task file with limits on all of
its numbers; the reader of task files decides, and the limits keep an attempt as short as those at published tasks
are. `check_task` tells what is wrong with a task, and what happens in it without an action. Random actions are one
long list, always the same: a request is answered with what happens to as many of them as fit into a fraction of a
second, and the page asks for the next.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from tumble.errors import TumbleError
from tumble.phyre.catalogue import task_json
from tumble.phyre.catalogue.task import HOLD_STEPS, MATERIAL, RELATION_CODES, UNITS_PER_METRE, Task, goal_words
from tumble.phyre.catalogue.template import STICKS_ANGLE, THICKNESS, WALLS
from tumble.phyre.generation.task_analysis import TRIVIAL_SHARE, Counts, count_statuses
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.view import boxes, objects
from tumble.phyre.observation.words import body_name
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import STABLY_SOLVED, UNSTABLY_SOLVED
from tumble.phyre.web.attempts import own_attempt
from tumble.phyre.web.task_data import known_task, scene_data
from tumble.scene import MAX_VERTICES, Scene, initial_poses, to_json
from tumble.web.pages import PageServices
from tumble.web.play import ERROR_LEVEL, WARNING_LEVEL, Finding, timed_batches
from tumble.web.responses import StaticFiles, json_file, json_response

MOST_NAMED = 12
"""Overlaps that are listed."""
LEAST_MOVED = 0.5
"""Pixels or, at a ball's rim of 30 pixels, the angle of that, by which a body moves that does not stay at rest."""
LEAST_TURNED = LEAST_MOVED / 30.0


def check_task(task: Task) -> dict[str, Any]:
    """All findings, and what happens without an action: JSON values."""
    attempt = Simulator([task], threads=1).rollout(task, want=("trajectories",))
    assert attempt.trajectories is not None
    findings = [*_goal_findings(task), *_outside_view(task.scene), *_overlaps(task.scene)]
    if attempt.solved:
        at_start = attempt.steps <= task.hold_steps + 1
        seconds = attempt.steps / STEPS_PER_SECOND
        text = "the goal is met from the start" if at_start else f"it solves itself after {seconds:.1f} s"
        findings.append(Finding(ERROR_LEVEL, f"trivial without an action: {text}", (task.body, task.other)))
    return {
        "findings": [asdict(one) for one in findings],
        "solved_without_action": attempt.solved,
        "steps": attempt.steps,
        "moving": _moving(attempt.trajectories),
    }


def _goal_findings(task: Task) -> Iterator[Finding]:
    bodies = task.scene.bodies
    pair = (task.body, task.other)
    if not any(bodies[index].dynamic for index in pair):
        yield Finding(ERROR_LEVEL, "neither body of the goal can move", pair)
    elif not bodies[task.body].dynamic:
        yield Finding(WARNING_LEVEL, "A can't move; in PHYRE's own tasks A always moves", pair[:1])


def _outside_view(scene: Scene) -> Iterator[Finding]:
    """Moving bodies that are not wholly within the view."""
    for index, (left, bottom, right, top) in zip(objects(scene), boxes(scene), strict=True):
        if not scene.bodies[index].dynamic:
            continue
        name = body_name(scene, int(index))
        if right <= 0.0 or top <= 0.0 or left >= scene.width or bottom >= scene.height:
            yield Finding(ERROR_LEVEL, f"{name} is outside the scene", (int(index),))
        elif left < 0.0 or bottom < 0.0 or right > scene.width or top > scene.height:
            yield Finding(WARNING_LEVEL, f"{name} leaves the scene", (int(index),))


def _overlaps(scene: Scene) -> Iterator[Finding]:
    """Moving bodies that overlap another body at the start: they are pushed apart."""
    pairs = [pair for pair in _near_pairs(scene) if any(scene.bodies[index].dynamic for index in pair)]
    if not pairs:
        return
    used = sorted({first for first, _ in pairs})
    alone = Obstacles([replace(scene, bodies=(scene.bodies[index],)) for index in used])
    rows = np.array([used.index(first) for first, _ in pairs])
    clear = alone.clear_bodies(rows, [[scene.bodies[second]] for _, second in pairs])
    found = [pair for pair, free in zip(pairs, clear, strict=True) if not free]
    for first, second in found[:MOST_NAMED]:
        names = f"{body_name(scene, first)} and {body_name(scene, second)}"
        yield Finding(WARNING_LEVEL, f"{names} overlap: they are pushed apart at the start", (first, second))
    if len(found) > MOST_NAMED:
        yield Finding(WARNING_LEVEL, f"{len(found) - MOST_NAMED} more overlaps")


def _near_pairs(scene: Scene) -> list[tuple[int, int]]:
    """Pairs of bodies whose bounding boxes meet; static bodies outside the view, such as walls, count too."""
    table = _all_boxes(scene)
    near = (table[:, None, :2] < table[None, :, 2:]).all(axis=2)
    rows, columns = np.nonzero(np.triu(near & near.T, k=1))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _all_boxes(scene: Scene) -> np.ndarray:
    """float [bodies, 4]: left, bottom, right and top of all bodies, walls included."""
    movable = replace(scene, bodies=tuple(replace(body, dynamic=True, density=1.0) for body in scene.bodies))
    return boxes(movable, initial_poses(movable))


def _moving(trajectories: np.ndarray) -> Sequence[int]:
    """Bodies that do not stay where they are without an action."""
    way = np.abs(trajectories - trajectories[0]).max(axis=0)
    result: list[int] = np.flatnonzero((way[:, :2].max(axis=1) > LEAST_MOVED) | (way[:, 2] > LEAST_TURNED)).tolist()
    return result


ACTIONS_PER_BLOCK = 256
"""Actions of the list that are drawn with one seed."""
SWEEP_SECONDS = 0.25
"""After which a request is answered."""
MOST_ACTIONS = 512
"""In an answer, so that there is progress to see."""


def sweep_task(task: Task, first: int) -> dict[str, Any]:
    """Counts of the outcomes of actions from number `first` on, the next number, and what solved: JSON values.

    `solution` is the first action that solves, stably if one does.
    """
    simulator = Simulator([task], threads=1)
    counts, number = Counts(), first
    solutions: dict[int, list[float]] = {}
    for done, size in timed_batches(SWEEP_SECONDS, MOST_ACTIONS):
        actions = np.stack([_listed_action(task.tier, first + done + k) for k in range(size)])
        statuses = simulator.pairs([task.id] * len(actions), actions, stable=True, progress=lambda _: None)
        counts += count_statuses(statuses)
        for code in (STABLY_SOLVED, UNSTABLY_SOLVED):
            rows = np.flatnonzero(statuses == code)
            if len(rows):
                solutions.setdefault(code, actions[rows[0]].tolist())
        number = first + done + size
    return {
        "counts": asdict(counts),
        "next": number,
        "solution": solutions.get(STABLY_SOLVED, solutions.get(UNSTABLY_SOLVED)),
        "stable": STABLY_SOLVED in solutions,
        "trivial_share": TRIVIAL_SHARE,
    }


def _listed_action(tier: str, number: int) -> np.ndarray:
    """An action of the list."""
    block, row = divmod(number, ACTIONS_PER_BLOCK)
    return np.asarray(_action_block(tier, block)[row])


@lru_cache(maxsize=64)
def _action_block(tier: str, number: int) -> np.ndarray:
    return fixed_set(tier, ACTIONS_PER_BLOCK, number)


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
    relation: Relation | Annotated[list[Relation], Field(min_length=1, max_length=len(RELATION_CODES))] = "touching"
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


def read_task(record: dict[str, Any]) -> Task:
    """The task of a record, which a file with it would hold too; a TaskError in words where it is invalid."""
    (task,) = task_json.read_own([record]).values()
    return task


def known_task_record(task_id: str) -> dict[str, Any]:
    """The record of a task of Tumble's, from which a file with it can be made; read again, it is the same task."""
    (record,) = json.loads(task_json.write_own([known_task(task_id)]))
    return {"task": record}


def own_task_data(record: dict[str, Any]) -> dict[str, Any]:
    """A task that a person made, for the page on which it is played."""
    return {**scene_data(read_task(record)), "template": "own task", "idea": "", "solution": False}


def editor_data() -> dict[str, Any]:
    """What the editor needs to make tasks like PHYRE's: walls, material, measures of shapes, relations in words."""
    walls = json.loads(to_json(Scene(WALLS)))["bodies"]
    seconds = HOLD_STEPS / STEPS_PER_SECOND
    return {
        "units_per_metre": UNITS_PER_METRE,
        "walls": walls,
        "material": MATERIAL,
        "thickness": THICKNESS,
        "sticks_angle": STICKS_ANGLE,
        "relations": {name: goal_words([name], "{A}", "{B}", seconds) for name in RELATION_CODES},
        "most_bodies": MOST_BODIES,
        "most_moving": MOST_MOVING,
    }


Answer = Callable[[Any], dict[str, Any]]


def add_editor(router: APIRouter, services: PageServices, static: StaticFiles) -> None:
    """Adds the pages `edit` and `own`, and what they ask for."""
    constants = json_file(editor_data())

    @router.get("/edit")
    async def edit(request: Request) -> Response:
        return static.response("edit.html", request.headers)

    @router.get("/own")
    async def own(request: Request) -> Response:
        return static.response("play.html", request.headers)

    @router.get("/api/editor")
    async def editor(request: Request) -> Response:
        return constants.response(request.headers)

    @router.post("/api/own/task")
    async def task(asked: OwnTaskRequest) -> Response:
        return json_response(await services.physics.submit(_tasks, asked))

    @router.post("/api/own/check")
    async def check(asked: OwnTaskRequest) -> Response:
        return json_response(await services.physics.submit(_checks, asked))

    @router.post("/api/own/sweep")
    async def random_actions(asked: SweepRequest) -> Response:
        return json_response(await services.physics.submit(_sweeps, asked, slow=True))

    @router.post("/api/own/attempts")
    async def attempt(asked: OwnAttemptRequest) -> Response:
        return json_response(await services.physics.submit(_attempts, asked))


def _answers(answer: Answer, requests: Sequence[Any]) -> list[Any]:
    """An answer, or the error, for each request."""
    found: list[Any] = []
    for request in requests:
        try:
            found.append(answer(request))
        except TumbleError as error:
            found.append(error)
    return found


def _tasks(requests: Sequence[OwnTaskRequest]) -> list[Any]:
    return _answers(lambda asked: own_task_data(asked.own.record), requests)


def _checks(requests: Sequence[OwnTaskRequest]) -> list[Any]:
    return _answers(lambda asked: check_task(read_task(asked.own.record)), requests)


def _sweeps(requests: Sequence[SweepRequest]) -> list[Any]:
    return _answers(lambda asked: sweep_task(read_task(asked.own.record), asked.first), requests)


def _attempts(requests: Sequence[OwnAttemptRequest]) -> list[Any]:
    return _answers(lambda asked: own_attempt(read_task(asked.own.record), tuple(asked.action)), requests)
