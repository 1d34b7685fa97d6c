"""Branches: what happens after each of many lists of interventions, as one call of the engine.

Every world starts from a moment and is changed first; bodies that are added or moved may not overlap others by more
than `OVERLAP_TOLERANCE`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble import engine
from tumble.engine.host.states import States, blank_states, carried_over, put_states
from tumble.engine.host.worlds import unchanged
from tumble.engine.rules.changes import OP_FLOATS, OP_INTS, with_interventions
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.attempt import SimulationError, goal_rule
from tumble.phyre.simulation.interventions import Draft, Intervention, InterventionError
from tumble.phyre.simulation.moment import Moment, all_bodies, moment_from
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Body, Circle, Scene, Shape

OVERLAP_TOLERANCE = 0.1
"""Pixels by which two bodies may overlap and still count as touching; resting bodies overlap by about 0.03."""


def overlaps(bodies: tuple[Body, ...], poses: np.ndarray, body: int) -> np.ndarray:
    """float [worlds, bodies]: pixels by which a body overlaps each other one, 0 where it doesn't.

    `poses` is [worlds, bodies, (x, y, angle)], NaN for absent bodies; the worlds have the same bodies.
    """
    depth = np.zeros((len(poses), len(bodies)))
    low, high = _boxes(bodies, poses)
    for other in range(len(bodies)):
        if other == body or not bodies[other].mask & bodies[body].layer or not bodies[body].mask & bodies[other].layer:
            continue
        near = ((low[:, body] <= high[:, other]) & (low[:, other] <= high[:, body])).all(axis=1)
        rows = np.flatnonzero(near)
        if len(rows):
            own, theirs = poses[rows, body].astype(float), poses[rows, other].astype(float)
            for a in bodies[body].shapes:
                for b in bodies[other].shapes:
                    depth[rows, other] = np.maximum(depth[rows, other], -_separation(a, own, b, theirs))
    return depth


def distance_to_point(body: Body, pose: np.ndarray, point: tuple[float, float]) -> float:
    """Pixels from a body at a pose [3] to a point, negative inside."""
    spot = np.array([[*point, 0.0]])
    return float(min(_separation(shape, pose[None].astype(float), Circle(1e-9), spot)[0] for shape in body.shapes))


def _boxes(bodies: tuple[Body, ...], poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float [worlds, bodies, 2] twice: low and high corners of squares around the bodies, NaN for absent ones."""
    reach = np.array([max(_reach(shape) for shape in body.shapes) for body in bodies])[:, None]
    return poses[..., :2] - reach, poses[..., :2] + reach


def _reach(shape: Shape) -> float:
    """The greatest distance of a shape's points from its body's origin."""
    if isinstance(shape, Circle):
        return float(np.hypot(*shape.centre)) + shape.radius
    return float(np.hypot(*np.array(shape.vertices).T).max())


def _separation(a: Shape, pose_a: np.ndarray, b: Shape, pose_b: np.ndarray) -> np.ndarray:
    """float [worlds]: the signed distance between two shapes at poses [worlds, 3], below 0 where they overlap."""
    if isinstance(a, Circle):
        centre = _points(a, pose_a)[:, 0]
        if isinstance(b, Circle):
            return np.asarray(np.hypot(*(centre - _points(b, pose_b)[:, 0]).T) - a.radius - b.radius)
        return _from_polygon(_points(b, pose_b), centre) - a.radius
    if isinstance(b, Circle):
        return _from_polygon(_points(a, pose_a), _points(b, pose_b)[:, 0]) - b.radius
    points_a, points_b = _points(a, pose_a), _points(b, pose_b)
    axes = np.stack([*_gaps(points_a, points_b), *_gaps(points_b, points_a)])
    return np.asarray(axes.max(axis=0))


def _points(shape: Shape, poses: np.ndarray) -> np.ndarray:
    """float [worlds, points, 2]: the vertices of a polygon or the centre of a circle."""
    local = np.array([shape.centre] if isinstance(shape, Circle) else shape.vertices)
    cosine, sine = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    x, y = local.T
    return np.stack([poses[:, :1] + x * cosine - y * sine, poses[:, 1:2] + x * sine + y * cosine], axis=2)


