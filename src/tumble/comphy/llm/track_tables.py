"""Tracks as text: for each video a table of where its bodies are, as far as they are in view.

Places are in the table's plane, with axes that are turned with the camera: x to the right in the picture, y away from
the camera. So directions in the picture can be read from them.
"""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.catalogue.task import Appearance, Observation, SeenVideo
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.observation.camera import CAMERA, Camera

DECIMALS = 2
OUT_OF_VIEW = "-"
SEPARATOR = "; "


def track_tables(observation: Observation, every: int) -> str:
    """The tables of all videos of a set, the target first."""
    tables = [track_table("Target video", observation.appearances, observation.target, every)]
    for k, reference in enumerate(observation.references, 1):
        tables.append(track_table(f"Reference video {k}", observation.appearances, reference, every))
    return "\n\n".join(tables)


def track_table(title: str, appearances: Sequence[Appearance], video: SeenVideo, every: int) -> str:
    """The table of a video: a row for every k-th frame and for the last one, with its time in seconds."""
    names = [" ".join(appearances[member]) for member in video.members]
    places = table_places(video.track.positions)
    rows = [
        SEPARATOR.join([f"{frame / FRAMES_PER_SECOND:.2f}", *map(_place_text, places[frame])])
        for frame in sampled_frames(video.track.frames, every)
    ]
    return "\n".join([title, SEPARATOR.join(["time", *names]), *rows])


def sampled_frames(frames: int, every: int) -> list[int]:
    """Every k-th frame, and the last one.

    >>> sampled_frames(12, 5)
    [0, 5, 10, 11]
    """
    return sorted({*range(0, frames, every), frames - 1})


def table_axes(camera: Camera = CAMERA) -> np.ndarray:
    """[2, 2]: unit vectors in the table's plane to the right of the picture and away from the camera, as rows."""
    right, _, forward = camera.axes[:, :2]
    return np.stack([right / np.linalg.norm(right), forward / np.linalg.norm(forward)])


def table_places(positions: np.ndarray) -> np.ndarray:
    """[..., 3] positions to [..., 2]: x to the right and y away from the camera."""
    return np.asarray(positions[..., :2] @ table_axes().T)


def _place_text(place: np.ndarray) -> str:
    """A place, or a dash if it is NaN."""
    if not np.isfinite(place).all():
        return OUT_OF_VIEW
    return " ".join(f"{round(float(value), DECIMALS) + 0.0:.{DECIMALS}f}" for value in place)  # + 0.0: no "-0.00"
