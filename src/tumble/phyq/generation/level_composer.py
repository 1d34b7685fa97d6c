"""Composes complete levels in the manner of AIBIRDS competitions: types of buildings, their sites, and birds.

A building is blocks and pigs that are placed one on the other, in coordinates of its own: x is 0 in its middle and y
is 0 at its foot. Each type is a function that draws one, with pigs in it and on it. A level has buildings over the
reachable range, on the ground or on hills of platforms.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tumble.draws import Draws
from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.physics import BIRD_COLOURS, BLOCKS, GROUND_Y, MATERIAL_NAMES, PIGS, PLATFORM_SIDE, shape_box
from tumble.phyq.catalogue.template import RESTING_GAP
from tumble.phyq.catalogue.trajectory import within_reach

DECIMALS = 4
UPRIGHT = 90.0
AnyPiece = TypeVar("AnyPiece", Block, Pig)


@dataclass
class Building:
    """Blocks and pigs; `place` and `add_pig` add one that stands on a given height."""

    blocks: list[Block] = field(default_factory=list)
    pigs: list[Pig] = field(default_factory=list)

    def place(self, shape: str, material: str, x: float, foot: float, rotation: float = 0.0) -> float:
        """Adds a block whose lower side is at height `foot`; returns the height of its upper side."""
        low, high = extent(shape, rotation)
        y = foot + RESTING_GAP - low
        self.blocks.append(Block(shape, material, round(x, DECIMALS), round(y, DECIMALS), rotation))
        return y + high

    def add_pig(self, size: str, x: float, foot: float) -> float:
        """Adds a pig that stands at height `foot`; returns the height of its top."""
        _, low, _, high = shape_box(PIGS[size].shape)
        y = foot + RESTING_GAP - low
        self.pigs.append(Pig(size, round(x, DECIMALS), round(y, DECIMALS)))
        return y + high

    @property
    def half_width(self) -> float:
        """The largest distance of a block or pig from the middle."""
        blocks = [abs(block.x) + width_of(block.shape, block.rotation) / 2.0 for block in self.blocks]
        return max([*blocks, *(abs(pig.x) + PIGS[pig.size].size[0] / 2.0 for pig in self.pigs)])

    @property
    def height(self) -> float:
        """The height of the highest block or pig."""
        blocks = [block.y + extent(block.shape, block.rotation)[1] for block in self.blocks]
        return max([*blocks, *(pig.y + PIGS[pig.size].size[1] / 2.0 for pig in self.pigs)])

    def at(self, x: float, foot: float) -> tuple[list[Block], list[Pig]]:
        """Blocks and pigs of the building on a foot in the world."""

        def moved(piece: AnyPiece) -> AnyPiece:
            return replace(piece, x=round(piece.x + x, DECIMALS), y=round(piece.y + foot, DECIMALS))

        return [moved(one) for one in self.blocks], [moved(one) for one in self.pigs]


def extent(shape: str, rotation: float = 0.0) -> tuple[float, float]:
    """The lowest and the highest y of a block, which lies or stands upright."""
    left, bottom, right, top = shape_box(BLOCKS[shape, "wood"].shape)
    return (left, right) if rotation == UPRIGHT else (bottom, top)


def width_of(shape: str, rotation: float = 0.0) -> float:
    """The width of a block, which lies or stands upright."""
    wide, high = BLOCKS[shape, "wood"].size
    return high if rotation == UPRIGHT else wide


LIGHT_MATERIALS = ("wood", "ice")
Structure = Callable[[Draws], Building]


def tower(draws: Draws) -> Building:
    """Storeys of two walls and a floor, with a pig in some, and a pig or a roof on top."""
    building, foot = Building(), 0.0
    storeys = draws.one_of((2, 3, 3, 4))
    occupied = int(draws.between(0, storeys))
    for storey in range(storeys):
        material = draws.one_of(LIGHT_MATERIALS if storey else MATERIAL_NAMES)
        half = 0.943 - width_of("rect_fat", UPRIGHT) / 2.0
        for side in (-half, half):
            top = building.place("rect_fat", material, side, foot, UPRIGHT)
        if storey == occupied or (storey == 0 and draws.between(0, 1) < 0.5):
            building.add_pig("small", 0.0, foot)
        foot = building.place("rect_big", draws.one_of(LIGHT_MATERIALS), 0.0, top)
    if draws.between(0, 1) < 0.5:
        building.add_pig(draws.one_of(("small", "medium")), 0.0, foot)
    else:
        building.place("triangle_hole", draws.one_of(LIGHT_MATERIALS), 0.0, foot)
    return building


def slender_tower(draws: Draws) -> Building:
    """A pile of bricks with a shelf on top, on which a pig sits."""
    building, foot = Building(), 0.0
    material = draws.one_of(MATERIAL_NAMES)
    for _ in range(draws.one_of((2, 3, 4))):
        foot = building.place("square_hole", material, 0.0, foot)
    foot = building.place("rect_medium", draws.one_of(LIGHT_MATERIALS), 0.0, foot)
    building.add_pig(draws.one_of(("small", "medium")), 0.0, foot)
    for side in (-0.66, 0.66):
        building.place("square_tiny", draws.one_of(MATERIAL_NAMES), side, foot)
    return building


def pyramid(draws: Draws) -> Building:
    """Rows of bricks, each one brick shorter than the row below, and a pig on top."""
    building, foot = Building(), 0.0
    brick, apart = draws.one_of((("rect_fat", 0.80), ("square_hole", 0.80), ("square_small", 0.42)))
    rows = draws.one_of((3, 4))
    for row in range(rows):
        count = rows - row
        material = draws.one_of(MATERIAL_NAMES)
        places = [apart * (k - (count - 1) / 2.0) for k in range(count)]
        tops = [building.place(brick, material, x, foot) for x in places]
        foot = tops[0]
    building.add_pig("small", 0.0, foot)
    for side in (-1.0, 1.0):
        if draws.between(0, 1) < 0.6:
            building.add_pig("small", side * (apart * rows / 2.0 + 0.45), 0.0)
    return building


def house(draws: Draws) -> Building:
    """Two rooms next to each other, with pigs, and an attic or a roof above them."""
    building = Building()
    material, other = draws.one_of(MATERIAL_NAMES), draws.one_of(LIGHT_MATERIALS)
    walls = [building.place("square_hole", material, x, 0.0) for x in (-1.5, 0.0, 1.5)]
    for side in (-0.75, 0.75):
        building.add_pig("small", side, 0.0)
    floor = max(building.place("rect_medium", other, x, walls[0]) for x in (-0.777, 0.777))
    if draws.between(0, 1) < 0.6:
        posts = [building.place("rect_small", draws.one_of(LIGHT_MATERIALS), x, floor, UPRIGHT) for x in (-0.62, 0.62)]
        if draws.between(0, 1) < 0.5:
            building.add_pig("small", 0.0, floor)
        roof = building.place("rect_medium", other, 0.0, posts[0])
        building.place("triangle_hole", draws.one_of(LIGHT_MATERIALS), 0.0, roof)
    else:
        building.add_pig("medium", 0.0, floor)
        for side in (-1.1, 1.1):
            building.place("triangle_hole", draws.one_of(LIGHT_MATERIALS), side, floor)
    return building


def bridge(draws: Draws) -> Building:
    """Two piers with a deck between them, pigs on the deck, and sometimes one below it."""
    building = Building()
    pier, deck = draws.one_of(MATERIAL_NAMES), draws.one_of(LIGHT_MATERIALS)
    storeys = draws.one_of((1, 2, 2))
    half = 0.95
    for side in (-half, half):
        foot = 0.0
        for _ in range(storeys):
            foot = building.place("square_hole", pier, side, foot)
    top = building.place("rect_big", deck, 0.0, foot)
    top = building.place("rect_big", deck, 0.0, top)
    for x in (-0.5, 0.5):
        building.add_pig("small", x, top)
    building.place("rect_tiny", draws.one_of(LIGHT_MATERIALS), 0.0, top, UPRIGHT)
    if draws.between(0, 1) < 0.5:
        building.add_pig("small", 0.0, 0.0)
    return building


def bunker(draws: Draws) -> Building:
    """A low room of thick walls under a double lid, with a pig in it and weights on the lid."""
    building = Building()
    material = draws.one_of(("stone", "wood", "stone"))
    for side in (-0.75, 0.75):
        foot = building.place("rect_fat", material, side, 0.0)
        foot = building.place("rect_fat", material, side, foot)
    building.add_pig(draws.one_of(("small", "small", "medium")), 0.0, 0.0)
    lid = building.place("rect_big", draws.one_of(LIGHT_MATERIALS), 0.0, foot)
    for side in (-0.7, 0.7):
        building.place("square_small", draws.one_of(MATERIAL_NAMES), side, lid)
    if draws.between(0, 1) < 0.5:
        building.add_pig("small", 0.0, lid)
    return building


def porch(draws: Draws) -> Building:
    """A tall open room: long posts with a roof, a pig on a stool below it, and a pig on the roof."""
    building = Building()
    material = draws.one_of(LIGHT_MATERIALS)
    tops = [building.place("rect_medium", material, side, 0.0, UPRIGHT) for side in (-0.72, 0.72)]
    stool = building.place("square_hole", draws.one_of(MATERIAL_NAMES), 0.0, 0.0)
    building.add_pig("small", 0.0, stool)
    roof = building.place("rect_big", draws.one_of(LIGHT_MATERIALS), 0.0, tops[0])
    building.place("square_small", draws.one_of(LIGHT_MATERIALS), -0.72, roof)
    building.place("square_small", draws.one_of(LIGHT_MATERIALS), 0.72, roof)
    if draws.between(0, 1) < 0.5:
        building.add_pig("small", 0.0, roof)
    return building


def castle(draws: Draws) -> Building:
    """Two towers with a wall between them, a pig on each tower or between them on the wall."""
    building = Building()
    stone, wall = draws.one_of(MATERIAL_NAMES), draws.one_of(MATERIAL_NAMES)
    for side in (-1.25, 1.25):
        foot = 0.0
        for _ in range(draws.one_of((2, 3))):
            foot = building.place("square_hole", stone, side, foot)
        if draws.between(0, 1) < 0.6:
            building.add_pig("small", side, foot)
        else:
            building.place("triangle_hole", draws.one_of(LIGHT_MATERIALS), side, foot)
    foot = 0.0
    for _ in range(draws.one_of((1, 2, 3))):
        tops = [building.place("rect_fat", wall, x, foot) for x in (-0.4, 0.4)]
        foot = tops[0]
    building.add_pig(draws.one_of(("small", "medium")), 0.0, foot)
    return building


STRUCTURES: dict[str, Structure] = {
    "tower": tower,
    "slender tower": slender_tower,
    "pyramid": pyramid,
    "house": house,
    "bridge": bridge,
    "bunker": bunker,
    "porch": porch,
    "castle": castle,
}
"""All types of buildings by name."""


BUILDING_X = (-6.0, 8.8)
"""Where buildings stand."""
BUILDING_GAP = (0.7, 1.6)
"""Distance between buildings."""
BUILDING_COUNTS = (2, 3, 3, 4)
"""How many there are; all are equally likely."""
PIG_LIMITS = (3, 8)
BIRD_LIMITS = (3, 6)
"""The least and the most of them."""
BIRDS_PER_PIG = (0.5, 0.85)
FLOATING_HEIGHTS = (1.6, 4.6)
"""Heights of platforms that float, above the ground."""
FLOATING_THICKNESS = 0.4
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


def compose_level(seed: int, number: int, draw: int) -> Level | None:
    """The level of a set's seed, its number in the set, and the number of the draw; None if this draw does not fit.

    The same arguments give the same level on every machine.
    """
    draws = Draws(f"tumble level set {seed}, level {number}, draw {draw}")
    buildings = [kind(draws) for kind in _building_types(draws)]
    sites = [_site(draws, building) for building in buildings]
    gaps = [draws.between(*BUILDING_GAP) for _ in buildings[1:]]
    total = sum(2.0 * site.half_width for site in sites) + sum(gaps)
    pigs = sum(len(one.pigs) for one in buildings)
    if total > BUILDING_X[1] - BUILDING_X[0] or not PIG_LIMITS[0] <= pigs <= PIG_LIMITS[1]:
        return None
    x = draws.between(BUILDING_X[0], BUILDING_X[1] - total)
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
    count = min(BIRD_LIMITS[1], max(BIRD_LIMITS[0], round(pigs * draws.between(*BIRDS_PER_PIG))))
    birds = tuple(draws.one_of(BIRD_COLOURS) for _ in range(count))
    return Level(birds, tuple(placed), tuple(blocks), tuple(platforms)) if len(set(birds)) > 1 else None


def _building_types(draws: Draws) -> list[Structure]:
    """Types of buildings, all different."""
    left = list(STRUCTURES.values())
    chosen = []
    for _ in range(draws.one_of(BUILDING_COUNTS)):
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
        return _Site(top, ((2.0 * half, FLOATING_THICKNESS, top - FLOATING_THICKNESS / 2.0),), half)
    steps, rise = draws.one_of((1, 2, 3)), round(draws.between(*RISE), 2)
    boxes = [(2.0 * (half + TREAD * (steps - 1 - step)), rise, GROUND_Y + rise * (step + 0.5)) for step in range(steps)]
    return _Site(round(GROUND_Y + rise * steps, DECIMALS), tuple(boxes), half + TREAD * (steps - 1))


def _platform(x: float, y: float, width: float, height: float) -> Platform:
    scale_x, scale_y = round(width / PLATFORM_SIDE, DECIMALS), round(height / PLATFORM_SIDE, DECIMALS)
    return Platform(x, round(y, DECIMALS), 0.0, scale_x, scale_y)
