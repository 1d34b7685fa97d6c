"""Draws what a model found over the frames of a video: centres with trails, boxes and names."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from tumble.comphy.models.perceiver.perception import PerceivedVideo
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.report.set_figures import COLOURS
from tumble.comphy.tasks.observation import Appearance

WIDTH = 480
"""Of the pictures with overlays; smaller ones are enlarged."""
TRAIL = 25
"""Frames of a trail."""


def draw_tracks(frames: np.ndarray, video: PerceivedVideo, names: Sequence[Appearance]) -> np.ndarray:
    """uint8 [frame, height, width, 3]: pictures with the tracks that were found; `names` are those of all bodies."""
    scale = max(round(WIDTH / frames.shape[2]), 1)
    size = frames.shape[2] * scale, frames.shape[1] * scale
    drawn = np.empty((len(frames), size[1], size[0], 3), np.uint8)
    places = video.centres * size
    for number, picture in enumerate(frames):
        image = Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR)
        pen = ImageDraw.Draw(image)
        for column, body in enumerate(video.members):
            if number < video.frames:
                _draw_body(pen, video, places, number, column, size, names[body])
        drawn[number] = np.asarray(image)
    return drawn


def _draw_body(
    pen: ImageDraw.ImageDraw,
    video: PerceivedVideo,
    places: np.ndarray,
    frame: int,
    column: int,
    size: tuple[int, int],
    name: Appearance,
) -> None:
    """The trail of one body, and where it is seen its box, its centre and its name."""
    colour = COLOURS[name.color]
    trail = places[max(frame - TRAIL, 0) : frame + 1, column]
    for one, other in pairwise(trail):
        if np.isfinite(one).all() and np.isfinite(other).all():
            pen.line([*one, *other], fill="white", width=4)
            pen.line([*one, *other], fill=colour, width=2)
    if not video.seen[frame, column]:
        return
    x, y = places[frame, column]
    box = video.boxes[frame, column]
    if box[2] > 0:
        half = box[2:] / 2
        corners = np.concatenate([box[:2] - half, box[:2] + half]) * (*size, *size)
        pen.rectangle([*map(float, corners)], outline=colour, width=1)
        pen.text((float(corners[0]), float(corners[1]) - 11), f"{name.color} {name.shape}", fill=colour)
    if np.isfinite([x, y]).all():
        pen.ellipse([x - 4, y - 4, x + 4, y + 4], fill=colour, outline="white")


def projected_video(positions: np.ndarray, in_view: np.ndarray) -> PerceivedVideo:
    """Places [frame, body, 3] as a model without perception has them, projected into the picture."""
    centres = CAMERA.project(positions)[..., :2]
    frames, bodies = in_view.shape
    seen = in_view & np.isfinite(centres).all(axis=-1)
    nothing = np.full((frames, bodies), np.nan)
    boxes = np.full((frames, bodies, 4), -1.0, np.float32)
    centres = np.where(seen[..., None], centres, np.nan)
    return PerceivedVideo(tuple(range(bodies)), seen, centres, nothing, nothing, boxes)
