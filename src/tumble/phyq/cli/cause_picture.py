"""Draws the chain of causes of an episode: where things stood and ended, paths, pushes, kills, and their numbers."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.phyq.generation.explain import Explanation, Link
from tumble.phyq.observation.camera import to_pixels
from tumble.phyq.observation.drawing import Painter, save_png
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.game import layout

WIDTH = 1280
"""Pixels of a row, about: screenshots are enlarged by a whole number."""
FAINT = 0.35
"""Opacity of objects where they were at the start."""
MARGIN = 30
"""Pixels of a screenshot that are shown around everything that happens."""
LINE_HEIGHT, CHARACTER_WIDTH = 26, 9
"""Pixels of a line of text below the picture, and of a character in it."""
PATH, PUSH, KILL, TEXT = (200, 40, 40), (230, 119, 0), (176, 0, 64), (30, 30, 30)
UNIMPORTANT = ("ground", "distractor")
"""Bodies that need not be in the picture."""
LEGEND = "faint: at the start; red line: path of a bird; arrows: pushes; crosses: deaths"


def save_causes(path: str | Path, explanation: Explanation, title: str) -> None:
    """Writes the picture as a PNG file."""
    save_png(path, cause_picture(explanation, title))


def cause_picture(explanation: Explanation, title: str) -> np.ndarray:
    """The picture uint8 [rows, columns, 3], with the numbered causes as text below it."""
    left, top, right, bottom = _shown(explanation)
    image = Image.fromarray(_scene(explanation)[top:bottom, left:right])
    scale = max(2, WIDTH // image.width)
    image = image.resize((image.width * scale, image.height * scale), Image.Resampling.LANCZOS)
    pen = _Pen(image, np.array([left, top], float), scale)
    _draw_paths(pen, explanation)
    labels = _Labels(pen)
    for number, link in enumerate(explanation.links, 1):
        _draw_link(pen, explanation, link)
        labels.add(number, pen.at(np.array(link.point)))
    return _with_text(image, [title, *explanation.lines(), *_verdict(explanation), LEGEND])


def _verdict(explanation: Explanation) -> list[str]:
    return [f"rule: {explanation.rule}: {explanation.verdict}"] if explanation.rule else []


def _scene(explanation: Explanation) -> np.ndarray:
    """A screenshot of the end, in which the objects at the start are faint."""
    motion = episode_views.motion(explanation.episodes, 0)
    fixed = np.array([one.kind == "platform" for one in motion.objects])
    birds = np.array([one.kind in ("bird", "egg") for one in motion.objects])
    start, end = motion.poses[0], motion.poses[-1]
    bare = np.where(fixed[:, None], start, np.nan)
    without_birds = np.where(birds[:, None], np.nan, end)
    empty, before, after = Painter(motion.objects, motion.slingshot).paint(np.stack([bare, start, without_birds]))
    faint = (FAINT * before + (1.0 - FAINT) * empty).astype(np.uint8)
    return np.asarray(np.where((after != empty).any(axis=-1, keepdims=True), after, faint))


def _shown(explanation: Explanation) -> tuple[int, int, int, int]:
    """Left, top, right and bottom, in pixels of a screenshot, of what the picture shows."""
    world = explanation.record.world
    placed = [world.scene.bodies[k] for k, name in enumerate(explanation.record.names) if name not in UNIMPORTANT]
    points = [*(body.position for body in placed), world.level.slingshot]
    points += [link.point for link in explanation.links]
    pixels = to_pixels(np.array(points))
    flights = [to_pixels(path) for path in _bird_paths(explanation)]
    low = np.concatenate([pixels, *flights]).min(axis=0) - MARGIN
    high = pixels.max(axis=0) + MARGIN
    left, top = np.maximum(low, 0.0).astype(int).tolist()
    right, bottom = np.minimum(high, (640, 480)).astype(int).tolist()
    return left, top, right, bottom


class _Pen:
    """Draws in a picture at world points."""

    def __init__(self, image: Image.Image, corner: np.ndarray, scale: int) -> None:
        self.size = image.size
        self.draw = ImageDraw.Draw(image)
        self._corner, self._scale = corner, scale

    def at(self, points: np.ndarray) -> np.ndarray:
        """Pixels [..., 2] of world points [..., 2]."""
        return np.asarray((to_pixels(points) - self._corner) * self._scale)

    def line(self, pixels: np.ndarray, colour: tuple[int, int, int], width: int) -> None:
        self.draw.line([tuple(pixel) for pixel in pixels.tolist()], fill=colour, width=width, joint="curve")

    def arrow(self, start: np.ndarray, end: np.ndarray, colour: tuple[int, int, int]) -> None:
        """An arrow between two pixels."""
        along = (end - start) / max(1e-6, float(np.hypot(*(end - start))))
        across = np.array([-along[1], along[0]])
        self.line(np.stack([start, end - 6.0 * along]), colour, 4)
        head = [end, end - 14.0 * along + 7.0 * across, end - 14.0 * along - 7.0 * across]
        self.draw.polygon([tuple(point.tolist()) for point in head], fill=colour)


class _Labels:
    """Numbers in circles, none of which hides another."""

    def __init__(self, pen: _Pen) -> None:
        self._pen = pen
        self._font = ImageFont.load_default(15)
        self._taken: list[np.ndarray] = []

    def add(self, number: int, point: np.ndarray) -> None:
        """Draws a number beside a pixel, with a thin line to it."""
        radius = 11.0
        low, high = np.full(2, radius), np.array(self._pen.size, float) - radius
        turns = np.radians(np.arange(-90.0, 270.0, 45.0))
        options = [
            np.clip(point + distance * np.array([np.cos(turn), np.sin(turn)]), low, high)
            for distance in (26.0, 44.0, 62.0, 80.0)
            for turn in turns
        ]
        free = (place for place in options if all(np.hypot(*(place - one)) > 2.1 * radius for one in self._taken))
        place = next(free, options[0])
        self._taken += [place, point]
        self._pen.line(np.stack([point, place]), TEXT, 1)
        box = [*(place - radius).tolist(), *(place + radius).tolist()]
        self._pen.draw.ellipse(box, fill=(255, 255, 255), outline=TEXT, width=2)
        self._pen.draw.text(tuple(place.tolist()), str(number), fill=TEXT, font=self._font, anchor="mm")


def _draw_paths(pen: _Pen, explanation: Explanation) -> None:
    """The paths of birds, and of the pieces in the chain."""
    moving = {body for link in explanation.links for body in (link.source, link.target) if body is not None}
    members = explanation.record.world.members
    for body in moving:
        if layout.FIXED < members[body].kind < layout.BIRD:
            pen.line(pen.at(_path(explanation, body)), PUSH, 2)
    for path in _bird_paths(explanation):
        pen.line(pen.at(path), PATH, 3)


def _bird_paths(explanation: Explanation) -> list[np.ndarray]:
    """The paths [n, 2] of birds, split birds and eggs until the last pig died."""
    members = explanation.record.world.members
    end = max((link.step for link in explanation.links), default=0) if explanation.episodes.won[0] else None
    paths = [_path(explanation, k, end) for k, member in enumerate(members) if member.kind >= layout.BIRD]
    return [path for path in paths if len(path) > 1]


def _path(explanation: Explanation, body: int, until: int | None = None) -> np.ndarray:
    """Positions [n, 2] of a body."""
    episodes = explanation.episodes
    points = episodes.poses[0, :, body, :2].astype(float)
    kept = np.isfinite(points).all(axis=-1)
    if until is not None:
        kept &= episodes.frames + int(episodes.start[0]) <= until
    return np.asarray(points[kept])


def _draw_link(pen: _Pen, explanation: Explanation, link: Link) -> None:
    point = pen.at(np.array(link.point))
    if link.kind in ("kill", "fall", "destroy", "explode"):
        reach = 10.0 if link.kind != "destroy" else 7.0
        for sign in (1.0, -1.0):
            ends = np.stack([point - reach * np.array([1.0, sign]), point + reach * np.array([1.0, sign])])
            pen.line(ends, KILL, 4)
    elif link.kind in ("push", "support") and link.source is not None:
        target = _path(explanation, link.target)
        way = pen.at(target[min(len(target) - 1, _frame(explanation, link.step) + 12)]) - point
        direction = way / max(1e-6, float(np.hypot(*way)))
        pen.arrow(point - 12.0 * direction, point + 30.0 * direction, PUSH)
    else:
        pen.draw.ellipse([*(point - 4.0).tolist(), *(point + 4.0).tolist()], fill=TEXT)


def _frame(explanation: Explanation, step: int) -> int:
    steps = explanation.episodes.frames + int(explanation.episodes.start[0])
    return int(np.searchsorted(steps, step))


def _with_text(image: Image.Image, lines: Sequence[str]) -> np.ndarray:
    """The picture with lines of text below it; long ones are wrapped."""
    lines = [part for line in lines for part in wrap(line, image.width // CHARACTER_WIDTH, subsequent_indent="    ")]
    whole = Image.new("RGB", (image.width, image.height + LINE_HEIGHT * len(lines) + 12), (255, 255, 255))
    whole.paste(image, (0, 0))
    draw, font = ImageDraw.Draw(whole), ImageFont.load_default(17)
    for k, line in enumerate(lines):
        draw.text((12, image.height + 8 + k * LINE_HEIGHT), line, fill=TEXT, font=font)
    return np.asarray(whole)
