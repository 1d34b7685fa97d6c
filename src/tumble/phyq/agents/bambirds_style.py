"""In the style of Bambirds: many plans, each with a confidence; it shoots the best one that was not tried yet.

The kinds of plans and their confidences are those known of the winner of 2016 and 2019: pigs, bunkers around them,
dominoes, heavy objects above them, structures that collapse, powers of birds, and fallbacks. The code is ours.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.agents.perception import Aim, PerceivedScene, flight_path, perceive
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.runs.participant import Given, OfAttempts

PIG_BONUS = 0.1
SAME_ANGLE = 0.4
"""Shots whose angles differ by less count as the same."""
TALL = 1.5
"""A block is tall if its height is more than this times its width."""
STEEPEST_DOMINO_HEADING = 50.0
MIN_SUPPORTED_SHARE = 0.3
"""The smallest share of a structure that rests on a block worth hitting."""
TAPS = {"yellow": 0.85, "blue": 0.8, "white": 0.9}
PENETRATION_COSTS = {"ice": 1.0, "wood": 1.5, "stone": 3.0}
DROP_CLEARANCE = 0.4
"""The width of the column above a pig that must be free for an egg."""
SPREAD_ANGLES = np.arange(-20.0, 82.0, 1.0)


@dataclass(frozen=True)
class Plan:
    """A shot, the confidence that it helps, the number of pigs that it affects and, for some kinds, its tap."""

    confidence: float
    angle: float
    pigs: int
    idea: str
    tap_ms: float | None = None

    @property
    def rank(self) -> float:
        return self.confidence + PIG_BONUS * self.pigs


@dataclass
class BambirdsStyle(Agent):
    """In later attempts it skips shots that failed in the same situation."""

    def given(self) -> Given:
        attempts: tuple[OfAttempts, ...] = ("status",) if self.uses_past else ()
        return Given(tasks=("shapes and states", "platforms and masses"), attempts=attempts)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        scene = perceive(state)
        plans = plans_for(scene, len(state.birds))
        same = [one for one in past if len(one.shots) > state.shots and _same_shots_before(one, state)]
        tried = [one.shots[state.shots].angle for one in same]
        untried = [plan for plan in plans if all(abs(plan.angle - angle) > SAME_ANGLE for angle in tried)]
        best = (untried or plans)[0]
        if best.tap_ms is not None:
            return Shot(best.angle, tap_ms=best.tap_ms)
        return Shot(best.angle, tap_share=TAPS.get(scene.bird))


def _same_shots_before(one: Attempt, state: AttemptState) -> bool:
    """Whether an earlier attempt started with the shots of the current one."""
    return state.current is None or one.shots[: state.shots] == state.current.shots


@lru_cache(maxsize=512)
def plans_for(scene: PerceivedScene, birds_left: int) -> list[Plan]:
    """All plans, the best first; at least one."""
    kinds = (domino_plans, heavy_plans, collapse_plans, power_plans, fallback_plans)
    plans = [*pig_plans(scene, birds_left), *(plan for kind in kinds for plan in kind(scene))]
    return sorted(plans, key=lambda plan: -plan.rank)


def pig_plans(scene: PerceivedScene, birds_left: int) -> Iterator[Plan]:
    """Plans for direct hits, for breaking through, and for bunkers: obstacles before a hidden pig."""
    for pig in scene.pigs:
        preferred = True
        for aim in scene.aims_at([(pig, (scene.objects[pig].x, scene.objects[pig].y))]):
            if aim.direct:
                yield Plan(1.0 if preferred else 0.9, aim.angle, 1 + aim.pigs, "pig")
                preferred = False
                continue
            if any(scene.objects[k].kind == "platform" for k in aim.obstacles):
                continue
            if all(scene.breaks(scene.objects[k]) for k in aim.obstacles):
                yield Plan(0.8, aim.angle, 1 + aim.pigs, "penetration")
            cost = sum(PENETRATION_COSTS.get(scene.objects[k].material, 1.0) for k in aim.obstacles)
            yield Plan(min(1.0, (0.5 + 0.5 * birds_left) / max(cost, 1.0)) * 0.7, aim.angle, 1, "bunker")


def domino_plans(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans that topple a tall block towards a pig by hitting it high."""
    for k in scene.relations.of_kind("block"):
        box = scene.relations.boxes[k]
        width, height = box.right - box.left, box.top - box.bottom
        pigs = sum(1 for pig in scene.pigs if _falls_on(scene, pig, box.right, height, box.bottom))
        if height <= TALL * width or not pigs:
            continue
        for aim in scene.aims_at([(k, (scene.objects[k].x, box.bottom + share * height)) for share in (0.85, 0.6)]):
            if aim.direct and abs(aim.heading) <= STEEPEST_DOMINO_HEADING:
                yield Plan(0.8, aim.angle, pigs, "domino")


def _falls_on(scene: PerceivedScene, pig: int, right: float, height: float, bottom: float) -> bool:
    box = scene.relations.boxes[pig]
    return right - 0.1 <= box.left <= right + 2.0 * height and box.bottom <= bottom + height


