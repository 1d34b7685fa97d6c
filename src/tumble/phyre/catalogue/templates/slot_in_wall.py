"""A ball falls down a shaft beside slanted slats; push it through the one slot in the dividing wall so that it lands on
the floor beyond.

Bodies
    ball: dynamic, at the top of the shaft
    slats: ten static bars to the left of the shaft, from the lowest up; the last ones lie above the scene
    upper wall, lower wall: static bars, the dividing wall above and below the slot
    second ball: dynamic, beyond the wall
    floor: static bar, beyond the wall

Parameters
    slope: degrees by which the slats fall towards the shaft
    slat: number of the slat next below the top of the slot
    gap: between the slats and the shaft
    wall: left face of the dividing wall

    The top of the slot is neither near the floor nor near the ceiling.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 2.0e-3, stably with 1.3e-3.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, lin

ID = "00020"
TIER = "B"
PARAMETERS = {
    "slope": lin(10, 45, 5),
    "slat": range(10),
    "gap": [0.01, 0.05],
    "wall": lin(0.5, 0.6, 4),
}


def build(world: World, slope: float, slat: int, gap: float, wall: float) -> None:
    slot_top = 0.15 * (slat + 1) - gap
    world.reject(slot_top <= 0.2 or slot_top >= 0.9)
    falling = world.dynamic(ball(0.08), "ball", right=wall - PX, bottom=0.9)
    shaft = falling.left - 2 * PX - gap
    for number in range(10):
        world.static(bar(0.3), angle=-slope, bottom=0.15 * number, right=shaft)
    falling.move(left=shaft + PX)
    slot_bottom = slot_top - 2 * falling.height
    world.static(bar(1 - slot_top), "upper wall", angle=90, left=wall, top=1)
    world.static(bar(slot_bottom), "lower wall", angle=90, left=wall, bottom=0)
    world.dynamic(ball(0.1), "second ball", left=wall + 8 * PX, bottom=0.9 if slot_top < 0.7 else 0.3)
    floor = world.static(bar(1), "floor", bottom=0, left=wall + 4 * PX)
    world.goal(falling, floor)
