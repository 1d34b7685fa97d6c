"""Crossed sticks hang hooked over the top of a fixed pair; dislodge them so that they lie on the ground.

Bodies
    ground: static bar
    base: static sticks on the ground
    hook: dynamic sticks, leaning outwards, their lower end over the top of the base

Parameters
    x: centre of the base
    height: bottom of the ground
    on_left: whether the hook hangs on the left side
    base_size, hook_size: of the two pairs of sticks

Goal
    The hook touches the ground.

Solvability
    A random valid action solves with a chance of 2.4e-5, stably with 8.2e-6.
"""

from tumble.phyre.catalogue.template import World, bar, either, lin, sticks

ID = "00122"
TIER = "2B"
PARAMETERS = {
    "x": lin(0.4, 0.7, 5),
    "height": (0.0, 0.075),
    "on_left": (True, False),
    "base_size": lin(0.5, 0.7, 4),
    "hook_size": lin(0.4, 0.6, 4),
}


def build(world: World, x: float, height: float, on_left: bool, base_size: float, hook_size: float) -> None:
    ground = world.static(bar(1), "ground", cx=0.5, bottom=height)
    base = world.static(sticks(base_size), "base", cx=x, bottom=ground.top)
    grip = 0.1 * hook_size
    hook = world.dynamic(
        sticks(hook_size),
        "hook",
        angle=35 if on_left else -35,
        bottom=base.top - grip,
        **either(on_left, right=base.left + grip, left=base.right - grip),
    )
    world.goal(hook, ground)
