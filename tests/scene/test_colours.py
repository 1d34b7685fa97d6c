"""Which body has which colour."""

import pytest

from tumble.scene import PALETTE, Body, Circle, colour_index

COLOURS = [  # role, dynamic, index and colour as in PHYRE
    ("placed", True, 1, 0xF34F46),
    ("object", True, 2, 0x6BCEBB),
    ("subject", True, 3, 0x1877F2),
    ("subject", False, 4, 0x4B4AA4),
    ("", True, 5, 0xB9CAD2),
    ("", False, 6, 0x000000),
    ("bird", True, 5, 0xB9CAD2),
    ("platform", False, 6, 0x000000),
]


@pytest.mark.parametrize(("role", "dynamic", "index", "colour"), COLOURS)
def test_role_and_motion_decide_the_colour(role: str, dynamic: bool, index: int, colour: int) -> None:
    body = Body((Circle(1.0),), role=role, dynamic=dynamic)
    assert colour_index(body) == index
    assert PALETTE[index].tobytes() == colour.to_bytes(3, "big")


def test_the_background_is_white_and_the_palette_cannot_be_changed() -> None:
    assert PALETTE.shape == (7, 3)
    assert PALETTE[0].tolist() == [255, 255, 255]
    with pytest.raises(ValueError, match="read-only"):
        PALETTE[0] = 0
