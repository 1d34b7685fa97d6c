"""What was measured in some videos, as arrays of equal shape: centres in pixels and yaws, with their weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.outliers import possible_frames
from tumble.comphy.agents.see_and_simulate.picture import HEIGHT, WIDTH, places_of
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.world import ALL_SHAPES, PLAIN
from tumble.comphy.models.data.shape_geometry import FOLDS
from tumble.comphy.models.perceiver.perception import PerceivedVideo

FLOOR = 0.15
"""Pixels: the accuracy of the simulation that is fitted, beside the error of a measurement."""
YAW_ERROR = np.radians(4.0)
"""Of a measured yaw, before it is estimated."""
SMALL_ERROR = 0.25
"""Pixels: errors of centres below this are those of given tracks."""
LEAST_SCALE, LEAST_YAW_ERROR = 1.2, np.radians(12.0)
"""Of everyday objects that were perceived: errors as a multiple of those that the perceiver tells, and of yaws."""
UNITS_PER_PIXEL = 0.03
"""On the far part of the table."""
LARGE_ERROR = 4.0
"""Pixels: larger errors are not believed when outliers are looked for."""
SHAPE_FOLDS = np.array([FOLDS[shape] for shape in ALL_SHAPES])
"""By how many headings each of ALL_SHAPES looks the same; 0 for a round one."""
TURNS = 2.0 * np.pi / np.where(SHAPE_FOLDS > 0, SHAPE_FOLDS, 4)
"""After which turn each of ALL_SHAPES looks the same; of no meaning for round ones."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements in some videos; shorter videos and missing bodies have weights of 0."""

    members: tuple[tuple[int, ...], ...]
    """Of each video: indices of the set's bodies."""
    frames: np.ndarray
    """int [video]."""
    shapes: np.ndarray
    """int [video, body]: indices in ALL_SHAPES."""
    exists: np.ndarray
    """bool [video, body]."""
    centres: np.ndarray
    """float64 [video, frame, body, 2]: pixels; 0 where not seen."""
    weights: np.ndarray
    """float64 [video, frame, body]: inverse errors of centres, per pixel; 0 where not seen."""
    yaws: np.ndarray
    """float64 [video, frame, body]: radians; 0 where not known."""
    yaw_weights: np.ndarray
    """float64 [video, frame, body]: inverse errors of yaws; 0 where not known."""
    forms: np.ndarray
    """int [video, body]: variations of shapes."""

    @property
    def turns(self) -> np.ndarray:
        """float64 [video, body]: after which turn each body looks the same."""
        return np.asarray(TURNS[self.shapes])

    @property
    def has_heading(self) -> np.ndarray:
        """bool [video, body]: whether headings can be seen."""
        return np.asarray(SHAPE_FOLDS[self.shapes] > 0)

    @property
    def seen(self) -> np.ndarray:
        """bool [video, frame, body]."""
        return np.asarray(self.weights > 0.0)

    @property
    def counts(self) -> np.ndarray:
        """int [video]: bodies."""
        return np.asarray(self.exists.sum(axis=1))

    def take(self, videos: slice) -> "Measured":
        """Some of the videos, without frames and bodies that none of them has."""
        frames, bodies = int(self.frames[videos].max()), int(self.counts[videos].max())
        part = videos, slice(frames), slice(bodies)
        return Measured(
            self.members[videos],
            self.frames[videos],
            self.shapes[videos, :bodies],
            self.exists[videos, :bodies],
            self.centres[part],
            self.weights[part],
            self.yaws[part],
            self.yaw_weights[part],
            self.forms[videos, :bodies],
        )

    def between(self, first: int, last: int) -> "Measured":
        """The measurements from frame `first` on, before frame `last`."""
        names = ("centres", "weights", "yaws", "yaw_weights")
        return replace(
            self,
            frames=np.minimum(self.frames, last) - first,
            **{name: getattr(self, name)[:, first:last] for name in names},
        )

    @property
    def is_exact(self) -> bool:
        """Whether centres are known as exactly as in given tracks."""
        return bool(np.median(1.0 / self.weights[self.seen]) < SMALL_ERROR) if self.seen.any() else False

    def scaled(self, scale: float, yaw_error: float) -> "Measured":
        """The measurements with errors of centres that are `scale` times those given, and with this error of yaws.

        `scale` and `yaw_error` are those of scatter along a track. Everyday objects also have errors that are the same
        all along it, so that those of the perceiver are the least ones.
        """
        if not self.is_exact and (self.shapes[self.exists] >= len(PLAIN.shapes)).all():
            scale, yaw_error = max(scale, LEAST_SCALE), max(yaw_error, LEAST_YAW_ERROR)
        given = np.where(self.seen, 1.0 / np.maximum(self.weights, 1e-9), 1.0)
        errors = np.sqrt((np.maximum(given**2 - FLOOR**2, 0.0)) * scale**2 + FLOOR**2)
        return replace(
            self,
            weights=np.where(self.seen, 1.0 / errors, 0.0),
            yaw_weights=np.where(self.yaw_weights > 0.0, 1.0 / yaw_error, 0.0),
        )


def measure(
    appearances: tuple[Appearance, ...], videos: Sequence[PerceivedVideo], forms: Sequence[int] = ()
) -> Measured:
    """The measurements of some videos of a set; without `forms` all bodies have form 0."""
    size = len(videos), max(video.frames for video in videos), max(len(video.members) for video in videos)
    shapes, exists = np.zeros((size[0], size[2]), int), np.zeros((size[0], size[2]), bool)
    own_forms = np.zeros_like(shapes)
    centres, weights, yaws, yaw_weights = np.zeros((*size, 2)), np.zeros(size), np.zeros(size), np.zeros(size)
    for row, video in enumerate(videos):
        part = row, slice(video.frames), slice(len(video.members))
        shapes[row, : len(video.members)] = [ALL_SHAPES.index(appearances[k].shape) for k in video.members]
        if forms:
            own_forms[row, : len(video.members)] = [forms[k] for k in video.members]
        exists[row, : len(video.members)] = True
        seen = video.seen & np.isfinite(video.centres).all(axis=-1) & np.isfinite(video.errors)
        pixels = np.where(seen[..., None], video.centres * (WIDTH, HEIGHT), 0.0)
        errors = np.sqrt(np.where(seen, video.errors, 1.0) ** 2 + FLOOR**2)
        seen = _possible(pixels, errors, seen)
        centres[part] = np.where(seen[..., None], pixels, 0.0)
        weights[part] = np.where(seen, 1.0 / errors, 0.0)
        has_yaw = seen & np.isfinite(video.yaws) & (SHAPE_FOLDS[shapes[row, : len(video.members)]] > 0)
        yaws[part] = np.where(has_yaw, video.yaws, 0.0)
        yaw_weights[part] = np.where(has_yaw, 1.0 / YAW_ERROR, 0.0)
    lengths = np.array([video.frames for video in videos])
    members = tuple(video.members for video in videos)
    return Measured(members, lengths, shapes, exists, centres, weights, yaws, yaw_weights, own_forms)


def _possible(pixels: np.ndarray, errors: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """bool [frame, body]: what was seen, without what can't belong to a body's track."""
    places = places_of(pixels)
    columns = [
        possible_frames(places[:, k], np.minimum(errors[:, k], LARGE_ERROR) * UNITS_PER_PIXEL, seen[:, k])
        for k in range(seen.shape[1])
    ]
    return np.stack(columns, axis=1)


def nearest_turns(angles: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Angles modulo the turns after which bodies look the same, nearest to 0."""
    return np.asarray((angles + turns / 2.0) % turns - turns / 2.0)
