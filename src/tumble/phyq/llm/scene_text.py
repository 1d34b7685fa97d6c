"""A level, or a later moment of it, in compact and exact words, with as many digits as matter.

>>> from tumble.phyq.observation.view import start
>>> from tumble.phyq.catalogue.tasks import task
>>> level = task("1.4:000").level
>>> print(pigs_text(start(level).objects))
Pigs: A small (radius 0.22) at (2.45, -3.27).
"""

from collections.abc import Sequence

from tumble.phyq.catalogue.level import Level, placed_corners, shape_corners
from tumble.phyq.catalogue.physics import BIRDS, shape_box
from tumble.phyq.observation.objects import GameObject
from tumble.scene import Vec

STRAIGHT = 1.0
"""Degrees from a multiple of 90 below which a block counts as not turned."""
TRIANGLES = ("triangle", "triangle_hole")
BALLS = ("circle", "circle_small")


def digits(value: float, decimals: int = 2) -> str:
    """A number without zeros at its end.

    >>> digits(-3.50), digits(-0.001)
    ('-3.5', '0')
    """
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def place(x: float, y: float) -> str:
    """A point, as in (1.5, -3)."""
    return f"({digits(x)}, {digits(y)})"


def pig_letter(number: int) -> str:
    """The letter of a pig of a level: A to Z, then AA, AB, …

    >>> pig_letter(0), pig_letter(27)
    ('A', 'AB')
    """
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


def radius(one: GameObject) -> float:
    """Half the width of a round object."""
    left, _, right, _ = shape_box(one.shape)
    return (right - left) / 2.0


def centre_offset(colour: str) -> Vec:
    """The offset from the position of a bird that is not turned to the centre of its circle."""
    return BIRDS[colour].circle.centre


def is_turned(one: GameObject) -> bool:
    """Whether a box stands at an angle."""
    return abs((one.rotation + 45.0) % 90.0 - 45.0) > STRAIGHT


def _size_words(one: GameObject) -> str:
    left, bottom, right, top = shape_box(one.shape)
    sides = [digits(right - left), digits(top - bottom)]
    stands_on_end = not is_turned(one) and round(one.rotation / 90.0) % 2
    return "x".join(reversed(sides) if stands_on_end else sides)


def kind_words(one: GameObject) -> str:
    """What an object is, with its size, as in "wood 0.18x1.89" or "stone ball of radius 0.38"."""
    if one.kind == "pig":
        return f"{one.name} pig"
    if one.kind == "bird":
        return f"{one.name} bird"
    if one.kind == "block" and one.name in BALLS:
        return f"{one.material} ball of radius {digits(radius(one))}"
    if one.kind == "block" and one.name in TRIANGLES:
        return f"{one.material} triangle"
    if one.kind == "egg":
        return "egg"
    return f"{ {'block': one.material, 'tnt': 'TNT', 'platform': 'platform'}[one.kind] } {_size_words(one)}"


def place_words(one: GameObject) -> str:
    """Where an object is: its centre and its angle if it is turned; the corners of a triangle."""
    if one.kind == "block" and one.name in TRIANGLES:
        corners = placed_corners(shape_corners(one.shape), one.x, one.y, one.rotation)
        return "-".join(place(x, y) for x, y in corners.tolist())
    at = place(one.x, one.y)
    round_one = one.kind in ("pig", "bird", "egg") or one.name in BALLS
    if round_one or not is_turned(one):
        return at
    return f"{at} at {digits((one.rotation + 90.0) % 180.0 - 90.0, 1)}°"


def object_words(one: GameObject | None, pigs: int) -> str:
    """An object in a sentence; `pigs` is how many the level has, None is the ground."""
    if one is None:
        return "the ground"
    if one.kind == "pig" and one.number < pigs:
        return f"pig {pig_letter(one.number)}"
    if one.kind == "bird":
        return f"the {one.name} bird"
    return "the egg" if one.kind == "egg" else f"{kind_words(one)} at {place(one.x, one.y)}"


def grouped_lines(objects: Sequence[GameObject], without: str = "") -> list[str]:
    """Lines of objects of one kind and size with their places, in the order in which kinds first appear.

    `without` is left out where the name of a kind begins with it.
    """
    groups: dict[str, list[str]] = {}
    for one in objects:
        groups.setdefault(kind_words(one).removeprefix(without), []).append(place_words(one))
    return [f"{name}: {', '.join(places)}" for name, places in groups.items()]


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
    blocks = grouped_lines([one for one in objects if one.kind == "block"])
    if blocks:
        lines += ["Blocks:", *blocks]
    lines += grouped_lines([one for one in objects if one.kind == "tnt"])
    fixed = grouped_lines([one for one in objects if one.kind == "platform"], "platform ")
    if platforms and fixed:
        lines += ["Platforms:", *fixed]
    return "\n".join(lines)


def scene_text(objects: Sequence[GameObject], platforms: bool = True) -> str:
    """All pigs and pieces."""
    return "\n".join(part for part in (pigs_text(objects), pieces_text(objects, platforms)) if part)
