"""Episodes as animations in real time: image files and SVG text, with trails of the birds.

Trails are dots along the flights of birds, from the release to the first contact.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.phyq.catalogue.physics import FALL, GROUND_Y, REST_OFFSET, STEP
from tumble.phyq.observation.camera import Camera, fitted_camera, sling_layers
from tumble.phyq.observation.illustration import (
    ALL_COLOURS,
    FLAT_COLOURS,
    SKY_LOW,
    SKY_TOP,
    Illustrator,
    camera_of,
    dots_along,
    ground_layers,
    height_for,
    hills_and_clouds,
)
from tumble.phyq.observation.objects import Layer, layers, moved
from tumble.phyq.observation.view import Motion
from tumble.scene.picture import check_animation, write_animation
from tumble.scene.svg import Moving, decimal, svg_animation

NEAR_SLING = 1.6
"""Flights that start at this distance from the rest point are releases; others are of split birds."""
LOST_ENERGY = 1.5
"""A flight ends where a bird loses so much energy for each unit of its mass: taps add energy, contacts take it."""


@dataclass(frozen=True)
class Trails:
    """Dots of the flights in a motion."""

    points: np.ndarray
    """float [dots, 2]."""
    first: np.ndarray
    """int [dots]: the frame in which a dot appears."""
    last: np.ndarray
    """int [dots]: the frame before the next bird is released."""

    def shown(self, frames: np.ndarray) -> np.ndarray:
        """bool [n, dots]: which dots are drawn in frames [n]."""
        at = np.asarray(frames)[:, None]
        return np.asarray((self.first <= at) & (at <= self.last))


def flights(motion: Motion) -> list[tuple[int, np.ndarray]]:
    """The first frame and the positions [n, 2] of each flight of a bird, in the order in which they start."""
    rest = np.add(motion.slingshot, REST_OFFSET)
    seconds = float(motion.seconds[1] - motion.seconds[0]) if len(motion.seconds) > 1 else 1.0
    found = []
    for k, one in enumerate(motion.objects):
        points = motion.poses[:, k, :2]
        present = np.isfinite(points).all(axis=1)
        if one.kind != "bird" or not present.any():
            continue
        seen = int(np.argmax(present))
        stands = (points == rest).all(axis=1) | (points == points[seen]).all(axis=1)
        if stands[seen:].all():
            continue
        start = seen + int(np.argmin(stands[seen:]))
        gone = np.flatnonzero(~present[start:])
        flown = points[start : start + int(gone[0]) if len(gone) else None]
        if len(flown) > 1:
            found.append((start, flown[: _first_contact(flown, seconds)]))
    return sorted(found, key=lambda flight: flight[0])


def trails(motion: Motion) -> Trails:
    """The trails of a motion; those of one bird disappear when the next is released."""
    found = flights(motion)
    rest = np.add(motion.slingshot, REST_OFFSET)
    releases = [start for start, flown in found if np.hypot(*(flown[0] - rest)) < NEAR_SLING]
    points, first, last = [np.empty((0, 2))], [np.empty(0)], [np.empty(0)]
    for start, flown in found:
        dots, at = dots_along(flown)
        later = [other for other in releases if other > start]
        points.append(dots)
        first.append(start + np.ceil(at))
        last.append(np.full(len(dots), later[0] - 1 if later else len(motion.poses)))
    return Trails(np.concatenate(points), np.concatenate(first).astype(int), np.concatenate(last).astype(int))


def _first_contact(flown: np.ndarray, seconds: float) -> int:
    """The number of positions until a flight [n, 2] with this time between positions has its first contact."""
    velocity = np.diff(flown, axis=0) / seconds
    energy = (velocity**2).sum(axis=1) / 2.0 + FALL * (flown[1:, 1] + flown[:-1, 1]) / 2.0
    lost = np.flatnonzero(np.diff(energy) < -LOST_ENERGY)
    return int(lost[0]) + 2 if len(lost) else len(flown)


STRIDE = 3
"""Default number of steps between pictures: 60 milliseconds."""
WIDTH = 640
"""Default width of an animation in pixels."""
BEFORE, AFTER = 0.5, 1.0
"""Seconds for which the first and the last frame are shown."""
GIF_COLOURS = 256
INVISIBLE = 0.005
"""World units and radians below which motion is not visible."""


def save_motion(
    path: str | Path,
    motion: Motion,
    width: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    zoom: float = 1.0,
) -> None:
    """Writes a .gif or .webp file, `width` pixels wide, which ends once everything rests."""
    shown = frames_shown(motion)
    check_animation(path, frames_per_second(motion))
    film = Film(motion, width, zoom)

    def pictures() -> Iterator[Image.Image]:
        last, image = -1, None
        for frame in shown.tolist():
            if frame != last:  # repeated frames are drawn once
                last, image = frame, Image.fromarray(film.picture(frame))
            assert image is not None
            yield image
            if progress is not None:
                progress(1)

    sample = [film.picture(frame) for frame in shown[np.linspace(0, len(shown) - 1, 6).astype(int)].tolist()]
    write_animation(path, pictures(), len(shown), frames_per_second(motion), _palette(sample))


class Film:
    """Pictures for people of the frames of a motion, all with one camera."""

    def __init__(self, motion: Motion, width: int = WIDTH, zoom: float = 1.0) -> None:
        start = moved(motion.objects, motion.poses[0])
        camera = camera_of(start, motion.slingshot, width, zoom, _points_of_flights(motion))
        self._poses, self._trails = motion.poses, trails(motion)
        self._illustrator = Illustrator(motion.objects, motion.slingshot, camera, self._trails.points)

    def picture(self, frame: int) -> np.ndarray:
        """uint8 [height, width, 3]."""
        dots = self._trails.shown(np.array([frame]))
        return np.asarray(self._illustrator.paint(self._poses[frame : frame + 1], dots)[0])


def _points_of_flights(motion: Motion) -> np.ndarray:
    """Positions [n, 2] of all birds in flight."""
    return np.concatenate([np.empty((0, 2)), *(flown for _, flown in flights(motion))])


def frames_shown(motion: Motion) -> np.ndarray:
    """int [n]: the frames of an animation: the first repeated, all until rest, and the last repeated."""
    distance = np.abs(_finite(motion.poses) - _finite(motion.poses[-1:]))
    moving = np.flatnonzero((distance > INVISIBLE).any(axis=(1, 2)))
    end = int(moving[-1]) + 1 if len(moving) else 0
    still = (round(seconds * frames_per_second(motion)) for seconds in (BEFORE, AFTER))
    before, after = (max(1, count) for count in still)
    return np.concatenate([np.zeros(before, int), np.arange(end + 1), np.full(after, len(motion.poses) - 1)])


def frames_per_second(motion: Motion) -> float:
    """Frames per second."""
    return float(1.0 / (motion.seconds[1] - motion.seconds[0])) if len(motion.seconds) > 1 else 1.0 / (STRIDE * STEP)


def _finite(poses: np.ndarray) -> np.ndarray:
    """Poses with absent objects far away instead of NaN."""
    return np.asarray(np.nan_to_num(poses, nan=1e9))


def _palette(pictures: list[np.ndarray]) -> np.ndarray:
    """The flat colours of drawings, then the most common other colours: of the sky, and mixed ones at edges."""
    flat = [list(colour) for colour in FLAT_COLOURS]
    colours, counts = np.unique(np.concatenate([each.reshape(-1, 3) for each in pictures]), axis=0, return_counts=True)
    other = [colour for colour in colours[np.argsort(-counts)].tolist() if colour not in flat]
    return np.array([*flat, *other][:GIF_COLOURS], np.uint8)


SVG_WIDTH = 640
"""Pixels; SVG can be shown in any size."""


def animated_svg(motion: Motion) -> str:
    """An endless animation of the whole level, which ends once everything rests."""
    camera = film_camera(motion)
    frames = np.unique(frames_shown(motion))
    poses = motion.poses[frames]
    scaled = np.stack([*_svg_pixels(camera, poses[..., 0], poses[..., 1]), poses[..., 2]], axis=-1)
    moving = [
        Moving("".join(_svg_element(layer, camera.scale) for layer in layers(one)), scaled[:, index])
        for index, one in sorted(enumerate(motion.objects), key=lambda pair: pair[1].kind != "platform")
    ]
    size = (float(camera.width), float(camera.height))
    origin = camera.top * camera.scale
    dots = _svg_dots(motion, camera, frames)
    ground = _svg_fixed(ground_layers(camera), camera)
    return svg_animation(
        size, origin, _svg_background(motion, camera), [*dots, *moving], ground, frames_per_second(motion), AFTER
    )


def film_camera(motion: Motion) -> Camera:
    """The camera of an animation, which shows the whole level."""
    found = trails(motion).points
    start = moved(motion.objects, motion.poses[0])
    return fitted_camera(start, motion.slingshot, SVG_WIDTH, height_for(SVG_WIDTH), found, whole=True)


def _svg_pixels(camera: Camera, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns from the left, and rows up from height 0 of the world."""
    return (x - camera.left) * camera.scale, y * camera.scale