def _normals(polygon: np.ndarray) -> np.ndarray:
    """float [worlds, edges, 2]: outward normals of polygons given anticlockwise."""
    edges = np.roll(polygon, -1, axis=1) - polygon
    normals = np.stack([edges[..., 1], -edges[..., 0]], axis=2)
    return np.asarray(normals / np.hypot(normals[..., :1], normals[..., 1:]))


def _gaps(polygon: np.ndarray, other: np.ndarray) -> Iterator[np.ndarray]:
    """For each edge of a polygon, float [worlds]: how far the other polygon's points all lie beyond it."""
    normals = _normals(polygon)
    for k in range(polygon.shape[1]):
        yield ((other - polygon[:, k : k + 1]) * normals[:, k : k + 1]).sum(axis=2).min(axis=1)


def _from_polygon(polygon: np.ndarray, point: np.ndarray) -> np.ndarray:
    """float [worlds]: the signed distance of points [worlds, 2] from polygons."""
    offset = point[:, None] - polygon
    inside = (offset * _normals(polygon)).sum(axis=2).max(axis=1)
    edges = np.roll(polygon, -1, axis=1) - polygon
    along = np.clip((offset * edges).sum(axis=2) / (edges**2).sum(axis=2), 0.0, 1.0)
    distance = np.sqrt(((offset - along[..., None] * edges) ** 2).sum(axis=2)).min(axis=1)
    return np.asarray(np.where(inside < 0.0, inside, distance))


Plan = Sequence[Intervention]
_ZEROS = (0.0,) * OP_FLOATS
Layout = tuple[tuple[int, bool, int], ...]
"""Bodies whose rows in a state differ from those of the moment: index, whether it is dynamic, number of shapes."""


@dataclass(frozen=True)
class Planned:
    """Rollouts of a task after interventions."""

    scenes: tuple[Scene, ...]
    scene_of: np.ndarray
    """int [worlds]: the index of each world's scene, as it is after the interventions."""
    rollouts: engine.Rollouts


def first_states(task: Task, scene: Scene, options: engine.Options) -> engine.Rollouts:
    """The start of a scene of a task, as a rollout of no steps."""
    worlds = engine.each([scene])
    return engine.rollout(worlds, _rule(task, [[]]), options, keep_states=True)


def roll_out(
    task: Task,
    moments: Sequence[Moment],
    moment_of: np.ndarray,
    plans: Sequence[Plan],
    options: engine.Options,
    keep_states: bool = False,
) -> Planned:
    """Rolls out world k from moment `moment_of[k]` after the interventions of plan k, all worlds in one call."""
    drafts = [_drafted(task, moments[moment], plan, k, len(plans)) for k, (moment, plan) in _each(moment_of, plans)]
    scenes, scene_of = _scenes(moments, moment_of, drafts)
    _check_places(drafts, scenes, scene_of)
    start, start_of = _start(moments, moment_of, drafts, scenes, scene_of)
    worlds = engine.Worlds(scenes, scene_of, unchanged(len(drafts)))
    rule = _rule(task, [draft.operations for draft in drafts])
    rollouts = engine.rollout(worlds, rule, options, start=start, start_of=start_of, keep_states=keep_states)
    return Planned(scenes, scene_of, rollouts)


def _each(moment_of: np.ndarray, plans: Sequence[Plan]) -> "enumerate[tuple[int, Plan]]":
    return enumerate(zip(moment_of.tolist(), plans, strict=True))


def _drafted(task: Task, moment: Moment, plan: Plan, number: int, count: int) -> Draft:
    draft = Draft(task, moment)
    for k, intervention in enumerate(plan):
        if not isinstance(intervention, Intervention):
            raise InterventionError(f"{_where(number, count)}{intervention!r} is no intervention, such as Push(…)")
        try:
            intervention.apply(draft)
        except TumbleError as error:
            place = f"intervention {k}, " if len(plan) > 1 else ""
            raise InterventionError(f"{_where(number, count)}{place}{type(intervention).__name__}: {error}") from None
    return draft


def _where(number: int, count: int) -> str:
    return f"branch {number}, " if count > 1 else ""


