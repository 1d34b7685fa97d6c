"""In the style of Bambirds: many small plans, each with a confidence; the best that was not tried yet is shot.

The kinds of plans and their confidences are those that are known of the winner of 2016 and 2019: pigs, bunkers around
them, dominoes, heavy things above them, structures that collapse, powers of birds, and last resorts. The code is ours.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyq.agents.agent import Agent, Now
from tumble.phyq.agents.flights import places
from tumble.phyq.agents.sight import Aim, Sight, sight_of
from tumble.phyq.simulation.attempt import Try
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.task import Task

PIG_BONUS = 0.1
SAME_ANGLE = 0.4
"""Degrees within which a shot counts as tried."""
TALL = 1.5
DOMINO_HEADINGS = 50.0
LEAST_SUPPORT = 0.3
TAPS = {"yellow": 0.85, "blue": 0.8, "white": 0.9}
PENETRATION_COSTS = {"ice": 1.0, "wood": 1.5, "stone": 3.0}
DROP_CLEARANCE = 0.4
"""Units that an egg may fall beside a pig."""
SPREAD_ANGLES = np.arange(-20.0, 82.0, 1.0)


@dataclass(frozen=True)
class Plan:
    """A shot with the confidence that it helps, the pigs that it affects and, for some, its own tap."""

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
    """At a retry it passes over what failed as the same shot before."""

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Shot:
        sight = sight_of(now)
        plans = plans_for(sight, len(now.birds))
        tried = [one.shots[now.shots].angle for one in past if len(one.shots) > now.shots and _same_so_far(one, now)]
        fresh = [plan for plan in plans if all(abs(plan.angle - angle) > SAME_ANGLE for angle in tried)]
        best = (fresh or plans)[0]
        if best.tap_ms is not None:
            return Shot(best.angle, tap_ms=best.tap_ms)
        return Shot(best.angle, tap_share=TAPS.get(sight.bird))


def _same_so_far(one: Try, now: Now) -> bool:
    """Whether an earlier attempt began with the shots of this one."""
    return now.so_far is None or one.shots[: now.shots] == now.so_far.shots


@lru_cache(maxsize=512)
def plans_for(sight: Sight, birds_left: int) -> list[Plan]:
    """All plans, the best first; at least one."""
    kinds = (domino_plans, heavy_plans, collapse_plans, power_plans, last_resorts)
    found = [*pig_plans(sight, birds_left), *(plan for kind in kinds for plan in kind(sight))]
    return sorted(found, key=lambda plan: -plan.rank)


def pig_plans(sight: Sight, birds_left: int) -> Iterator[Plan]:
    """Direct hits, breaking through, and bunkers: the first obstacle before a hidden pig."""
    for pig in sight.pigs:
        preferred = True
        for aim in sight.aims_at([(pig, (sight.things[pig].x, sight.things[pig].y))]):
            if aim.direct:
                yield Plan(1.0 if preferred else 0.9, aim.angle, 1 + aim.pigs, "pig")
                preferred = False
                continue
            if any(sight.things[k].kind == "platform" for k in aim.way):
                continue
            if all(sight.breaks(sight.things[k]) for k in aim.way):
                yield Plan(0.8, aim.angle, 1 + aim.pigs, "penetration")
            cost = sum(PENETRATION_COSTS.get(sight.things[k].material, 1.0) for k in aim.way)
            yield Plan(min(1.0, (0.5 + 0.5 * birds_left) / max(cost, 1.0)) * 0.7, aim.angle, 1, "bunker")


def domino_plans(sight: Sight) -> Iterator[Plan]:
    """Tall blocks that can be toppled towards a pig, hit high."""
    for k in sight.relations.of_kind("block"):
        box = sight.relations.boxes[k]
        width, height = box.right - box.left, box.top - box.bottom
        pigs = sum(1 for pig in sight.pigs if _falls_on(sight, pig, box.right, height, box.bottom))
        if height <= TALL * width or not pigs:
            continue
        for aim in sight.aims_at([(k, (sight.things[k].x, box.bottom + share * height)) for share in (0.85, 0.6)]):
            if aim.direct and abs(aim.heading) <= DOMINO_HEADINGS:
                yield Plan(0.8, aim.angle, pigs, "domino")


def _falls_on(sight: Sight, pig: int, right: float, height: float, bottom: float) -> bool:
    box = sight.relations.boxes[pig]
    return right - 0.1 <= box.left <= right + 2.0 * height and box.bottom <= bottom + height


def heavy_plans(sight: Sight) -> Iterator[Plan]:
    """Balls: those above a pig, with what they lie on; and any that a flat shot hits."""
    for ball in sight.relations.round_blocks:
        own = sight.relations.boxes[ball]
        below = [pig for pig in sight.pigs if _is_below(sight, pig, ball)]
        if below:
            extra = PIG_BONUS * (len(below) - 1)
            supports = [k for k in sight.relations.supports(ball) if sight.things[k].kind == "block"]
            further = [k for own in supports for k in sight.relations.supports(own) if sight.things[k].kind == "block"]
            for confidence, targets in ((0.65, supports), (0.5, further), (0.4, [ball])):
                for aim in _direct(sight, targets):
                    yield Plan(confidence + extra, aim.angle, len(below), "heavy")
        ahead = [pig for pig in sight.pigs if sight.things[pig].x > own.right and sight.things[pig].y <= own.top]
        for aim in _direct(sight, [ball]):
            if not aim.steep and ahead:
                yield Plan(1.0, aim.angle, len(ahead), "roll")


def _is_below(sight: Sight, pig: int, ball: int) -> bool:
    box, own = sight.relations.boxes[pig], sight.relations.boxes[ball]
    return box.top <= own.bottom + 0.1 and box.right >= own.left - 0.5 and box.left <= own.right + 0.5


def _direct(sight: Sight, targets: Sequence[int]) -> list[Aim]:
    aims = sight.aims_at([(k, (sight.things[k].x, sight.things[k].y)) for k in targets])
    return [aim for aim in aims if aim.direct]


def collapse_plans(sight: Sight) -> Iterator[Plan]:
    """Blocks on which much of a structure with pigs stands."""
    for group in sight.relations.buildings:
        box = sight.relations.around(group)
        for k in group:
            carried = sight.relations.carried(k)
            share = len(carried & set(group)) / len(group)
            pigs = sum(1 for pig in sight.pigs if pig in carried or _within(sight, pig, box.left, box.right, box.top))
            if share <= LEAST_SUPPORT or not pigs:
                continue
            for aim in _direct(sight, [k]):
                yield Plan(0.4 + 0.4 * share, aim.angle, pigs, "collapse")


def _within(sight: Sight, pig: int, left: float, right: float, top: float) -> bool:
    box = sight.relations.boxes[pig]
    return box.right >= left and box.left <= right and box.bottom <= top


def power_plans(sight: Sight) -> Iterator[Plan]:
    """TNT, and what birds with powers can do."""
    for box in sight.relations.of_kind("tnt"):
        pigs = sum(1 for pig in sight.pigs if sight.relations.distance(box, pig) < 2.5)
        for aim in _direct(sight, [box]):
            yield Plan(0.9, aim.angle, pigs, "tnt")
    if sight.bird == "blue":
        ice = [k for k in sight.relations.of_kind("block") if sight.things[k].material == "ice"]
        for aim in _direct(sight, ice):
            yield Plan(0.6, aim.angle, 0, "defrost")
    if sight.bird == "black":
        yield from _near_pigs(sight, 0.85, 2.0, "blast")
    if sight.bird == "white":
        yield from _drops(sight)


def _near_pigs(sight: Sight, confidence: float, reach: float, idea: str) -> Iterator[Plan]:
    """Things near pigs that nothing hides; the nearer the better."""
    for k in range(len(sight.things)):
        away = min((sight.relations.distance(k, pig) for pig in sight.pigs), default=math.inf)
        if sight.things[k].kind != "pig" and away < reach:
            for aim in _direct(sight, [k]):
                yield Plan(confidence * (1.0 - 0.5 * away / reach), aim.angle, 0, idea)


def _drops(sight: Sight) -> Iterator[Plan]:
    """Eggs that fall on a pig from straight above."""
    flights = sight.fly(SPREAD_ANGLES)
    for flight, angle in enumerate(SPREAD_ANGLES.tolist()):
        times, points = places(angle, sight.rest)
        met = flights.met(flight)
        end = float(flights.touches[flight, met[0]]) if met else float(flights.landings[flight])
        for pig in sight.pigs:
            thing = sight.things[pig]
            above = (np.abs(points[:, 0] - thing.x) < 0.1) & (points[:, 1] > thing.y + 0.5)
            over = np.flatnonzero(above & (times < end))
            if len(over) and not _is_covered(sight, pig, float(points[over[0], 1])):
                yield Plan(0.95, angle, 1, "drop", tap_ms=1000.0 * float(times[over[0]]))


def _is_covered(sight: Sight, pig: int, height: float) -> bool:
    """Whether something lies between a pig and a point above it."""
    x, top = sight.things[pig].x, sight.relations.boxes[pig].top
    return any(
        k != pig and box.left - DROP_CLEARANCE / 2 < x < box.right + DROP_CLEARANCE / 2 and top <= box.top <= height
        for k, box in enumerate(sight.relations.boxes)
    )


def last_resorts(sight: Sight) -> Iterator[Plan]:
    """Anything near a pig, and flights that come as near to one as can be."""
    yield from _near_pigs(sight, 0.3, 4.0, "any object")
    ends = []
    flights = sight.fly(SPREAD_ANGLES)
    for flight, angle in enumerate(SPREAD_ANGLES.tolist()):
        times, points = places(angle, sight.rest)
        met = flights.met(flight)
        end = float(flights.touches[flight, met[0]]) if met else float(flights.landings[flight])
        x, y = points[min(int(np.searchsorted(times, end)), len(points) - 1)]
        away = min(math.hypot(x - sight.things[pig].x, y - sight.things[pig].y) for pig in sight.pigs)
        ends.append((away, angle))
    for number, (_, angle) in enumerate(sorted(ends)[:10]):
        yield Plan(0.1 - 0.005 * number, angle, 0, "approximate")
