"""A part of a level, enlarged, with axes, letters on pigs and numbers on birds."""

import numpy as np
from PIL import Image

from tumble.llm.prompt import Picture
from tumble.llm.zoom import Box, with_axes
from tumble.phyq.llm.scene_picture import labelled, png
from tumble.phyq.observation.framing import Camera
from tumble.phyq.observation.illustration import Illustrator, dots_along
from tumble.phyq.observation.view import View
from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH
from tumble.phyq.tasks.level import Level

WORLD = Box(-HALF_WIDTH, GROUND_Y - 0.5, HALF_WIDTH, 12.0)
"""What can be looked at, in units."""
SMALLEST_SIDE = 0.5
"""Units along a part, at least."""
LONGER_SIDE = 768
"""Pixels along the longer side of a part."""


def scene_part(level: Level, view: View, box: Box) -> Picture:
    """A picture of what is in a box."""
    width, height = box.pixels(LONGER_SIDE)
    camera = Camera(box.left, box.top, box.scale(LONGER_SIDE), width, height)
    dots = None if view.trail is None else dots_along(view.trail)[0]
    drawn = np.asarray(Illustrator(view.objects, view.slingshot, camera, dots, with_map=False).paint()[0])
    inside = [one for one in view.objects if box.left <= one.x <= box.right and box.bottom <= one.y <= box.top]
    image = labelled(Image.fromarray(drawn), camera, inside, level)
    return Picture(png(with_axes(image, box)), f"The level now, {box}, in units")
