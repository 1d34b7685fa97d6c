"""Shared by plank_on_ball and plank_and_jar: two steps, and a jar with a ball inside on the right one."""

from tumble.phyre.catalogue.template import PX, World, WorldBody, ball, bar, jar


def step_heights(world: World, lower: float, difference: float, jar_size: float) -> tuple[float, float]:
    """Heights of the left and the right step; rejects those that don't suit the jar."""
    world.reject(jar_size < 0.19 and abs(difference) > 0.19)
    world.reject(jar_size > 0.26 and difference < 0.19)
    return (lower, lower + difference) if difference > 0 else (lower - difference, lower)


def jar_on_step(world: World, height: float, tilt: float, jar_right: float, jar_size: float) -> WorldBody:
    """The right step and the jar on it; returns the ball in the jar."""
    step = world.static(bar(0.3), "right step", angle=tilt, bottom=height, right=1)
    holder = world.dynamic(jar(jar_size), "jar", bottom=step.top, right=jar_right)
    return world.dynamic(ball(0.05 + jar_size / 8), "inner", cx=holder.cx, bottom=holder.bottom + 10 * PX)
