"""Many worlds that start from moments and are changed first: lists of interventions as one call of the engine."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble import engine
from tumble.engine.host.carry_over import carried_over
from tumble.engine.host.states import States, blank_states, put_states
from tumble.engine.host.worlds import unchanged
from tumble.engine.rules.interventions import OP_FLOATS, OP_INTS, with_interventions
from tumble.errors import TumbleError
from tumble.phyre.simulation.goal_rule import goal_rule
from tumble.phyre.simulation.sessions.clearance import TOLERANCE, distance_to_point, overlaps
from tumble.phyre.simulation.sessions.draft import Draft, InterventionError
from tumble.phyre.simulation.sessions.interventions import Intervention
from tumble.phyre.simulation.sessions.moment import Moment
from tumble.phyre.tasks.task import Task
from tumble.scene import Scene

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
            if distance_to_point(draft.body(body), draft.poses[body], (x, y)) > TOLERANCE:
                raise InterventionError(
                    f"{_where(k, len(drafts))}Push: the point ({x:g}, {y:g}) is not on {draft.name(body)}"
                )
    for (scene, body), members in groups.items():
        poses = np.stack([drafts[k].poses for k in members])
        depth = overlaps(scenes[scene].bodies, poses, body)
        for row, k in enumerate(members):
            depth[row, [other for other, may_overlap in drafts[k].placed.items() if may_overlap]] = 0.0
        wrong = np.argwhere(depth > TOLERANCE)
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
