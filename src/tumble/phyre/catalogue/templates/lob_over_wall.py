"""A small ball sits on the left end of a balanced beam; hit the other end so that the ball is thrown over a wall onto
the strip of floor at the far left.

Bodies
    stand: static sticks
    hinge: ball on the stand, static or dynamic
    beam: dynamic bar on the hinge
    ball: dynamic, on the left end of the beam
    roof: static bar that rises to the right
    wall: static upright bar at the left end of the beam
    raised floor: static bar that reaches up to the wall or through it, then over a part of the strip
    middle guard, right guard: static upright bars above the beam and beyond its right end
    counter ball: dynamic, on the right half of the beam
    dot: static short bar above the beam
    strip: static bar on the ground, left of the wall

Parameters
    dot_height: bottom of the dot
    dot_offset: its left edge, in halves of the beam from the middle of the beam
    loose: whether the hinge is dynamic
    height, x: bottom and centre of the stand
    length: of the beam
    counter_size: of the counter ball

Goal
    The ball touches the strip.

Solvability
    A random valid action solves with a chance of 2.3e-4, stably with 8.9e-5.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, lin, sticks

ID = "00116"
TIER = "2B"
PARAMETERS = {
    "dot_height": lin(0.5, 0.7, 4),
    "dot_offset": lin(-0.2, 0.2, 4),
    "loose": (False, True),
    "height": lin(0.05, 0.15, 4),
    "x": lin(0.4, 0.6, 4),
    "length": lin(0.4, 0.6, 4),
    "counter_size": lin(0.04, 0.06, 4),
}


def build(
    world: World,
    dot_height: float,
    dot_offset: float,
    loose: bool,
    height: float,
    x: float,
    length: float,
    counter_size: float,
) -> None:
    stand = world.static(sticks(0.1), "stand", cx=x, bottom=height)
    add_hinge = world.dynamic if loose else world.static
    hinge = add_hinge(ball(0.05), "hinge", cx=stand.cx, bottom=stand.top)
    beam = world.dynamic(bar(length), "beam", cx=stand.cx, bottom=hinge.top)
    thrown = world.dynamic(ball(0.04), "ball", left=beam.left, bottom=beam.top)
    world.static(bar(1.4), "roof", angle=25, left=-5 * PX, bottom=0.8)
    wall = world.static(bar(0.5), "wall", angle=90, right=beam.left, bottom=0)
    world.static(bar(0.9), "raised floor", right=1, bottom=10 * PX)
    middle = world.static(bar(0.2), "middle guard", angle=90, right=beam.cx + 10 * PX, bottom=beam.top + 10 * PX)
    world.static(bar(0.05), "right guard", angle=90, right=beam.right + 20 * PX, top=middle.top)
    world.dynamic(ball(counter_size), "counter ball", right=(beam.cx + beam.right) / 2, bottom=beam.top)
    world.static(bar(0.02), "dot", left=beam.cx + beam.width * dot_offset / 2, bottom=dot_height)
    strip = world.static(bar(wall.left), "strip", left=0, bottom=0)
    world.goal(thrown, strip)
