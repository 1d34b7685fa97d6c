"""What is measured in perceived videos: centres in pixels and yaws, with weights, of likely bodies.

A perception first loses what is no body: patches of the stage, and detections in a few frames only, since a body that
does not move as one makes every hypothesis look bad. All bodies of a set are in its target, so what is never seen
there is another one under a second name, or none. Measurements to which a body can't have moved are taken out of its
track. The picture is a map of the table: all bodies have their centres at the same height, so that a plane is
projected. Everyday objects get the form whose boxes are most like the perceived ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.world import ALL_SHAPES, FRAMES_PER_SECOND, OBJECT_POINT, PLAIN, RADIUS, world_of
from tumble.comphy.models.data.geometry import FOLDS, outline_points
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.observation.camera import CAMERA

WIDTH, HEIGHT = 240.0, 160.0
"""Of the picture whose pixels errors are measured in."""
MIN_DEPTH = 0.2
"""Bodies nearer to the camera's plane than this, which are out of view, are seen as if they were there."""


@lru_cache(maxsize=1)
def table_to_picture() -> np.ndarray:
    """[3, 3]: (x, y, 1) on the table to (u, v, 1) in pixels times the depth."""
    right, up, forward = CAMERA.axes
    offset = np.array([0.0, 0.0, RADIUS]) - CAMERA.position
    scale = CAMERA.focal_length / CAMERA.sensor_width
    across, above, depth = (np.array([axis[0], axis[1], axis @ offset]) for axis in (right, up, forward))
    return np.stack(
        [
            WIDTH * (0.5 * depth + scale * across),
            HEIGHT * (0.5 * depth - scale * CAMERA.aspect * above),
            depth,
        ]
    )


def pixels_of(places: np.ndarray) -> np.ndarray:
    """[..., 2] places on the table to [..., 2] pixels.

    >>> pixels_of(np.array(CAMERA.place(0.25, 0.5, RADIUS))).round(6).tolist()
    [60.0, 80.0]
    """
    (a, b, c), (d, e, f), (g, h, i) = table_to_picture()
    x, y = places[..., 0], places[..., 1]
    inverse = 1.0 / np.maximum(g * x + h * y + i, MIN_DEPTH)
    pixels = np.empty_like(places)
    pixels[..., 0] = (a * x + b * y + c) * inverse
    pixels[..., 1] = (d * x + e * y + f) * inverse
    return pixels


def places_of(pixels: np.ndarray) -> np.ndarray:
    """[..., 2] pixels to [..., 2] places on the table."""
    (a, b, c), (d, e, f), (g, h, i) = np.linalg.inv(table_to_picture())
    u, v = pixels[..., 0], pixels[..., 1]
    depth = g * u + h * v + i
    return np.stack([(a * u + b * v + c) / depth, (d * u + e * v + f) / depth], axis=-1)


MAX_SPEED = 5.0
"""Units per second."""
OUTLIER_TOLERANCE = 4.0
"""Standard errors of the distance between two measurements."""


