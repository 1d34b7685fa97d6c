"""Pictures of what a model found: its tracks over the frames of a video, and predicted tracks against true ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.models.perceiver.perception import PerceivedVideo
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.report.set_page import COLOURS, HALF_WIDTH, to_camera_view, visible_table
from tumble.report.figures import plotted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


COLUMNS = 4


@dataclass(frozen=True, eq=False)
class PredictedWorld:
    """A world with its true and its predicted places."""

    title: str
    true: np.ndarray
    """float64 [frame, body, 3]."""
    predicted: np.ndarray
    """float64 [frame, body, 2 or 3], in the order of the true bodies; NaN where nothing is predicted."""

    def errors(self) -> np.ndarray:
        """float64 [body]: mean distance of predicted and true places, in units; NaN if nothing is predicted."""
        frames = min(len(self.true), len(self.predicted))
        distances = np.linalg.norm(self.predicted[:frames, :, :2] - self.true[:frames, :, :2], axis=-1)
        known = np.isfinite(distances)
        totals = np.where(known, distances, 0.0).sum(axis=0)
        return np.where(known.any(axis=0), totals / np.maximum(known.sum(axis=0), 1), np.nan)


@plotted
def predictions_figure(bodies: tuple[Body, ...], worlds: Sequence[PredictedWorld]) -> "Figure":
    """Every world from above: true tracks as wide pale lines, predicted ones as thin lines with a cross at the end."""
    from matplotlib.figure import Figure

    rows = -(-len(worlds) // COLUMNS)
    figure = Figure(figsize=(9.2, 2.5 * rows), layout="constrained")
    grid = figure.subplots(rows, COLUMNS, squeeze=False)
    for axes in grid.flat:
        axes.axis("off")
    for axes, world in zip(grid.flat, worlds, strict=False):
        axes.axis("on")
        _draw(axes, bodies, world)
    return figure


def _draw(axes: "Axes", bodies: tuple[Body, ...], world: PredictedWorld) -> None:
    axes.fill(*to_camera_view(visible_table()).T, color="#f2f2f2", zorder=0)
    for k, body in enumerate(bodies):
        colour = COLOURS[body.color]
        true, predicted = (to_camera_view(places[:, k, :2]) for places in (world.true, world.predicted))
        axes.plot(*true.T, color=colour, linewidth=4, alpha=0.3)
        axes.plot(*true[-1], "o", color=colour, markersize=5, alpha=0.5)
        axes.plot(*predicted.T, color=colour, linewidth=1.0)
        ends = predicted[np.isfinite(predicted).all(axis=-1)]
        if len(ends):
            axes.plot(*ends[-1], "x", color=colour, markersize=5)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_WIDTH, HALF_WIDTH), aspect="equal", xticks=[], yticks=[])
    axes.set_title(world.title, fontsize=7)
