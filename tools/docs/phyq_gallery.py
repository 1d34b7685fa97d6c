"""Phy-Q's gallery: a task of each template and its stored shots."""

from collections.abc import Iterator, Sequence

import numpy as np
from drawing import CANDIDATES, Drawing, Gallery, digest
from PIL import Image

from tumble import phyq
from tumble.phyq.cli.describe import shot_text
from tumble.phyq.generation.solutions import solution
from tumble.phyq.observation.animation import frames_shown
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, to_pixels
from tumble.phyq.tasks.templates import templates

WIDTH, HEIGHT = 360, 180
STEPS_PER_SECOND, STRIDE = 50, 4
MARGIN = 18
"""Pixels of a screenshot around everything that is shown."""
EARTH = 14
"""Pixels below the ground that are shown."""

Box = tuple[float, float, float, float]


def gallery() -> Gallery:
    """All 75 templates."""
    keys = {
        key: digest(__file__, phyq.physics_id(), [(phyq.task(one), solution(one)) for one in _candidates(key)])
        for key in templates()
    }
    return Gallery("phyq", keys, draw)


def _candidates(key: str) -> list[str]:
    return phyq.task_ids(template_id=key)[:CANDIDATES]


def draw(keys: Sequence[str]) -> Iterator[tuple[str, Drawing]]:
    """The drawings of some templates, all of which are played in one batch."""
    if not keys:
        return
    task_ids = _shortest(keys)
    levels = [phyq.task(task_id).level for task_id in task_ids]
    shots = [solution(task_id).shots for task_id in task_ids]
    episodes = phyq.play(levels, shots, want=("trajectory",), stride=STRIDE)
    for row, (key, task_id) in enumerate(zip(keys, task_ids, strict=True)):
        motion = phyq.observe.motion(episodes, row)
        shown, box = frames_shown(motion), _box(motion)
        pictures = [_cropped(picture, box) for picture in motion.pictures(slice(int(shown.max()) + 1))]
        frames = [pictures[k] for k in shown.tolist()]
        words = "; ".join(map(shot_text, shots[row]))
        yield key, Drawing(task_id, words, frames[0], frames, STEPS_PER_SECOND / STRIDE, lossless=False)


def _shortest(keys: Sequence[str]) -> list[str]:
    """Of each template the task whose stored shots win first."""
    ids = [task_id for key in keys for task_id in _candidates(key)]
    levels, shots = [phyq.task(task_id).level for task_id in ids], [solution(task_id).shots for task_id in ids]
    order = sorted(zip(phyq.play(levels, shots).seconds.tolist(), ids, strict=True), reverse=True)
    shortest = {task_id.partition(":")[0]: task_id for _, task_id in order}
    return [shortest[key] for key in keys]


def _box(motion: phyq.observe.Motion) -> Box:
    """The part of a screenshot that is shown: left, top, right, bottom, with the proportions of a clip.

    It has everything as it is at the start, and what flies above that.
    """
    start = to_pixels(motion.poses[0, :, :2])
    left, right = np.nanmin(start[:, 0]) - MARGIN, np.nanmax(start[:, 0]) + MARGIN
    points = to_pixels(motion.poses[..., :2])
    above = points[..., 1][(points[..., 0] >= left) & (points[..., 0] <= right)]
    top, bottom = max(above.min(), 0.0) - MARGIN, GROUND_ROW + EARTH
    width = min(max(right - left, (bottom - top) * WIDTH / HEIGHT), COLUMNS)
    left = min(max((left + right - width) / 2.0, 0.0), COLUMNS - width)
    top = max(bottom - width * HEIGHT / WIDTH, 0.0)
    return left, top, left + width, top + width * HEIGHT / WIDTH


def _cropped(picture: np.ndarray, box: Box) -> Image.Image:
    return Image.fromarray(picture).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS, box=box)
