"""Episodes as animations in real time."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.phyq.observation.illustration import Illustrator, camera_of
from tumble.phyq.observation.landscape import FLAT_COLOURS
from tumble.phyq.observation.objects import moved
from tumble.phyq.observation.trails import flights, trails
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import STEP
from tumble.scene.animation import check_animation, write_animation

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
    check_animation(path, fps(motion))
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
    write_animation(path, pictures(), len(shown), fps(motion), _palette(sample))


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
    still = (round(seconds * fps(motion)) for seconds in (BEFORE, AFTER))
    before, after = (max(1, count) for count in still)
    return np.concatenate([np.zeros(before, int), np.arange(end + 1), np.full(after, len(motion.poses) - 1)])


def fps(motion: Motion) -> float:
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
