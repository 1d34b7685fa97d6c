"""Episodes as animated SVG text, in real time."""

import numpy as np

from tumble.phyq.observation import landscape
from tumble.phyq.observation.animation import AFTER, fps, frames_shown
from tumble.phyq.observation.appearance import Layer, layers
from tumble.phyq.observation.framing import Camera, fitted_camera
from tumble.phyq.observation.illustration import height_for
from tumble.phyq.observation.objects import moved
from tumble.phyq.observation.scenery import sling
from tumble.phyq.observation.trails import trails
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.scene.svg import decimal
from tumble.scene.svg_animation import Moving, svg_animation

WIDTH = 640
"""Pixels; SVG can be shown in any size."""


def animated_svg(motion: Motion) -> str:
    """An endless animation of the whole level, which ends once everything rests."""
    camera = film_camera(motion)
    frames = np.unique(frames_shown(motion))
    poses = motion.poses[frames]
    scaled = np.stack([*_pixels(camera, poses[..., 0], poses[..., 1]), poses[..., 2]], axis=-1)
    moving = [
        Moving("".join(_element(layer, camera.scale) for layer in layers(one)), scaled[:, index])
        for index, one in sorted(enumerate(motion.objects), key=lambda pair: pair[1].kind != "platform")
    ]
    size = (float(camera.width), float(camera.height))
    origin = camera.top * camera.scale
    dots = _dots(motion, camera, frames)
    ground = _fixed(landscape.ground(camera), camera)
    return svg_animation(size, origin, _background(motion, camera), [*dots, *moving], ground, fps(motion), AFTER)


def film_camera(motion: Motion) -> Camera:
    """The camera of an animation, which shows the whole level."""
    found = trails(motion).points
    start = moved(motion.objects, motion.poses[0])
    return fitted_camera(start, motion.slingshot, WIDTH, height_for(WIDTH), found, whole=True)


def _pixels(camera: Camera, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns from the left, and rows up from height 0 of the world."""
    return (x - camera.left) * camera.scale, y * camera.scale


def _dots(motion: Motion, camera: Camera, frames: np.ndarray) -> list[Moving]:
    """The dots of trails, each of which is there for some frames."""
    found = trails(motion)
    present = found.shown(frames)
    columns, rows = _pixels(camera, found.points[:, 0], found.points[:, 1])
    moving = []
    for k, (x, y) in enumerate(zip(columns, rows, strict=True)):
        still = np.tile([x, y, 0.0], (len(frames), 1))
        still[~present[:, k]] = np.nan
        moving.append(Moving('<circle r="1.5" fill="#fff"/>', still, turns=False))
    return moving


def _element(layer: Layer, scale: float) -> str:
    """A layer in the frame of its object, in pixels."""
    colour = "#" + bytes(landscape.ALL_COLOURS[layer.colour]).hex()
    points = np.round(layer.points * scale, 1)
    if len(points) == 1:
        x, y = map(decimal, points[0])
        radius = decimal(round(layer.radius * scale, 1))
        return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'
    corners = " ".join(f"{decimal(x)},{decimal(y)}" for x, y in points)
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _fixed(drawn: list[Layer], camera: Camera) -> str:
    """Layers in the coordinates of the world."""
    left, origin = decimal(round(-camera.left * camera.scale, 2)), decimal(round(camera.top * camera.scale, 2))
    elements = "".join(_element(layer, camera.scale) for layer in drawn)
    return f'<g transform="translate({left} {origin}) scale(1 -1)">{elements}</g>'


def _background(motion: Motion, camera: Camera) -> str:
    """Sky, clouds, hills, soil and the slingshot."""
    top, low = ("#" + bytes(colour).hex() for colour in (landscape.SKY_TOP, landscape.SKY_LOW))
    ground = decimal(round((camera.top - GROUND_Y) * camera.scale, 1))
    sky = (
        f'<linearGradient id="sky" x2="0" y2="1"><stop stop-color="{top}"/><stop offset="1" stop-color="{low}"/>'
        f'</linearGradient><rect width="{camera.width}" height="{ground}" fill="url(#sky)"/>'
    )
    return sky + _fixed([*landscape.scenery(camera), *sling(motion.slingshot)], camera)
