"""In the style of Datalab, and of Eagle's Wing, which adds a strategy: the shot with the highest utility.

Datalab's four strategies and their constants are those known of the winner of 2014 and 2015: shoot pigs with the
fewest obstacles, roll or drop round blocks on pigs, topple or break buildings with pigs, explode TNT; if none
helps, it shoots at random. Eagle's Wing, the winner of 2017 and 2018, breaks through as many blocks as possible,
too. If a platform is in the way of its best shot, it shoots at a pig all the same; it taps birds earlier; and in
later attempts it changes the angle a little. The code is ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tumble.draws import Draws
from tumble.phyq.agents.agent import Agent, AttemptState, draws_for
from tumble.phyq.agents.perception import Aim, PerceivedScene, perceive
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.camera import PIXELS_PER_UNIT
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.runs.participant import Given, OfAttempts

PIG_VALUE = 5000.0
PLATFORM_UTILITY = -65536.0
"""The utility of a platform as an obstacle."""
BLOCK_COSTS = {
    "red": {"ice": 1200.0, "wood": 500.0, "stone": 1400.0},
    "yellow": {"ice": 1400.0, "wood": 600.0, "stone": 4200.0},
    "blue": {"ice": 100.0, "wood": 300.0, "stone": 3300.0},
    "black": {"ice": 2000.0, "wood": 3600.0, "stone": 1450.0},
    "white": {"ice": 1500.0, "wood": 2600.0, "stone": 4000.0},
}
"""Costs of a block as an obstacle, by bird."""
STEEP_FACTOR = 1.2
MIN_BUILDING_UTILITY = 1000.0
BUILDING_UTILITY = 1500.0
SUPPORT_REACH = 80.0 / PIXELS_PER_UNIT
ROUND_REACH = 2000.0
TNT_VALUES = {"pig": 3700.0, "tnt": 2500.0, "ice": 50.0, "wood": 100.0, "stone": 400.0}
TNT_REACH = 2.5
RANDOM_ANGLES = (5.0, 75.0)
AIM_HEIGHTS = {"tower": {0.85: 1.0, 0.6: 0.7}, "pyramid": {0.25: 1.0}, "rectangle": {0.9: 0.8, 0.25: 0.8}}
"""Shares of a building's height at which it is hit, with their weights."""


@dataclass(frozen=True)
class Option:
    """A shot and its utility."""

    utility: float
    aim: Aim
    strategy: str


@dataclass
class DatalabStyle(Agent):
    """Every shot depends on the current scene only, not on earlier shots."""

    seed: int = 0
    uses_past = False

    def given(self) -> Given:
        attempts: tuple[OfAttempts, ...] = ("status",) if self.uses_past else ()
        return Given(tasks=("shapes and states", "platforms and masses"), attempts=attempts)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        scene, draws = perceive(state), draws_for(self.seed, state)
        best = self.best_option(scene, state)
        if best is None:
            return Shot(draws.between(*RANDOM_ANGLES), tap_share=self.tap_share(scene.bird, 45.0))
        angle = self.adjusted_angle(best.aim.angle, state, draws)
        return Shot(angle, tap_share=self.tap_share(scene.bird, best.aim.angle))

    def best_option(self, scene: PerceivedScene, state: AttemptState) -> Option | None:
        """The option with the highest utility; None if none is above 0."""
        return max((one for one in self.options(scene, state) if one.utility > 0.0), key=_utility, default=None)

    def options(self, scene: PerceivedScene, state: AttemptState) -> Iterator[Option]:
        """The options of all strategies."""
        yield from pig_options(scene)
        yield from round_options(scene)
        yield from building_options(scene)
        yield from tnt_options(scene)

    def adjusted_angle(self, angle: float, state: AttemptState, draws: Draws) -> float:
        """The angle to shoot for an option's angle."""
        return angle

    def tap_share(self, bird: str, angle: float) -> float | None:
        """The tap of a bird as a share of its flight."""
        shares = {"yellow": 0.9 if angle > 50.0 else 0.85, "blue": 0.85, "white": 0.97, "black": 1.0}
        return shares.get(bird)


def _utility(option: Option) -> float:
    return option.utility


def obstacle_utility(scene: PerceivedScene, aim: Aim) -> float:
    """The utility of the obstacles before a target, 0 or below."""
    total = 0.0
    for k in aim.obstacles:
        obj = scene.objects[k]
        if obj.kind == "platform":
            return PLATFORM_UTILITY
        if obj.kind == "block":
            away = scene.relations.distance(k, aim.target) * PIXELS_PER_UNIT
            total -= BLOCK_COSTS[scene.bird][obj.material] * (1.0 + away**1.4 / 400.0)
    return total * (STEEP_FACTOR if aim.steep else 1.0)