def _scenes(
    moments: Sequence[Moment], moment_of: np.ndarray, drafts: Sequence[Draft]
) -> tuple[tuple[Scene, ...], np.ndarray]:
    """The different scenes of drafts, and int32 [drafts]: which of them each has."""
    index_of: dict[object, int] = {}
    scenes: list[Scene] = []
    scene_of = np.zeros(len(drafts), np.int32)
    for k, draft in enumerate(drafts):
        key = (id(draft.base.scene), tuple(sorted(draft.edited.items(), key=_first)) if draft.edited else ())
        if key not in index_of:
            index_of[key] = len(scenes)
            scenes.append(draft.scene())
        scene_of[k] = index_of[key]
    return tuple(scenes), scene_of


def _first(item: tuple[int, object]) -> int:
    return item[0]


def _check_places(drafts: Sequence[Draft], scenes: Sequence[Scene], scene_of: np.ndarray) -> None:
    """Raises an InterventionError for the first draft whose bodies overlap though they may not."""
    groups: dict[tuple[int, int], list[int]] = {}
    for k, draft in enumerate(drafts):
        for body, may_overlap in draft.placed.items():
            if not may_overlap:
                groups.setdefault((int(scene_of[k]), body), []).append(k)
        for body, x, y in draft.points:
            if distance_to_point(draft.body(body), draft.poses[body], (x, y)) > OVERLAP_TOLERANCE:
                raise InterventionError(
                    f"{_where(k, len(drafts))}Push: the point ({x:g}, {y:g}) is not on {draft.name(body)}"
                )
    for (scene, body), members in groups.items():
        poses = np.stack([drafts[k].poses for k in members])
        depth = overlaps(scenes[scene].bodies, poses, body)
        for row, k in enumerate(members):
            depth[row, [other for other, may_overlap in drafts[k].placed.items() if may_overlap]] = 0.0
        wrong = np.argwhere(depth > OVERLAP_TOLERANCE)
        if len(wrong):
            row, other = wrong[0]
            draft = drafts[members[row]]
            raise InterventionError(
                f"{_where(members[row], len(drafts))}{draft.name(body)} overlaps {draft.name(int(other))} "
                f"by {depth[row, other]:.1f} pixels; overlap=True allows that"
            )


def _start(
    moments: Sequence[Moment],
    moment_of: np.ndarray,
    drafts: Sequence[Draft],
    scenes: Sequence[Scene],
    scene_of: np.ndarray,
) -> tuple[States, np.ndarray]:
    """The states to start from, and int [drafts]: which of them each draft does; equal ones are stored once."""
    saved = [states for states in (moments[k].states for k in np.unique(moment_of)) if states is not None]
    bodies = max(*(len(scene.bodies) for scene in scenes), *(states.bodies for states in saved))
    shapes = max(*(_shape_count(scene) for scene in scenes), *(states.shapes for states in saved))
    index_of: dict[tuple[int, Layout], int] = {}
    found: list[States] = []
    start_of = np.zeros(len(drafts), np.int64)
    for k, draft in enumerate(drafts):
        key = (int(moment_of[k]), _layout(draft))
        if key not in index_of:
            index_of[key] = len(found)
            moment = moments[key[0]]
            assert moment.states is not None
            fits = (moment.states.bodies, moment.states.shapes) == (bodies, shapes) and not key[1]
            scene = scenes[scene_of[k]]
            found.append(moment.states if fits else carried_over(moment.states, moment.scene, scene, bodies, shapes))
        start_of[k] = index_of[key]
    return _stacked(found, bodies, shapes), start_of


def _shape_count(scene: Scene) -> int:
    return sum(len(body.shapes) for body in scene.bodies)


def _layout(draft: Draft) -> Layout:
    if not draft.edited:
        return ()
    old = draft.base.scene.bodies
    return tuple(
        (k, body.dynamic, len(body.shapes))
        for k, body in sorted(draft.edited.items(), key=_first)
        if k >= len(old) or old[k].dynamic != body.dynamic
    )


