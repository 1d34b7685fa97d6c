"""How an object looks: its shape, colour, material and pattern, as plain data and as rows for the device."""

from dataclasses import dataclass

import numpy as np

from tumble.comphy.objects.registry import CATEGORIES
from tumble.comphy.observation.renderer.clips import METAL_DIFFUSE, METAL_EXPONENT
from tumble.comphy.observation.renderer.colors import RGB, linear
from tumble.comphy.observation.staged.scene import LOOK_ROW
from tumble.draws import Draws
from tumble.errors import TumbleError

MATERIALS = ("metal", "rubber")
PLAIN = "plain"
PATTERNS = ("wood", "ceramic", "painted")
GLOSS = {PLAIN: 0.0, "wood": 0.12, "ceramic": 1.0, "painted": 0.3}
CERAMIC_WHITE = 0.03
"""Share of white in the glaze of ceramics."""
ROLE_TINTS = {
    "handle": (0.8, 0.0),
    "legs": (0.75, 0.0),
    "lid": (0.92, 0.03),
    "cushions": (1.1, 0.05),
    "back": (0.9, 0.0),
    "shade": (1.0, 0.04),
    "bulb": (1.0, 0.85),
    "label": (1.0, 0.5),
    "cork": (0.55, 0.15),
    "grip": (0.6, 0.0),
    "base": (0.75, 0.0),
    "frame": (0.65, 0.0),
    "glass": (1.0, 0.25),
    "band": (1.0, 0.75),
}
"""Of the roles in a mesh: a factor of the colour, and the share of white mixed in; (1, 0) for all others."""


class LookError(TumbleError):
    """An unknown shape, colour, material or pattern."""


@dataclass(frozen=True)
class ObjectLook:
    """An object as it is seen: a category of objects, the seed of its form, and its surface.

    >>> ObjectLook("mug", 7, "red", "rubber", "ceramic").pattern
    'ceramic'
    """

    shape: str
    form: int | str
    """The seed of `objects.registry.build`."""
    color: str
    material: str = "rubber"
    pattern: str = PLAIN

    def __post_init__(self) -> None:
        known = (
            ("shape", CATEGORIES),
            ("color", tuple(RGB)),
            ("material", MATERIALS),
            ("pattern", (PLAIN, *PATTERNS)),
        )
        for name, values in known:
            if getattr(self, name) not in values:
                raise LookError(f"no {name} {getattr(self, name)!r}; there are {', '.join(values)}")


def look_row(look: ObjectLook) -> np.ndarray:
    """LookRow []: the surface of an object."""
    color = linear(np.array(RGB[look.color]) / 255.0)
    is_metal = look.material == "metal"
    row = np.zeros((), LOOK_ROW)
    row["diffuse"] = color * (METAL_DIFFUSE if is_metal else 1.0)
    if look.pattern == "ceramic":
        row["diffuse"] += CERAMIC_WHITE * (1.0 - row["diffuse"])
    row["specular"] = color**METAL_EXPONENT if is_metal else 0.0
    row["pattern"] = PATTERNS.index(look.pattern) + 1 if look.pattern in PATTERNS else 0
    row["gloss"] = GLOSS[look.pattern]
    draws = Draws(f"pattern of {look.shape} {look.form} {look.color}")
    row["offset"] = [draws.between(3.0, 9.0) for _ in range(3)]
    return row