def pig_options(scene: PerceivedScene) -> Iterator[Option]:
    """Shots at pigs, at their centre and around it."""
    for pig in scene.pigs:
        centre = (scene.objects[pig].x, scene.objects[pig].y)
        for aim in scene.aims_at(scene.points_around(pig)):
            utility = PIG_VALUE * (aim.pigs + 1) + obstacle_utility(scene, aim) + (aim.point == centre)
            yield Option(utility, aim, "pig")


def round_options(scene: PerceivedScene) -> Iterator[Option]:
    """Direct shots at round blocks that can roll or fall on pigs."""
    if scene.bird == "white":
        return
    for ball in scene.relations.round_blocks:
        if scene.bird == "blue" and scene.objects[ball].material == "stone":
            continue
        rolls, falls = _pigs_below(scene, ball)
        if rolls and not _is_held(scene, ball):
            yield from _direct_options(scene, ball, _round_utility(scene, ball, rolls), "roll")
        support = _lowest_left_support(scene, ball)
        if falls and support is not None:
            yield from _direct_options(scene, support, _round_utility(scene, ball, falls), "fall")


def _direct_options(scene: PerceivedScene, target: int, utility: float, strategy: str) -> Iterator[Option]:
    for aim in scene.aims_at(scene.points_around(target)):
        if aim.direct:
            yield Option(utility, aim, strategy)


def _pigs_below(scene: PerceivedScene, ball: int) -> tuple[list[int], list[int]]:
    """Pigs below a ball and to its right, and those below it or to its left."""
    box, x = scene.relations.boxes[ball], scene.objects[ball].x
    lower = [pig for pig in scene.pigs if scene.relations.boxes[pig].bottom <= box.bottom + 0.1]
    rolls = [pig for pig in lower if scene.objects[pig].x > x]
    falls = [pig for pig in lower if scene.relations.boxes[pig].left <= box.right]
    return rolls, falls


def _is_held(scene: PerceivedScene, ball: int) -> bool:
    """Whether more than one block, or a bigger one, touches its right side."""
    own = scene.relations.boxes[ball]
    size = own.top - own.bottom
    beside = []
    for k in scene.relations.of_kind("block"):
        box = scene.relations.boxes[k]
        level = min(box.top, own.top) - max(box.bottom, own.bottom) > 0.05
        if k != ball and level and box.left >= scene.objects[ball].x and scene.relations.touching(ball, k):
            beside.append(max(box.top - box.bottom, box.right - box.left))
    return len(beside) > 1 or any(other > 1.2 * size for other in beside)


def _round_utility(scene: PerceivedScene, ball: int, pigs: Sequence[int]) -> float:
    away = (scene.relations.distance(ball, pig) * PIXELS_PER_UNIT for pig in pigs)
    return sum(PIG_VALUE * (1.0 - float(distance**1.4) / ROUND_REACH) for distance in away)


def _lowest_left_support(scene: PerceivedScene, ball: int) -> int | None:
    """The lowest, then leftmost, of the blocks that support a ball, if it is of wood or ice and near."""
    supports: set[int] = set()
    waiting = [ball]
    while waiting:
        below = {k for k in scene.relations.supports(waiting.pop()) if scene.objects[k].kind == "block"} - supports
        supports |= below
        waiting += below
    if not supports:
        return None
    lowest = min(supports, key=lambda k: (round(scene.relations.boxes[k].bottom, 1), scene.relations.boxes[k].left))
    near = scene.relations.distance(ball, lowest) <= SUPPORT_REACH
    return lowest if near and scene.objects[lowest].material in ("wood", "ice") else None


def building_options(scene: PerceivedScene) -> Iterator[Option]:
    """Direct shots at heights of buildings that break them or topple them onto pigs."""
    if scene.bird == "white":
        return
    for group in scene.relations.buildings:
        box = scene.relations.around(group)
        width, height = box.right - box.left, box.top - box.bottom
        pigs = [pig for pig in scene.pigs if _is_near(scene, pig, group)]
        if not pigs or len(group) < 2:
            continue
        for share, weight in AIM_HEIGHTS[_building_kind(scene, group, width, height)].items():
            y = box.bottom + share * height
            targets = [(k, (scene.relations.boxes[k].left, y)) for k in group if _has_height(scene, k, y)]
            for aim in scene.aims_at(targets):
                ease = 1.0 - BLOCK_COSTS[scene.bird][scene.objects[aim.target].material] / 10_000.0
                if aim.direct:
                    yield _with_threshold(Option(BUILDING_UTILITY * ease * weight * len(pigs), aim, "building"))


