"""Composes a level: buildings over the reachable range, on the ground or on hills of platforms, and birds."""

from dataclasses import dataclass

from tumble.draws import Draws
from tumble.phyq.generation.levels.building import DECIMALS, Building
from tumble.phyq.generation.levels.structures import STRUCTURES, Structure
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.pieces import BIRD_COLOURS, PLATFORM_SIDE
from tumble.phyq.tasks.trajectory import within_reach

X = (-6.0, 8.8)
"""Where buildings stand."""
GAP = (0.7, 1.6)
"""Distance between buildings."""
BUILDINGS = (2, 3, 3, 4)
"""How many there are; all are equally likely."""
PIGS = (3, 8)
BIRDS = (3, 6)
"""The least and the most of them."""
BIRDS_PER_PIG = (0.5, 0.85)
FLOATING_HEIGHTS = (1.6, 4.6)
"""Heights of platforms that float, above the ground."""
THICKNESS = 0.4
"""Of a platform that floats."""
RISE, TREAD = (0.4, 0.7), 0.3
"""Height and depth of the steps of a hill."""
OVERHANG = 0.25
"""How much further than its building a platform reaches on each side."""
REACH_MARGIN = -0.6
"""Everything is at least this far inside the reach of a bird."""


@dataclass(frozen=True)
class _Site:
    """Where a building stands: the height, the platforms below it as (width, height, y), and half the width of all."""

    foot: float
    boxes: tuple[tuple[float, float, float], ...]
    half_width: float


def compose(seed: int, number: int, draw: int) -> Level | None:
    """The level of a set's seed, its number in the set, and the number of the draw; None if this draw does not fit.

    The same arguments give the same level on every machine.
    """
    draws = Draws(f"tumble level set {seed}, level {number}, draw {draw}")
    buildings = [kind(draws) for kind in _kinds(draws)]
    sites = [_site(draws, building) for building in buildings]
    gaps = [draws.between(*GAP) for _ in buildings[1:]]
    total = sum(2.0 * site.half_width for site in sites) + sum(gaps)
    pigs = sum(len(one.pigs) for one in buildings)
    if total > X[1] - X[0] or not PIGS[0] <= pigs <= PIGS[1]:
        return None
    x = draws.between(X[0], X[1] - total)
    blocks: list[Block] = []
    placed: list[Pig] = []
    platforms: list[Platform] = []
    for building, site, gap in zip(buildings, sites, [*gaps, 0.0], strict=True):
        middle = round(x + site.half_width, DECIMALS)
        platforms += [_platform(middle, y, width, height) for width, height, y in site.boxes]
        own_blocks, own_pigs = building.at(middle, site.foot)
        blocks += own_blocks
        placed += own_pigs
        x += 2.0 * site.half_width + gap
    if not all(within_reach((pig.x, pig.y), REACH_MARGIN) for pig in placed):
        return None
    count = min(BIRDS[1], max(BIRDS[0], round(pigs * draws.between(*BIRDS_PER_PIG))))
    birds = tuple(draws.one_of(BIRD_COLOURS) for _ in range(count))
    return Level(birds, tuple(placed), tuple(blocks), tuple(platforms)) if len(set(birds)) > 1 else None


def _kinds(draws: Draws) -> list[Structure]:
    """Types of buildings, all different."""
    left = list(STRUCTURES.values())
    chosen = []
    for _ in range(draws.one_of(BUILDINGS)):
        chosen.append(draws.one_of(left))
        left.remove(chosen[-1])
    return chosen


def _site(draws: Draws, building: Building) -> _Site:
    """Draws the site of a building: the ground, a hill of one to three steps, or a floating platform."""
    kind = draws.one_of(("ground", "ground", "hill", "floating"))
    half = building.half_width + OVERHANG
    if kind == "ground":
        return _Site(GROUND_Y, (), building.half_width)
    if kind == "floating":
        top = round(GROUND_Y + draws.between(*FLOATING_HEIGHTS), DECIMALS)
        return _Site(top, ((2.0 * half, THICKNESS, top - THICKNESS / 2.0),), half)
    steps, rise = draws.one_of((1, 2, 3)), round(draws.between(*RISE), 2)
    boxes = [(2.0 * (half + TREAD * (steps - 1 - step)), rise, GROUND_Y + rise * (step + 0.5)) for step in range(steps)]
    return _Site(round(GROUND_Y + rise * steps, DECIMALS), tuple(boxes), half + TREAD * (steps - 1))


def _platform(x: float, y: float, width: float, height: float) -> Platform:
    scale_x, scale_y = round(width / PLATFORM_SIDE, DECIMALS), round(height / PLATFORM_SIDE, DECIMALS)
    return Platform(x, round(y, DECIMALS), 0.0, scale_x, scale_y)