def heavy_plans(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans for round blocks: those above a pig, with their supports, and those that a flat shot rolls to a pig."""
    for ball in scene.relations.round_blocks:
        own = scene.relations.boxes[ball]
        below = [pig for pig in scene.pigs if _is_below(scene, pig, ball)]
        if below:
            extra = PIG_BONUS * (len(below) - 1)
            supports = [k for k in scene.relations.supports(ball) if scene.objects[k].kind == "block"]
            further = [k for own in supports for k in scene.relations.supports(own) if scene.objects[k].kind == "block"]
            for confidence, targets in ((0.65, supports), (0.5, further), (0.4, [ball])):
                for aim in _direct(scene, targets):
                    yield Plan(confidence + extra, aim.angle, len(below), "heavy")
        ahead = [pig for pig in scene.pigs if scene.objects[pig].x > own.right and scene.objects[pig].y <= own.top]
        for aim in _direct(scene, [ball]):
            if not aim.steep and ahead:
                yield Plan(1.0, aim.angle, len(ahead), "roll")


def _is_below(scene: PerceivedScene, pig: int, ball: int) -> bool:
    box, own = scene.relations.boxes[pig], scene.relations.boxes[ball]
    return box.top <= own.bottom + 0.1 and box.right >= own.left - 0.5 and box.left <= own.right + 0.5


def _direct(scene: PerceivedScene, targets: Sequence[int]) -> list[Aim]:
    aims = scene.aims_at([(k, (scene.objects[k].x, scene.objects[k].y)) for k in targets])
    return [aim for aim in aims if aim.direct]


def collapse_plans(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans that hit a block on which much of a structure with pigs rests."""
    for group in scene.relations.buildings:
        box = scene.relations.around(group)
        for k in group:
            carried = scene.relations.carried(k)
            share = len(carried & set(group)) / len(group)
            pigs = sum(1 for pig in scene.pigs if pig in carried or _within(scene, pig, box.left, box.right, box.top))
            if share <= MIN_SUPPORTED_SHARE or not pigs:
                continue
            for aim in _direct(scene, [k]):
                yield Plan(0.4 + 0.4 * share, aim.angle, pigs, "collapse")


def _within(scene: PerceivedScene, pig: int, left: float, right: float, top: float) -> bool:
    box = scene.relations.boxes[pig]
    return box.right >= left and box.left <= right and box.bottom <= top


def power_plans(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans for TNT, and for the powers of blue, black and white birds."""
    for box in scene.relations.of_kind("tnt"):
        pigs = sum(1 for pig in scene.pigs if scene.relations.distance(box, pig) < 2.5)
        for aim in _direct(scene, [box]):
            yield Plan(0.9, aim.angle, pigs, "tnt")
    if scene.bird == "blue":
        ice = [k for k in scene.relations.of_kind("block") if scene.objects[k].material == "ice"]
        for aim in _direct(scene, ice):
            yield Plan(0.6, aim.angle, 0, "defrost")
    if scene.bird == "black":
        yield from _near_pigs(scene, 0.85, 2.0, "blast")
    if scene.bird == "white":
        yield from _drops(scene)


def _near_pigs(scene: PerceivedScene, confidence: float, reach: float, idea: str) -> Iterator[Plan]:
    """Plans that hit visible objects near pigs; the nearer, the better."""
    for k in range(len(scene.objects)):
        away = min((scene.relations.distance(k, pig) for pig in scene.pigs), default=math.inf)
        if scene.objects[k].kind != "pig" and away < reach:
            for aim in _direct(scene, [k]):
                yield Plan(confidence * (1.0 - 0.5 * away / reach), aim.angle, 0, idea)


def _drops(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans that drop an egg onto a pig from straight above."""
    flights = scene.flights(SPREAD_ANGLES)
    for flight, angle in enumerate(SPREAD_ANGLES.tolist()):
        times, points = flight_path(angle, scene.rest)
        met = flights.met(flight)
        end = float(flights.touches[flight, met[0]]) if met else float(flights.landings[flight])
        for pig in scene.pigs:
            obj = scene.objects[pig]
            above = (np.abs(points[:, 0] - obj.x) < 0.1) & (points[:, 1] > obj.y + 0.5)
            over = np.flatnonzero(above & (times < end))
            if len(over) and not _is_covered(scene, pig, float(points[over[0], 1])):
                yield Plan(0.95, angle, 1, "drop", tap_ms=1000.0 * float(times[over[0]]))


def _is_covered(scene: PerceivedScene, pig: int, height: float) -> bool:
    """Whether an object lies between a pig and a point above it."""
    x, top = scene.objects[pig].x, scene.relations.boxes[pig].top
    return any(
        k != pig and box.left - DROP_CLEARANCE / 2 < x < box.right + DROP_CLEARANCE / 2 and top <= box.top <= height
        for k, box in enumerate(scene.relations.boxes)
    )


def fallback_plans(scene: PerceivedScene) -> Iterator[Plan]:
    """Plans that hit any object near a pig, and flights that end nearest to a pig."""
    yield from _near_pigs(scene, 0.3, 4.0, "any object")
    ends = []
    flights = scene.flights(SPREAD_ANGLES)
    for flight, angle in enumerate(SPREAD_ANGLES.tolist()):
        times, points = flight_path(angle, scene.rest)
        met = flights.met(flight)
        end = float(flights.touches[flight, met[0]]) if met else float(flights.landings[flight])
        x, y = points[min(int(np.searchsorted(times, end)), len(points) - 1)]
        away = min(math.hypot(x - scene.objects[pig].x, y - scene.objects[pig].y) for pig in scene.pigs)
        ends.append((away, angle))
    for number, (_, angle) in enumerate(sorted(ends)[:10]):
        yield Plan(0.1 - 0.005 * number, angle, 0, "approximate")