def _stacked(found: Sequence[States], bodies: int, shapes: int) -> States:
    """States one after the other."""
    if len(found) == 1:
        return found[0]
    result = blank_states(len(found), bodies, shapes, 0, found[0].output_ints.shape[1])
    for k, states in enumerate(found):
        result = put_states(result, np.array([k]), states)
    return result


def _rule(task: Task, operations: Sequence[Sequence[tuple[int, int, tuple[float, ...]]]]) -> engine.Rule:
    """The rule that applies operations to each world and then decides whether it is solved."""
    count = len(operations)
    width = max((len(own) for own in operations), default=0)
    rows = [(k, j, *operation) for k, own in enumerate(operations) for j, operation in enumerate(own)]
    ints = np.zeros((count, width, OP_INTS), np.int32)
    floats = np.zeros((count, width, OP_FLOATS), np.float32)
    if rows:
        worlds, places, codes, bodies, values = zip(*rows, strict=True)
        ints[worlds, places] = np.stack([codes, bodies], axis=1)
        floats[worlds, places] = np.array([(*own, *_ZEROS[len(own) :]) for own in values])
    return with_interventions(goal_rule([task], np.zeros(count, int)), ints, floats)


@dataclass(frozen=True)
class Branches:
    """The outcomes of branches, one row for each."""

    status: np.ndarray
    """int8 [branches]: 1 solved, -1 not solved."""
    steps: np.ndarray
    """int32 [branches]: steps from the start of the attempt until the goal had held for 3 s, or until the end."""
    scenes: tuple[Scene, ...]
    scene_of: np.ndarray
    """int [branches]: the index of each branch's scene, with the bodies that it added."""
    frames: np.ndarray
    """int [frames]: steps after the moment at which poses were recorded; empty without a stride."""
    trajectories: np.ndarray
    """float32 [branches, frames, bodies, (x, y, angle)] in pixels and radians, NaN after a branch's end."""
    events: np.ndarray
    """engine.EVENT [n]: contacts that begin or end, if asked for; `world` is the branch."""
    states: engine.States | None = field(default=None, repr=False)
    """The ends of the branches, if asked for."""

    def __len__(self) -> int:
        return len(self.status)

    @property
    def solved(self) -> np.ndarray:
        """bool [branches]."""
        return np.asarray(self.status == SOLVED)

    @property
    def poses(self) -> np.ndarray:
        """float32 [branches, bodies, (x, y, angle)]: poses at the end; needs final=True."""
        return self._at_end(0)

    @property
    def velocities(self) -> np.ndarray:
        """float32 [branches, bodies, (x, y, angular)]: velocities at the end; needs final=True."""
        return self._at_end(1)

    def moment(self, branch: int) -> Moment:
        """The end of a branch; needs final=True."""
        if not -len(self) <= branch < len(self):
            raise SimulationError(f"there is no branch {branch}: there are {len(self)}")
        row = np.array([branch % len(self)])
        scene = self.scenes[self.scene_of[row[0]]]
        return moment_from(scene, self._saved().take(row), int(self.status[branch]))

    def _at_end(self, part: int) -> np.ndarray:
        states = self._saved()
        result = np.full((len(self), max(len(scene.bodies) for scene in self.scenes), 3), np.nan, np.float32)
        for k, scene in enumerate(self.scenes):
            rows = np.flatnonzero(self.scene_of == k)
            result[rows, : len(scene.bodies)] = all_bodies(scene, states.take(rows))[part]
        return result

    def _saved(self) -> engine.States:
        if self.states is None:
            raise SimulationError("the ends of these branches were not kept: call branch(…, final=True)")
        return self.states


def branches_from(planned: Planned) -> Branches:
    """The outcomes of rollouts after interventions."""
    rollouts = planned.rollouts
    return Branches(
        status=statuses_of(rollouts),
        steps=rollouts.steps,
        scenes=planned.scenes,
        scene_of=planned.scene_of,
        frames=rollouts.frames,
        trajectories=rollouts.poses,
        events=rollouts.events,
        states=rollouts.states,
    )


def statuses_of(rollouts: engine.Rollouts) -> np.ndarray:
    """int8 [worlds]: 1 solved, -1 not solved."""
    return np.where(rollouts.verdicts == 1, SOLVED, NOT_SOLVED).astype(np.int8)
