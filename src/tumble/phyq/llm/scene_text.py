"""A level, or a later moment of it, in compact and exact words.

>>> from tumble.phyq.observation.view import start
>>> from tumble.phyq.tasks.catalogue import task
>>> level = task("1.4:000").level
>>> print(pigs_text(start(level).objects))
Pigs: A small (radius 0.22) at (2.45, -3.27).
"""

from collections.abc import Sequence

from tumble.phyq.llm.words import centre_offset, digits, grouped, pig_letter, place, radius
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.pieces import BIRDS

BIRD_POWERS = {
    "red": "a tap has no effect",
    "yellow": "a tap adds 7.1 units/s along its flight; 2.4 times the damage to wood",
    "blue": "a tap splits it into three of the same speed, turned by +15, +5 and -5 degrees; 4 times the damage to ice",
    "white": "a tap drops an egg straight down at 6 units/s, which explodes where it hits (radius 2, damage up to 200),"
    " and lifts the bird by 9.4 units/s",
    "black": "explodes at the tap, or 0.6 s after its first hit (radius 3, damage up to 20); 2.5 times the damage to"
    " stone",
}
"""By colour: what a tap does, and what is special; a test compares the numbers with those of the game."""

UNHURT = 0.995
"""The share of life from which on a pig counts as unhurt."""


def birds_text(level: Level, shots: int = 0) -> str:
    """The birds that are left after a number of shots; before the first, or where colours differ, with their powers."""
    left = level.birds[shots:]
    queue = f"Birds left, in their order: {', '.join(left)}." if shots else f"Birds, in their order: {', '.join(left)}."
    if shots and len(set(level.birds)) == 1:
        return queue
    first = left[0]
    dx, dy = centre_offset(first)
    centre = place(level.rest_point[0] + dx, level.rest_point[1] + dy)
    size = digits(BIRDS[first].circle.radius)
    start = f"The centre of the first on the slingshot is (x0, y0) = {centre}, its radius {size}."
    powers = [f"{colour.capitalize()}: {BIRD_POWERS[colour]}." for colour in dict.fromkeys(left)]
    return " ".join([queue, start, *powers])


def pigs_text(objects: Sequence[GameObject]) -> str:
    """The living pigs, with their letters."""
    pigs = [one for one in objects if one.kind == "pig"]
    words = [
        f"{pig_letter(one.number)} {one.name} (radius {digits(radius(one))}) at {place(one.x, one.y)}{_hurt(one)}"
        for one in pigs
    ]
    return f"Pigs: {'; '.join(words)}."


def _hurt(one: GameObject) -> str:
    """How much of its life is left, if not all."""
    return f" with {100.0 * one.life:.0f} % of its life left" if one.life < UNHURT else ""


def spent_text(objects: Sequence[GameObject], level: Level, shots: int) -> str:
    """Birds that were shot and lie in the level."""
    first = len(level.pieces)
    spent = [
        one for one in objects if one.kind == "bird" and not first + shots <= one.number < first + len(level.birds)
    ]
    return f"Birds that were shot lie at {', '.join(place(one.x, one.y) for one in spent)}." if spent else ""


def pieces_text(objects: Sequence[GameObject], platforms: bool = True) -> str:
    """Blocks, TNT and platforms, those of one size on a line."""
    lines = []
    blocks = grouped([one for one in objects if one.kind == "block"])
    if blocks:
        lines += ["Blocks:", *blocks]
    lines += grouped([one for one in objects if one.kind == "tnt"])
    fixed = grouped([one for one in objects if one.kind == "platform"], "platform ")
    if platforms and fixed:
        lines += ["Platforms:", *fixed]
    return "\n".join(lines)


def scene_text(objects: Sequence[GameObject], platforms: bool = True) -> str:
    """All pigs and pieces."""
    return "\n".join(part for part in (pigs_text(objects), pieces_text(objects, platforms)) if part)
