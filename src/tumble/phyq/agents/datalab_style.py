"""In the style of Datalab: of four strategies the option with the highest utility, else a random shot.

Strategies and figures are those that are known of the winner of 2014 and 2015: shoot pigs with as little as possible in
the way, make round blocks roll or fall on pigs, topple or break buildings with pigs, blow up TNT. The code is ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tumble.draws import Draws
from tumble.phyq.agents.agent import Agent, Now
from tumble.phyq.agents.chance import draws_for
from tumble.phyq.agents.sight import Aim, Sight, sight_of
from tumble.phyq.observation.camera import PIXELS_PER_UNIT
from tumble.phyq.simulation.attempt import Try
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.task import Task

PIG_VALUE = 5000.0
HILL = -65536.0
"""A platform in the way."""
BLOCK_COSTS = {
    "red": {"ice": 1200.0, "wood": 500.0, "stone": 1400.0},
    "yellow": {"ice": 1400.0, "wood": 600.0, "stone": 4200.0},
    "blue": {"ice": 100.0, "wood": 300.0, "stone": 3300.0},
    "black": {"ice": 2000.0, "wood": 3600.0, "stone": 1450.0},
    "white": {"ice": 1500.0, "wood": 2600.0, "stone": 4000.0},
}
"""Of a block in the way, by bird."""
STEEP_FACTOR = 1.2
LEAST_BUILDING = 1000.0
MOST_BUILDING = 1500.0
SUPPORT_REACH = 80.0 / PIXELS_PER_UNIT
ROUND_REACH = 2000.0
TNT_VALUES = {"pig": 3700.0, "tnt": 2500.0, "ice": 50.0, "wood": 100.0, "stone": 400.0}
TNT_REACH = 2.5
RANDOM_ANGLES = (5.0, 75.0)
AIM_HEIGHTS = {"tower": {0.85: 1.0, 0.6: 0.7}, "pyramid": {0.25: 1.0}, "rectangle": {0.9: 0.8, 0.25: 0.8}}
"""Shares of a building's height at which it is hit, with their weight."""


@dataclass(frozen=True)
class Option:
    """A shot and what it is worth."""

    utility: float
    aim: Aim
    strategy: str


@dataclass
class DatalabStyle(Agent):
    """Every shot is chosen by what is there, and by nothing that happened before."""

    seed: int = 0
    looks_back = False

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Shot:
        sight, draws = sight_of(now), draws_for(self.seed, now)
        best = self.chosen(sight, now)
        if best is None:
            return Shot(draws.between(*RANDOM_ANGLES), tap_share=self.tap(sight.bird, 45.0))
        return Shot(self.turned(best.aim.angle, now, draws), tap_share=self.tap(sight.bird, best.aim.angle))

    def chosen(self, sight: Sight, now: Now) -> Option | None:
        """The best option; None where none is worth anything."""
        return max((one for one in self.options(sight, now) if one.utility > 0.0), key=_utility, default=None)

    def options(self, sight: Sight, now: Now) -> Iterator[Option]:
        """Those of all strategies."""
        yield from pig_options(sight)
        yield from round_options(sight)
        yield from building_options(sight)
        yield from tnt_options(sight)

    def turned(self, angle: float, now: Now, draws: Draws) -> float:
        """The angle that is shot."""
        return angle

    def tap(self, bird: str, angle: float) -> float | None:
        """When the bird is tapped, as a share of its flight."""
        shares = {"yellow": 0.9 if angle > 50.0 else 0.85, "blue": 0.85, "white": 0.97, "black": 1.0}
        return shares.get(bird)


def _utility(option: Option) -> float:
    return option.utility


def way_cost(sight: Sight, aim: Aim) -> float:
    """What lies between the bird and its target, as a utility below 0."""
    total = 0.0
    for k in aim.way:
        thing = sight.things[k]
        if thing.kind == "platform":
            return HILL
        if thing.kind == "block":
            away = sight.relations.distance(k, aim.target) * PIXELS_PER_UNIT
            total -= BLOCK_COSTS[sight.bird][thing.material] * (1.0 + away**1.4 / 400.0)
    return total * (STEEP_FACTOR if aim.steep else 1.0)


def pig_options(sight: Sight) -> Iterator[Option]:
    """Shots at pigs, in the middle and around it."""
    for pig in sight.pigs:
        middle = (sight.things[pig].x, sight.things[pig].y)
        for aim in sight.aims_at(sight.around(pig)):
            utility = PIG_VALUE * (aim.pigs + 1) + way_cost(sight, aim) + (aim.point == middle)
            yield Option(utility, aim, "pig")


def round_options(sight: Sight) -> Iterator[Option]:
    """Round blocks that can roll or fall on pigs; nothing may be in the way."""
    if sight.bird == "white":
        return
    for ball in sight.relations.round_blocks:
        if sight.bird == "blue" and sight.things[ball].material == "stone":
            continue
        rolls, falls = _pigs_below(sight, ball)
        if rolls and not _is_held(sight, ball):
            yield from _direct(sight, ball, _round_utility(sight, ball, rolls), "roll")
        support = _lowest_left_support(sight, ball)
        if falls and support is not None:
            yield from _direct(sight, support, _round_utility(sight, ball, falls), "fall")


