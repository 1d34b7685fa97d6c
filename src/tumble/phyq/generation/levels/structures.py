"""The types of buildings; each function draws one, with pigs in it and on it."""

from collections.abc import Callable

from tumble.draws import Draws
from tumble.phyq.generation.levels.building import UPRIGHT, Building, width_of
from tumble.phyq.tasks.pieces import MATERIAL_NAMES

LIGHT = ("wood", "ice")
Structure = Callable[[Draws], Building]


def tower(draws: Draws) -> Building:
    """Storeys of two walls and a floor, with a pig in some, and a pig or a roof on top."""
    building, foot = Building(), 0.0
    storeys = draws.one_of((2, 3, 3, 4))
    occupied = int(draws.between(0, storeys))
    for storey in range(storeys):
        material = draws.one_of(LIGHT if storey else MATERIAL_NAMES)
        half = 0.943 - width_of("rect_fat", UPRIGHT) / 2.0
        for side in (-half, half):
            top = building.place("rect_fat", material, side, foot, UPRIGHT)
        if storey == occupied or (storey == 0 and draws.between(0, 1) < 0.5):
            building.add_pig("small", 0.0, foot)
        foot = building.place("rect_big", draws.one_of(LIGHT), 0.0, top)
    if draws.between(0, 1) < 0.5:
        building.add_pig(draws.one_of(("small", "medium")), 0.0, foot)
    else:
        building.place("triangle_hole", draws.one_of(LIGHT), 0.0, foot)
    return building


def slender_tower(draws: Draws) -> Building:
    """A pile of bricks with a shelf on top, on which a pig sits."""
    building, foot = Building(), 0.0
    material = draws.one_of(MATERIAL_NAMES)
    for _ in range(draws.one_of((2, 3, 4))):
        foot = building.place("square_hole", material, 0.0, foot)
    foot = building.place("rect_medium", draws.one_of(LIGHT), 0.0, foot)
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
    material, other = draws.one_of(MATERIAL_NAMES), draws.one_of(LIGHT)
    walls = [building.place("square_hole", material, x, 0.0) for x in (-1.5, 0.0, 1.5)]
    for side in (-0.75, 0.75):
        building.add_pig("small", side, 0.0)
    floor = max(building.place("rect_medium", other, x, walls[0]) for x in (-0.777, 0.777))
    if draws.between(0, 1) < 0.6:
        posts = [building.place("rect_small", draws.one_of(LIGHT), x, floor, UPRIGHT) for x in (-0.62, 0.62)]
        if draws.between(0, 1) < 0.5:
            building.add_pig("small", 0.0, floor)
        roof = building.place("rect_medium", other, 0.0, posts[0])
        building.place("triangle_hole", draws.one_of(LIGHT), 0.0, roof)
    else:
        building.add_pig("medium", 0.0, floor)
        for side in (-1.1, 1.1):
            building.place("triangle_hole", draws.one_of(LIGHT), side, floor)
    return building


def bridge(draws: Draws) -> Building:
    """Two piers with a deck between them, pigs on the deck, and sometimes one below it."""
    building = Building()
    pier, deck = draws.one_of(MATERIAL_NAMES), draws.one_of(LIGHT)
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
    building.place("rect_tiny", draws.one_of(LIGHT), 0.0, top, UPRIGHT)
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
    lid = building.place("rect_big", draws.one_of(LIGHT), 0.0, foot)
    for side in (-0.7, 0.7):
        building.place("square_small", draws.one_of(MATERIAL_NAMES), side, lid)
    if draws.between(0, 1) < 0.5:
        building.add_pig("small", 0.0, lid)
    return building


def porch(draws: Draws) -> Building:
    """A tall open room: long posts with a roof, a pig on a stool below it, and a pig on the roof."""
    building = Building()
    material = draws.one_of(LIGHT)
    tops = [building.place("rect_medium", material, side, 0.0, UPRIGHT) for side in (-0.72, 0.72)]
    stool = building.place("square_hole", draws.one_of(MATERIAL_NAMES), 0.0, 0.0)
    building.add_pig("small", 0.0, stool)
    roof = building.place("rect_big", draws.one_of(LIGHT), 0.0, tops[0])
    building.place("square_small", draws.one_of(LIGHT), -0.72, roof)
    building.place("square_small", draws.one_of(LIGHT), 0.72, roof)
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
            building.place("triangle_hole", draws.one_of(LIGHT), side, foot)
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
