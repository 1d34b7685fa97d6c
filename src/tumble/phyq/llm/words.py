"""Names, sizes and places of objects in words, with as many digits as matter."""

from collections.abc import Sequence

from tumble.phyq.observation.objects import GameObject
from tumble.phyq.tasks.outlines import placed, shape_corners
from tumble.phyq.tasks.pieces import BIRDS, shape_box
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


def _size(one: GameObject) -> str:
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
    return f"{ {'block': one.material, 'tnt': 'TNT', 'platform': 'platform'}[one.kind] } {_size(one)}"


def place_words(one: GameObject) -> str:
    """Where an object is: its centre and its angle if it is turned; the corners of a triangle."""
    if one.kind == "block" and one.name in TRIANGLES:
        corners = placed(shape_corners(one.shape), one.x, one.y, one.rotation)
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


def grouped(objects: Sequence[GameObject], without: str = "") -> list[str]:
    """Lines of objects of one kind and size with their places, in the order in which kinds first appear.

    `without` is left out where the name of a kind begins with it.
    """
    groups: dict[str, list[str]] = {}
    for one in objects:
        groups.setdefault(kind_words(one).removeprefix(without), []).append(place_words(one))
    return [f"{name}: {', '.join(places)}" for name, places in groups.items()]