def _svg_dots(motion: Motion, camera: Camera, frames: np.ndarray) -> list[Moving]:
    """The dots of trails, each of which is there for some frames."""
    found = trails(motion)
    present = found.shown(frames)
    columns, rows = _svg_pixels(camera, found.points[:, 0], found.points[:, 1])
    moving = []
    for k, (x, y) in enumerate(zip(columns, rows, strict=True)):
        still = np.tile([x, y, 0.0], (len(frames), 1))
        still[~present[:, k]] = np.nan
        moving.append(Moving('<circle r="1.5" fill="#fff"/>', still, turns=False))
    return moving


def _svg_element(layer: Layer, scale: float) -> str:
    """A layer in the frame of its object, in pixels."""
    colour = "#" + bytes(ALL_COLOURS[layer.colour]).hex()
    points = np.round(layer.points * scale, 1)
    if len(points) == 1:
        x, y = map(decimal, points[0])
        radius = decimal(round(layer.radius * scale, 1))
        return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'
    corners = " ".join(f"{decimal(x)},{decimal(y)}" for x, y in points)
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _svg_fixed(drawn: list[Layer], camera: Camera) -> str:
    """Layers in the coordinates of the world."""
    left, origin = decimal(round(-camera.left * camera.scale, 2)), decimal(round(camera.top * camera.scale, 2))
    elements = "".join(_svg_element(layer, camera.scale) for layer in drawn)
    return f'<g transform="translate({left} {origin}) scale(1 -1)">{elements}</g>'


def _svg_background(motion: Motion, camera: Camera) -> str:
    """Sky, clouds, hills, soil and the slingshot."""
    top, low = ("#" + bytes(colour).hex() for colour in (SKY_TOP, SKY_LOW))
    ground = decimal(round((camera.top - GROUND_Y) * camera.scale, 1))
    sky = (
        f'<linearGradient id="sky" x2="0" y2="1"><stop stop-color="{top}"/><stop offset="1" stop-color="{low}"/>'
        f'</linearGradient><rect width="{camera.width}" height="{ground}" fill="url(#sky)"/>'
    )
    return sky + _svg_fixed([*hills_and_clouds(camera), *sling_layers(motion.slingshot)], camera)
