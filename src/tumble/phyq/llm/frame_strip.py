"""A strip of frames of a shot: the level at a few moments in one picture, with the path of the bird."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.phyq.llm.scene_picture import level_camera, png, with_grid
from tumble.phyq.llm.shot_report import ShotReport
from tumble.phyq.llm.words import digits
from tumble.phyq.observation.framing import Camera
from tumble.phyq.observation.illustration import Illustrator
from tumble.phyq.observation.objects import moved, objects_of
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import STEP
from tumble.phyq.tasks.level import Level

COLUMNS = 2
GAP = 4
"""Pixels between frames."""
SKY = 0.8
"""Units of sky that are shown above everything."""
PATH_COLOUR = (200, 30, 30)
FONT = 13.0
AFTER_HIT = (0.3, 1.0)
"""Seconds after the first hit, of two frames."""
TIME_COLOUR, EDGE_COLOUR = (20, 20, 20), (255, 255, 255)
STRONG_EVERY = 5


def strip_frames(report: ShotReport) -> list[int]:
    """Four to six frames: half the flight, just before the hit, soon after it, half of the rest, the end."""
    contact = report.contact_frame
    wanted = [(report.first_frame + contact) // 2, max(report.first_frame, contact - 1)]
    wanted += [contact + round(seconds / STEP) for seconds in AFTER_HIT]
    wanted += [(contact + report.last_frame) // 2, report.last_frame]
    return sorted({min(frame, report.last_frame) for frame in wanted})


def shot_strip(level: Level, motion: Motion, report: ShotReport, width: int) -> bytes:
    """A PNG of the frames of a shot, two in a row, each with its time after the launch."""
    frames = strip_frames(report)
    each = (width - GAP) // COLUMNS
    camera = _camera(level, motion, report, each)
    pictures = Illustrator(motion.objects, motion.slingshot, camera).paint(motion.poses[frames])
    rows = -(-len(frames) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * each + GAP, rows * (camera.height + GAP) - GAP), EDGE_COLOUR)
    for k, (frame, picture) in enumerate(zip(frames, pictures, strict=True)):
        image = with_grid(picture, camera, STRONG_EVERY)
        for path in report.paths[:, : frame - report.first_frame + 1]:
            _add_path(image, camera, path[np.isfinite(path[:, 0])])
        _add_words(image, camera, f"{digits((frame - report.first_frame) * STEP)} s")
        whole.paste(image, ((k % COLUMNS) * (each + GAP), (k // COLUMNS) * (camera.height + GAP)))
    return png(whole)


def _camera(level: Level, motion: Motion, report: ShotReport, width: int) -> Camera:
    """The camera that shows the level, where objects are after the shot, and the flight, with little sky above."""
    start, end = objects_of(level), moved(motion.objects, motion.poses[report.last_frame])
    highest = max(float(report.points[:, 1].max()), *(float(one.corners[:, 1].max()) for one in (*start, *end)))
    return level_camera(level, end, width, report.points).below(highest + SKY)


def _add_path(image: Image.Image, camera: Camera, path: np.ndarray) -> None:
    """Draws a path [n, 2] as a line."""
    pixels = [(x, y) for x, y in camera.to_pixels(path).tolist()]
    if len(pixels) > 1:
        ImageDraw.Draw(image).line(pixels, fill=PATH_COLOUR, width=1)


def _add_words(image: Image.Image, camera: Camera, time: str) -> None:
    """Writes the time into the upper right corner, and the numbers of the lines beside them."""
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(FONT)
    draw.text(
        (camera.width - 5.0, 4.0),
        time,
        fill=TIME_COLOUR,
        font=font,
        anchor="ra",
        stroke_width=2,
        stroke_fill=EDGE_COLOUR,
    )
    small = ImageFont.load_default(FONT - 3.0)
    for x in range(-15, 16, STRONG_EVERY):
        column = (x - camera.left) * camera.scale
        if 8.0 < column < camera.width - 8.0:
            draw.text((column, camera.height - 2.0), str(x), fill=EDGE_COLOUR, font=small, anchor="mb")
    for y in range(0, 16, STRONG_EVERY):
        row = (camera.top - y) * camera.scale
        if 8.0 < row < camera.height - 8.0:
            draw.text((3.0, row), str(y), fill=TIME_COLOUR, font=small, anchor="lm")