def possible_frames(places: np.ndarray, errors: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """bool [frame]: the most measurements between which a body can have moved.

    places [frame, 2] on the table and their errors [frame] in units; `seen` [frame] says which there are. Measurements
    between which the body never moves too fast belong together; of these segments, those that can follow each other are
    chained to the largest chain.

    >>> places = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 1.0], [2.0, 1.0], [0.2, 0.0], [0.2, 0.0], [0.2, 0.0]])
    >>> possible_frames(places, np.full(7, 0.01), np.ones(7, bool)).tolist()
    [True, True, False, False, True, True, True]
    """
    frames = np.flatnonzero(seen)
    if len(frames) < 2:
        return seen.copy()

    def reachable(one: int, other: int) -> bool:
        distance = float(np.hypot(*(places[other] - places[one])))
        allowed = MAX_SPEED * (other - one) / FRAMES_PER_SECOND
        return distance < allowed + OUTLIER_TOLERANCE * float(np.hypot(errors[one], errors[other]))

    apart = np.hypot(*np.diff(places[frames], axis=0).T)
    allowed = MAX_SPEED * np.diff(frames) / FRAMES_PER_SECOND + OUTLIER_TOLERANCE * np.hypot(
        errors[frames[1:]], errors[frames[:-1]]
    )
    segments = np.split(frames, np.flatnonzero(apart >= allowed) + 1)
    if len(segments) == 1:
        return seen.copy()
    totals, before = [len(segment) for segment in segments], [-1] * len(segments)
    for later, segment in enumerate(segments):
        for earlier in range(later):
            total = totals[earlier] + len(segment)
            if total > totals[later] and reachable(int(segments[earlier][-1]), int(segment[0])):
                totals[later], before[later] = total, earlier
    possible = np.zeros(len(seen), bool)
    last = int(np.argmax(totals))
    while last >= 0:
        possible[segments[last]] = True
        last = before[last]
    return possible


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


PATCH_ERROR = 3.0
"""Pixels: a body whose centre is known worse than this, by the median over all frames, is a patch of the stage."""
MIN_IN_TARGET = 4
"""Frames of the target in which a body must be seen."""
MIN_IN_REFERENCE = 8
"""Frames of a reference in which a body must be seen to take part in it."""


def cleaned_perception(perception: Perception) -> Perception:
    """The perception with the bodies that are likely, at least one, and without their shortest tracks.

    Only what was detected is changed: of exact tracks, whose forms are known, all bodies are kept.
    """
    if perception.forms:
        return perception
    names = _names_of_bodies(perception)
    if not any(name is not None for name in names):
        return perception
    kept = sorted({name for name in names if name is not None})
    renamed = tuple(None if name is None else kept.index(name) for name in names)
    appearances = tuple(perception.appearances[k] for k in kept)
    references = tuple(_renamed(video, renamed, MIN_IN_REFERENCE) for video in perception.references)
    return Perception(appearances, _renamed(perception.target, renamed, 0), references)


def _names_of_bodies(perception: Perception) -> tuple[int | None, ...]:
    """For each body its own index, that of the body of the target that it seems to be, or None."""
    looks = perception.appearances
    videos = (perception.target, *perception.references)
    seen_in = [{body for column, body in enumerate(video.members) if video.seen[:, column].any()} for video in videos]
    target = perception.target
    counts = {body: int(target.seen[:, column].sum()) for column, body in enumerate(target.members)}
    real = [_median_error(videos, body) < PATCH_ERROR for body in range(len(looks))]
    names: list[int | None] = []
    for body in range(len(looks)):
        if real[body] and counts.get(body, 0) >= MIN_IN_TARGET:
            names.append(body)
            continue
        alike = [
            (_look_differences(looks[body], looks[other]), other)
            for other in range(len(looks))
            if real[body]
            and real[other]
            and counts.get(other, 0) >= MIN_IN_TARGET
            and not any({body, other} <= seen for seen in seen_in)
        ]
        best = min(alike, default=(2, 0))
        names.append(best[1] if best[0] < 2 else None)
    return tuple(names)


def _look_differences(one: Appearance, other: Appearance) -> int:
    return sum(first != second for first, second in zip(one, other, strict=True))


def _median_error(videos: tuple[PerceivedVideo, ...], body: int) -> float:
    """The median error of a body's centre over the frames in which it is seen; infinite if there are none."""
    errors = [video.errors[video.seen[:, column], column] for video, column in _columns(videos, body)]
    every = np.concatenate(errors) if errors else np.zeros(0)
    return float(np.median(every)) if len(every) else float("inf")


def _columns(videos: tuple[PerceivedVideo, ...], body: int) -> list[tuple[PerceivedVideo, int]]:
    return [(video, video.members.index(body)) for video in videos if body in video.members]


def _renamed(video: PerceivedVideo, names: tuple[int | None, ...], least: int) -> PerceivedVideo:
    """A video of the bodies under their new names, without those that are seen in fewer than `least` frames."""
    columns: dict[int, int] = {}
    for column, body in enumerate(video.members):
        name, frames = names[body], int(video.seen[:, column].sum())
        if name is not None and frames >= least:
            before = columns.get(name)
            if before is None or frames > int(video.seen[:, before].sum()):
                columns[name] = column
    members = tuple(sorted(columns))
    order = [columns[name] for name in members]
    return replace(
        video,
        members=members,
        seen=video.seen[:, order],
        centres=video.centres[:, order],
        errors=video.errors[:, order],
        yaws=video.yaws[:, order],
        boxes=video.boxes[:, order],
    )


FORM_CANDIDATES = 24
"""Forms of a shape that are compared: proportions vary little, so that one of these is near enough."""
FORM_FRAMES = 40
"""Frames in which a body's boxes are compared."""
PICTURE_BORDER = 3.0
"""Pixels from the border of the picture within which a box may be cut off."""
PICTURE_SIZE = np.array([WIDTH, HEIGHT])


def estimated_forms(perception: Perception) -> tuple[int, ...]:
    """The form of each perceived body; 0 in a world of one form."""
    videos = (perception.target, *perception.references)
    return tuple(
        _form(look.shape, [_views(video, k) for video in videos if k in video.members])
        for k, look in enumerate(perception.appearances)
    )


def _views(video: PerceivedVideo, body: int) -> np.ndarray:
    """float64 [frame, 7]: centre, yaw and box (left, top, right, bottom) in pixels of a body that is wholly in view."""
    column = video.members.index(body)
    boxes = np.asarray(video.boxes[:, column], float)
    low, high = (boxes[:, :2] - boxes[:, 2:] / 2) * PICTURE_SIZE, (boxes[:, :2] + boxes[:, 2:] / 2) * PICTURE_SIZE
    inside = (
        (low > PICTURE_BORDER).all(axis=1) & (high < PICTURE_SIZE - PICTURE_BORDER).all(axis=1) & (boxes[:, 2] > 0.0)
    )
    known = video.seen[:, column] & np.isfinite(video.centres[:, column]).all(axis=1)
    rows = inside & known
    return np.concatenate(
        [video.centres[rows, column] * PICTURE_SIZE, video.yaws[rows, column, None], low[rows], high[rows]], axis=1
    )


def _form(shape: str, views: list[np.ndarray]) -> int:
    """The form of which the boxes differ least, by the median of a side's difference."""
    count = min(FORM_CANDIDATES, world_of(shape).forms)
    every = np.concatenate(views) if views else np.zeros((0, 7))
    if count == 1 or not len(every):
        return 0
    chosen = every[np.linspace(0, len(every) - 1, min(FORM_FRAMES, len(every))).astype(int)]
    places = CAMERA.places(chosen[:, :2] / PICTURE_SIZE, OBJECT_POINT)
    yaws = np.nan_to_num(chosen[:, 2])
    costs = [_box_difference(outline_points(shape, form), places, yaws, chosen[:, 3:]) for form in range(count)]
    return int(np.argmin(costs))


def _box_difference(points: np.ndarray, places: np.ndarray, yaws: np.ndarray, boxes: np.ndarray) -> float:
    """The mean over the sides of a box of the median difference over frames, in pixels."""
    cosine, sine = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    x, y = cosine * points[:, 0] - sine * points[:, 1], sine * points[:, 0] + cosine * points[:, 1]
    heights = np.broadcast_to(points[:, 2], x.shape)
    seen = CAMERA.project(np.stack([x + places[:, :1], y + places[:, 1:2], heights], axis=-1))[..., :2] * PICTURE_SIZE
    own = np.concatenate([seen.min(axis=1), seen.max(axis=1)], axis=1)
    return float(np.median(np.abs(own - boxes), axis=0).mean())
