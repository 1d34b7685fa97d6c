"""Episodes as animated SVG text, in real time."""

import numpy as np

from tumble.phyq.observation import scenery
from tumble.phyq.observation.animation import AFTER, ROWS_SHOWN, fps, frames_shown
from tumble.phyq.observation.appearance import COLOURS, Layer, layers
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, PIXELS_PER_UNIT, TOP
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH
from tumble.scene import Vec
from tumble.scene.svg import decimal
from tumble.scene.svg_animation import Moving, svg_animation

ORIGIN = TOP * PIXELS_PER_UNIT
"""Pixels from the upper edge down to height 0 of the world."""


def animated_svg(motion: Motion) -> str:
    """An endless animation, which ends once everything rests."""
    poses = motion.poses[np.unique(frames_shown(motion))]
    scaled = np.stack([*_pixels(poses[..., 0], poses[..., 1]), poses[..., 2]], axis=-1)
    moving = [
        Moving("".join(map(_element, layers(one))), scaled[:, index])
        for index, one in sorted(enumerate(motion.objects), key=lambda pair: pair[1].kind != "platform")
    ]
    background = _background(motion.slingshot)
    ground = _fixed(scenery.grass())
    return svg_animation((COLUMNS, ROWS_SHOWN), ORIGIN, background, moving, ground, fps(motion), AFTER)


def _pixels(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns from the left, and rows up from height 0 of the world."""
    return (x + HALF_WIDTH) * PIXELS_PER_UNIT, y * PIXELS_PER_UNIT


def _element(layer: Layer) -> str:
    """A layer in the frame of its object, in pixels."""
    colour = "#" + bytes(COLOURS[layer.colour]).hex()
    points = np.round(layer.points * PIXELS_PER_UNIT, 1)
    if len(points) == 1:
        x, y = map(decimal, points[0])
        radius = decimal(round(layer.radius * PIXELS_PER_UNIT, 1))
        return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'
    corners = " ".join(f"{decimal(x)},{decimal(y)}" for x, y in points)
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _fixed(drawn: list[Layer]) -> str:
    """Layers in the coordinates of the world."""
    placed = f"translate({decimal(HALF_WIDTH * PIXELS_PER_UNIT)} {decimal(ORIGIN)}) scale(1 -1)"
    return f'<g transform="{placed}">{"".join(map(_element, drawn))}</g>'


def _background(slingshot: Vec) -> str:
    """Sky, hills, clouds, earth and the slingshot."""
    top, bottom = ("#" + bytes(scenery.SKY[k]).hex() for k in (0, -1))
    hill, cloud, earth = ("#" + bytes(COLOURS[name]).hex() for name in ("hill", "cloud", "earth"))
    ground = decimal(round(GROUND_ROW, 1))
    sky = (
        f'<linearGradient id="sky" x2="0" y2="1"><stop stop-color="{top}"/><stop offset="1" stop-color="{bottom}"/>'
        f'</linearGradient><rect width="{COLUMNS}" height="{ground}" fill="url(#sky)"/>'
    )
    hills = [_ellipse(middle, GROUND_Y, half, height, hill) for middle, half, height in scenery.HILLS]
    clouds = [
        _ellipse(middle + dx * size, height + dy * size, r * size, 0.7 * r * size, cloud)
        for middle, height, size in scenery.CLOUDS
        for dx, dy, r in scenery.PUFFS
    ]
    soil = f'<rect y="{ground}" width="{COLUMNS}" height="{ROWS_SHOWN}" fill="{earth}"/>'
    return "".join([sky, *hills, *clouds, soil, _fixed(scenery.sling(slingshot))])


def _ellipse(x: float, y: float, across: float, up: float, colour: str) -> str:
    cx, cy = (x + HALF_WIDTH) * PIXELS_PER_UNIT, (TOP - y) * PIXELS_PER_UNIT
    rx, ry = across * PIXELS_PER_UNIT, up * PIXELS_PER_UNIT
    return f'<ellipse cx="{cx:.1f}" cy="{cy:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="{colour}"/>'
