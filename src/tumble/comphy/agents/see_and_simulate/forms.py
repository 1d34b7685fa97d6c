"""Which variations of their shapes bodies are: those whose boxes are most like the perceived ones."""

import numpy as np

from tumble.comphy.agents.see_and_simulate.picture import HEIGHT, WIDTH
from tumble.comphy.catalogue.world import OBJECT_POINT, world_of
from tumble.comphy.models.data.outline_points import outline_points
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.observation.camera import CAMERA

CANDIDATES = 24
"""Forms of a shape that are compared: proportions vary little, so that one of these is near enough."""
MOST_FRAMES = 40
"""Frames in which a body's boxes are compared."""
BORDER = 3.0
"""Pixels from the border of the picture within which a box may be cut off."""
SIZE = np.array([WIDTH, HEIGHT])


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
    low, high = (boxes[:, :2] - boxes[:, 2:] / 2) * SIZE, (boxes[:, :2] + boxes[:, 2:] / 2) * SIZE
    inside = (low > BORDER).all(axis=1) & (high < SIZE - BORDER).all(axis=1) & (boxes[:, 2] > 0.0)
    known = video.seen[:, column] & np.isfinite(video.centres[:, column]).all(axis=1)
    rows = inside & known
    return np.concatenate(
        [video.centres[rows, column] * SIZE, video.yaws[rows, column, None], low[rows], high[rows]], axis=1
    )


def _form(shape: str, views: list[np.ndarray]) -> int:
    """The form of which the boxes differ least, by the median of a side's difference."""
    count = min(CANDIDATES, world_of(shape).forms)
    every = np.concatenate(views) if views else np.zeros((0, 7))
    if count == 1 or not len(every):
        return 0
    chosen = every[np.linspace(0, len(every) - 1, min(MOST_FRAMES, len(every))).astype(int)]
    places = CAMERA.places(chosen[:, :2] / SIZE, OBJECT_POINT)
    yaws = np.nan_to_num(chosen[:, 2])
    costs = [_difference(outline_points(shape, form), places, yaws, chosen[:, 3:]) for form in range(count)]
    return int(np.argmin(costs))


def _difference(points: np.ndarray, places: np.ndarray, yaws: np.ndarray, boxes: np.ndarray) -> float:
    """The mean over the sides of a box of the median difference over frames, in pixels."""
    cosine, sine = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    x, y = cosine * points[:, 0] - sine * points[:, 1], sine * points[:, 0] + cosine * points[:, 1]
    heights = np.broadcast_to(points[:, 2], x.shape)
    seen = CAMERA.project(np.stack([x + places[:, :1], y + places[:, 1:2], heights], axis=-1))[..., :2] * SIZE
    own = np.concatenate([seen.min(axis=1), seen.max(axis=1)], axis=1)
    return float(np.median(np.abs(own - boxes), axis=0).mean())
