"""Drawings of scenes in a terminal."""

import numpy as np
from rich.color import Color
from rich.console import Console

from tumble.phyre.cli.browse import colour_drawing, text_drawing
from tumble.scene import Body, Circle, Scene, box


def test_bars_thinner_than_a_character_are_drawn() -> None:
    """A character is 8 units high; a bar of 5 is drawn at any height."""
    for y in np.arange(20.0, 28.0):
        drawn = text_drawing(Scene((Body((box(256.0, 5.0),), position=(128.0, y)),)))
        assert f"|{'#' * 64}|" in drawn


def colour(of: Color | None) -> tuple[int, int, int]:
    assert of is not None
    return tuple(of.get_truecolor())


def test_a_drawing_in_colour_shows_two_pixels_in_a_character() -> None:
    floor = Body((box(256.0, 100.0),), position=(128.0, 50.0), role="subject")
    lines = colour_drawing(Scene((floor,))).split("\n", allow_blank=False)
    assert [line.plain for line in lines] == ["▀" * 64] * 32
    # Of 64 pixels down, the 25 lowest are the floor's: row 19 of 32 is half floor.
    styles = [lines[number].get_style_at_offset(Console(), 0) for number in (0, 19, 31)]
    white, purple = (255, 255, 255), (0x4B, 0x4A, 0xA4)
    assert [(colour(style.color), colour(style.bgcolor)) for style in styles] == [
        (white, white),
        (white, purple),
        (purple, purple),
    ]


def test_a_long_scene_keeps_its_proportions() -> None:
    drawn = text_drawing(Scene((Body((Circle(4.0),), position=(10.0, 10.0)),), width=400.0, height=100.0))
    assert [len(line) for line in drawn.splitlines()] == [66] * 10