def _with_threshold(option: Option) -> Option:
    """Buildings with less than MIN_BUILDING_UTILITY count for nothing."""
    return option if option.utility >= MIN_BUILDING_UTILITY else Option(0.0, option.aim, option.strategy)


def _has_height(scene: PerceivedScene, k: int, y: float) -> bool:
    box = scene.relations.boxes[k]
    return box.bottom <= y <= box.top


def _is_near(scene: PerceivedScene, pig: int, group: Sequence[int]) -> bool:
    """Whether a pig is in a building, or to its right where it may fall."""
    box, own = scene.relations.around(group), scene.relations.boxes[pig]
    reach = box.right + (box.top - box.bottom)
    return box.left - 0.1 <= own.left and own.left <= reach and own.bottom <= box.top + 0.1


def _building_kind(scene: PerceivedScene, group: Sequence[int], width: float, height: float) -> str:
    """tower if it is high, pyramid if it is narrow at the top, else rectangle."""
    if height > 1.5 * width:
        return "tower"
    box = scene.relations.around(group)
    upper = [k for k in group if scene.objects[k].y > box.bottom + 0.66 * height]
    top = scene.relations.around(upper) if upper else box
    return "pyramid" if top.right - top.left < 0.5 * width else "rectangle"


def tnt_options(scene: PerceivedScene) -> Iterator[Option]:
    """Shots at TNT, by what is near it."""
    for box in scene.relations.of_kind("tnt"):
        near = [k for k in range(len(scene.objects)) if k != box and scene.relations.distance(box, k) <= TNT_REACH]
        value = sum(TNT_VALUES.get(scene.objects[k].material or scene.objects[k].kind, 0.0) for k in near)
        for aim in scene.aims_at(scene.points_around(box)):
            yield Option(value + obstacle_utility(scene, aim), aim, "tnt")


BLOCK_VALUE = 20.0
MIN_BROKEN_SHARE, MIN_BROKEN_SHARE_FIRST = 0.25, 0.15
"""The smallest share of all blocks to break through; less for the first shot."""
LARGEST_ANGLE_CHANGE = 1.0
"""The largest change of the angle in later attempts, in degrees."""


@dataclass
class EaglesWingStyle(DatalabStyle):
    """It never shoots at random if a pig is within reach."""

    def options(self, scene: PerceivedScene, state: AttemptState) -> Iterator[Option]:
        yield from super().options(scene, state)
        yield from penetration_options(scene, first=state.shots == 0)

    def best_option(self, scene: PerceivedScene, state: AttemptState) -> Option | None:
        best = super().best_option(scene, state)
        is_blocked = best is not None and any(scene.objects[k].kind == "platform" for k in best.aim.obstacles)
        if best is None or is_blocked:
            return max(pig_options(scene), key=lambda one: one.utility, default=best)
        return best

    def adjusted_angle(self, angle: float, state: AttemptState, draws: Draws) -> float:
        return angle if state.attempt == 1 else angle + draws.between(-LARGEST_ANGLE_CHANGE, LARGEST_ANGLE_CHANGE)

    def tap_share(self, bird: str, angle: float) -> float | None:
        return {"yellow": 0.7, "blue": 0.7, "white": 0.98}.get(bird)


def penetration_options(scene: PerceivedScene, first: bool) -> Iterator[Option]:
    """Flights through many objects that the bird breaks; pigs and TNT count double."""
    blocks = len(scene.relations.of_kind("block"))
    if scene.bird in ("red", "white") or not blocks:
        return
    targets = [(k, (scene.objects[k].x, scene.objects[k].y)) for k in range(len(scene.objects))]
    for aim in scene.aims_at([(k, point) for k, point in targets if scene.objects[k].kind != "platform"]):
        passed = [scene.objects[k] for k in (*aim.obstacles, aim.target)]
        if not all(scene.breaks(obj) for obj in passed):
            continue
        count = sum(1 if obj.kind == "block" else 2 for obj in passed)
        if count > (MIN_BROKEN_SHARE_FIRST if first else MIN_BROKEN_SHARE) * blocks:
            yield Option(BLOCK_VALUE * count, aim, "penetration")