def _direct(sight: Sight, target: int, utility: float, strategy: str) -> Iterator[Option]:
    for aim in sight.aims_at(sight.around(target)):
        if aim.direct:
            yield Option(utility, aim, strategy)


def _pigs_below(sight: Sight, ball: int) -> tuple[list[int], list[int]]:
    """Pigs below a ball on its right, and those straight below it or on its left."""
    box, x = sight.relations.boxes[ball], sight.things[ball].x
    lower = [pig for pig in sight.pigs if sight.relations.boxes[pig].bottom <= box.bottom + 0.1]
    rolls = [pig for pig in lower if sight.things[pig].x > x]
    falls = [pig for pig in lower if sight.relations.boxes[pig].left <= box.right]
    return rolls, falls


def _is_held(sight: Sight, ball: int) -> bool:
    """Whether more than one block, or one that is bigger, touches its right side."""
    own = sight.relations.boxes[ball]
    size = own.top - own.bottom
    beside = []
    for k in sight.relations.of_kind("block"):
        box = sight.relations.boxes[k]
        level = min(box.top, own.top) - max(box.bottom, own.bottom) > 0.05
        if k != ball and level and box.left >= sight.things[ball].x and sight.relations.touching(ball, k):
            beside.append(max(box.top - box.bottom, box.right - box.left))
    return len(beside) > 1 or any(other > 1.2 * size for other in beside)


def _round_utility(sight: Sight, ball: int, pigs: Sequence[int]) -> float:
    away = (sight.relations.distance(ball, pig) * PIXELS_PER_UNIT for pig in pigs)
    return sum(PIG_VALUE * (1.0 - float(distance**1.4) / ROUND_REACH) for distance in away)


def _lowest_left_support(sight: Sight, ball: int) -> int | None:
    """The lowest of the blocks that carry a ball, of those the leftmost, if it is of wood or ice and near."""
    found: set[int] = set()
    waiting = [ball]
    while waiting:
        below = {k for k in sight.relations.supports(waiting.pop()) if sight.things[k].kind == "block"} - found
        found |= below
        waiting += below
    if not found:
        return None
    lowest = min(found, key=lambda k: (round(sight.relations.boxes[k].bottom, 1), sight.relations.boxes[k].left))
    near = sight.relations.distance(ball, lowest) <= SUPPORT_REACH
    return lowest if near and sight.things[lowest].material in ("wood", "ice") else None


def building_options(sight: Sight) -> Iterator[Option]:
    """Hits at the heights of buildings that break or topple them onto pigs."""
    if sight.bird == "white":
        return
    for group in sight.relations.buildings:
        box = sight.relations.around(group)
        width, height = box.right - box.left, box.top - box.bottom
        pigs = [pig for pig in sight.pigs if _is_near(sight, pig, group)]
        if not pigs or len(group) < 2:
            continue
        for share, weight in AIM_HEIGHTS[_kind(sight, group, width, height)].items():
            y = box.bottom + share * height
            targets = [(k, (sight.relations.boxes[k].left, y)) for k in group if _has_height(sight, k, y)]
            for aim in sight.aims_at(targets):
                ease = 1.0 - BLOCK_COSTS[sight.bird][sight.things[aim.target].material] / 10_000.0
                if aim.direct:
                    yield _counted(Option(MOST_BUILDING * ease * weight * len(pigs), aim, "building"))


def _counted(option: Option) -> Option:
    """Buildings count only from LEAST_BUILDING on."""
    return option if option.utility >= LEAST_BUILDING else Option(0.0, option.aim, option.strategy)


def _has_height(sight: Sight, k: int, y: float) -> bool:
    box = sight.relations.boxes[k]
    return box.bottom <= y <= box.top


def _is_near(sight: Sight, pig: int, group: Sequence[int]) -> bool:
    """In a building, or on its right where it may fall."""
    box, own = sight.relations.around(group), sight.relations.boxes[pig]
    reach = box.right + (box.top - box.bottom)
    return box.left - 0.1 <= own.left and own.left <= reach and own.bottom <= box.top + 0.1


def _kind(sight: Sight, group: Sequence[int], width: float, height: float) -> str:
    """A tower is high, a pyramid narrow at the top, and all else a rectangle."""
    if height > 1.5 * width:
        return "tower"
    box = sight.relations.around(group)
    upper = [k for k in group if sight.things[k].y > box.bottom + 0.66 * height]
    top = sight.relations.around(upper) if upper else box
    return "pyramid" if top.right - top.left < 0.5 * width else "rectangle"


def tnt_options(sight: Sight) -> Iterator[Option]:
    """Boxes that blow up what is near them."""
    for box in sight.relations.of_kind("tnt"):
        near = [k for k in range(len(sight.things)) if k != box and sight.relations.distance(box, k) <= TNT_REACH]
        value = sum(TNT_VALUES.get(sight.things[k].material or sight.things[k].kind, 0.0) for k in near)
        for aim in sight.aims_at(sight.around(box)):
            yield Option(value + way_cost(sight, aim), aim, "tnt")
