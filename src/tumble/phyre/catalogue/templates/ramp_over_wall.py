"""A ball rolls off a ramp onto a second one that leads it back, towards a low wall; land it on the floor before the
wall, to its right.

Bodies
    upper ramp: static bar that falls to the right
    lower ramp: static bar that falls to the left, below the end of the upper one
    ball: dynamic, at the upper end of the upper ramp
    wall: static bar, upright after it was laid on the ground, so that about half of it is below the ground
    floor: static bar, from the wall to the right and beyond the scene
    right slope: static bar that closes the right side

Parameters
    size: of the ball
    tilt: degrees of the lower ramp
    x, height: centre and bottom of the upper ramp before it is turned
    length: of the wall

    The wall is further from the left border than it is high, and the ball fits between it and the lower ramp.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 7.5e-4, stably with 4.0e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00109"
TIER = "2B"
PARAMETERS = {
    "size": [0.05, 0.1],
    "tilt": lin(15, 30, 3),
    "x": lin(0.2, 0.6, 5),
    "height": lin(0.6, 0.8, 3),
    "length": lin(0.3, 0.6, 4),
}


def build(world: World, size: float, tilt: float, x: float, height: float, length: float) -> None:
    upper = world.static(bar(0.3), "upper ramp", cx=x, bottom=height)
    upper.turn(-20)
    lower = world.static(bar(0.3), "lower ramp", angle=tilt, right=upper.right + 0.15, top=upper.bottom - 0.1)
    rolling = world.dynamic(ball(size), "ball", left=upper.left, bottom=upper.top)
    wall = world.static(bar(length), "wall", cx=lower.left - 0.15, bottom=0)
    wall.turn(90)
    world.reject(wall.left < wall.top)
    world.reject(lower.bottom - wall.top < size)
    floor = world.static(bar(1), "floor", left=wall.right, bottom=0)
    world.static(bar(1), "right slope", angle=-20, left=lower.right + 0.05, top=lower.top)
    world.goal(rolling, floor)
