"""`tumble phyq explain`: the chain of causes in a solution, as text and as a picture.

The picture shows where things stood and ended, paths, pushes, kills, and their numbers, with lines of text below it.
"""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.engine import check_device
from tumble.output import check_target, print_line, reports_errors
from tumble.phyq.cli.describe import describe_outcome, describe_shot, find_task, task_title
from tumble.phyq.cli.play import ShotOptions, check_shot_count
from tumble.phyq.generation.explain import Explanation, Link, explain
from tumble.phyq.generation.solutions import solution
from tumble.phyq.observation.camera import Camera
from tumble.phyq.observation.drawing import save_png
from tumble.phyq.observation.illustration import WIDTH, Illustrator, camera_of, dots_along
from tumble.phyq.observation.view import Motion
from tumble.phyq.simulation import episode_views, game_layout

Colour = tuple[int, int, int]
TEXT, WHITE = (30, 30, 30), (255, 255, 255)
FULL_WIDTH = 1280
"""Sizes below are in pixels of a picture of this width; they are in proportion in others."""
LEAST_SIZE = 0.5
"""Nothing is smaller than this share of its size at the full width, however small the picture is."""
SMOOTHNESS = 3
"""Subpixels along the side of each pixel."""
EDGE = 1.5
"""Width of the white edge around what is drawn."""
NUMBER_RADIUS = 11.0
NUMBER_DISTANCES, NAME_DISTANCES = np.arange(26.0, 110.0, 12.0), np.arange(22.0, 76.0, 6.0)
"""Distances from a point at which its number or name can be."""
TURNS = np.radians(np.arange(-90.0, 270.0, 22.5))
"""Directions in which it can be, from above on."""
NUMBER_FONT, NAME_FONT, TEXT_FONT = 15, 14, 17
LINE_HEIGHT, CHARACTER_WIDTH, TEXT_MARGIN = 25, 8.2, 12
"""Of text below the picture."""


def annotation_size(width: int) -> float:
    """The factor for all sizes in a picture of this width.

    >>> annotation_size(2560)
    2.0
    """
    return max(width / FULL_WIDTH, LEAST_SIZE)


class Annotations:
    """Marks at world points, drawn over a picture with the same camera.

    Names and numbers avoid what was drawn before them, so draw them last.
    """

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._scale = annotation_size(camera.width) * SMOOTHNESS
        self._image = Image.new("RGBA", (camera.width * SMOOTHNESS, camera.height * SMOOTHNESS), (255, 255, 255, 0))
        self._draw = ImageDraw.Draw(self._image)
        self._taken: list[tuple[np.ndarray, float]] = []

    def over(self, picture: np.ndarray) -> np.ndarray:
        """A picture uint8 [height, width, 3] with the marks over it."""
        size = self._camera.width, self._camera.height
        base = Image.fromarray(picture).convert("RGBA")
        base.alpha_composite(self._image.resize(size, Image.Resampling.BOX))
        return np.asarray(base.convert("RGB"))

    def path(self, points: np.ndarray, colour: Colour, width: float) -> None:
        """A line along points [n, 2]."""
        self._lines([self._at(points)], colour, width)
        for place in dots_along(self._at(points), spacing=8.0 * self._scale)[0]:
            self._reserve(place, width / 2.0)

    def dot(self, point: np.ndarray, colour: Colour, radius: float) -> None:
        """A disc about a point."""
        self._disc(self._at(point), radius + EDGE, WHITE)
        self._disc(self._at(point), radius, colour)
        self._reserve(self._at(point), radius)

    def cross(self, point: np.ndarray, colour: Colour, reach: float) -> None:
        """A cross at a point."""
        centre, arm = self._at(point), reach * self._scale
        ends = [np.stack([centre - arm * np.array(way), centre + arm * np.array(way)]) for way in ((1, 1), (1, -1))]
        self._lines(ends, colour, 4.5)
        self._reserve(centre, reach)

    def arrow(self, point: np.ndarray, towards: np.ndarray, colour: Colour) -> None:
        """An arrow at a point in the direction of another point."""
        centre, way = self._at(point), self._at(towards) - self._at(point)
        along = way / max(1e-6, float(np.hypot(*way))) * self._scale
        across = np.array([-along[1], along[0]])
        tail, tip = centre - 14.0 * along, centre + 30.0 * along
        for edge, drawn in ((EDGE, WHITE), (0.0, colour)):
            self._line(np.stack([tail - edge * along, tip - 8.0 * along]), drawn, 4.0 + 2.0 * edge)
            back, half = tip - (15.0 + edge) * along, (8.0 + 1.7 * edge) * across
            head = [tip + 2.0 * edge * along, back + half, back - half]
            self._draw.polygon([tuple(corner.tolist()) for corner in head], fill=drawn)
        for place in (tail, centre, tip - 8.0 * along):
            self._reserve(place, 6.0)

    def name(self, text: str, point: np.ndarray) -> None:
        """Text beside a point, where it hides least."""
        font, edge = ImageFont.load_default(NAME_FONT * self._scale), round(2.0 * EDGE * self._scale)
        half = self._draw.textlength(text, font=font) / 2.0
        parts = np.linspace(-half, half, 5)[1:-1]
        centre = self._free_place(self._at(point), NAME_DISTANCES, NAME_FONT / 2.0, parts)
        at = float(centre[0]), float(centre[1])
        self._draw.text(at, text, fill=TEXT, font=font, anchor="mm", stroke_width=edge, stroke_fill=WHITE)

    def numbers(self, points: np.ndarray) -> None:
        """Numbers from 1 on in circles beside points [n, 2], with lines to them, where they hide least."""
        centres = self._at(points)
        places = [self._free_place(centre, NUMBER_DISTANCES, NUMBER_RADIUS) for centre in centres]
        for centre, place in zip(centres, places, strict=True):
            self._line(np.stack([centre, place]), TEXT, 1.2)
        font = ImageFont.load_default(NUMBER_FONT * self._scale)
        for number, place in enumerate(places, 1):
            self._disc(place, NUMBER_RADIUS, TEXT)
            self._disc(place, NUMBER_RADIUS - 1.5, WHITE)
            at = float(place[0]), float(place[1])
            self._draw.text(at, str(number), fill=TEXT, font=font, anchor="mm")

    def _free_place(
        self, centre: np.ndarray, distances: np.ndarray, radius: float, parts: Sequence[float] | np.ndarray = (0.0,)
    ) -> np.ndarray:
        """The place at one of some distances from a pixel where a label hides least; it is reserved.

        A label is a row of discs with a radius, whose middles are to the right of its own by `parts`, in subpixels.
        """
        circle = np.stack([np.cos(TURNS), np.sin(TURNS)], axis=-1)
        low = (radius + EDGE) * self._scale + np.array([max(parts), 0.0])
        options = (centre + self._scale * distances[:, None, None] * circle).reshape(-1, 2)
        options = np.clip(options, low, np.maximum(low, np.array(self._image.size) - low))
        discs = options[:, None] + np.stack([parts, np.zeros(len(parts))], axis=-1)
        taken = np.array([place for place, _ in self._taken]).reshape(-1, 2)
        reach = self._scale * (np.array([size for _, size in self._taken]) + radius + EDGE)
        apart = np.linalg.norm(discs[:, :, None] - taken, axis=-1)
        hidden = np.maximum(0.0, reach - apart).sum(axis=(1, 2))
        best = int(np.argmin(hidden))  # the nearest of the best
        for disc in discs[best]:
            self._reserve(disc, radius)
        return np.asarray(options[best])

    def _reserve(self, pixel: np.ndarray, radius: float) -> None:
        self._taken.append((pixel, radius))

    def _at(self, points: np.ndarray) -> np.ndarray:
        """Subpixels [..., 2] of world points [..., 2]."""
        return np.asarray(self._camera.to_pixels(np.asarray(points, float)) * SMOOTHNESS)

    def _lines(self, lines: Sequence[np.ndarray], colour: Colour, width: float) -> None:
        """Lines with one white edge around all of them."""
        for drawn, thick in ((WHITE, width + 2.0 * EDGE), (colour, width)):
            for line in lines:
                self._line(line, drawn, thick)

    def _line(self, pixels: np.ndarray, colour: Colour, width: float) -> None:
        points = [tuple(pixel) for pixel in pixels.tolist()]
        self._draw.line(points, fill=colour, width=max(1, round(width * self._scale)), joint="curve")

    def _disc(self, centre: np.ndarray, radius: float, colour: Colour) -> None:
        reach = radius * self._scale
        self._draw.ellipse([*(centre - reach).tolist(), *(centre + reach).tolist()], fill=colour)


def with_text(picture: np.ndarray, lines: Sequence[str]) -> np.ndarray:
    """A picture uint8 [height, width, 3] with lines of text below it; long ones are wrapped."""
    height, width = picture.shape[:2]
    size = annotation_size(width)
    margin, line_height = round(TEXT_MARGIN * size), round(LINE_HEIGHT * size)
    columns = max(8, int((width - 2 * margin) / (CHARACTER_WIDTH * size)))
    lines = [part for line in lines for part in wrap(line, columns, subsequent_indent="    ")]
    whole = Image.new("RGB", (width, height + 2 * margin + line_height * len(lines)), WHITE)
    whole.paste(Image.fromarray(picture), (0, 0))
    draw, font = ImageDraw.Draw(whole), ImageFont.load_default(TEXT_FONT * size)
    for k, line in enumerate(lines):
        draw.text((margin, height + margin + k * line_height), line, fill=TEXT, font=font)
    return np.asarray(whole)


FAINT = 0.4
"""Opacity of objects where they were at the start."""
PATH, PUSH, KILL, OTHER = (200, 40, 40), (230, 119, 0), (176, 0, 64), (30, 30, 30)
CROSS, SMALL_CROSS = 10.0, 6.0
"""Half the width of the cross of a pig and of a piece, in pixels of a picture of 1280."""
PUSHED_FRAMES = 12
"""An arrow has the direction in which the pushed body moves during this number of frames."""
SKY = 0.08
"""Sky above everything that is shown, as a share of the picture's width."""
LEGEND = (
    "Faint: at the start. Red lines: paths of birds. Orange lines: paths of pieces. Arrows: pushes. "
    "Crosses: deaths (small: pieces). Dots: other events."
)


def save_causes(path: str | Path, explanation: Explanation, title: str, width: int = WIDTH) -> None:
    """Writes the picture as a PNG file."""
    save_png(path, cause_picture(explanation, title, width))


def cause_picture(explanation: Explanation, title: str, width: int = WIDTH) -> np.ndarray:
    """The picture uint8 [rows, width, 3], with the numbered causes as text below it."""
    motion = episode_views.motion(explanation.episodes, 0)
    camera = cause_camera(explanation, width)
    marks = Annotations(camera)
    for path in piece_paths(explanation):
        marks.path(path, PUSH, 2.0)
    for path in bird_paths(explanation):
        marks.path(path, PATH, 3.0)
    for body in _destroyed(explanation):
        marks.cross(_path(explanation, body)[-1], KILL, SMALL_CROSS)
    for link in explanation.links:
        _draw_link(marks, explanation, link)
    for body in sorted({*_loose(explanation), *_destroyed(explanation)}):
        marks.name(explanation.record.names[body], _path(explanation, body)[0])
    marks.numbers(_places(explanation))
    picture = marks.over(cause_scene(motion, camera))
    return with_text(picture, [title, *explanation.lines(), *_verdict(explanation), LEGEND])


def cause_camera(explanation: Explanation, width: int) -> Camera:
    """The camera that shows the level and all that happens in the chain, with little sky above."""
    start = episode_views.start(explanation.task.level)
    points = np.concatenate([_places(explanation), *bird_paths(explanation), *piece_paths(explanation)])
    camera = camera_of(start.objects, start.slingshot, width, flights=points, whole=True)
    highest = max(float(heights.max()) for heights in (points[:, 1], *(one.corners[:, 1] for one in start.objects)))
    return camera.below(highest + SKY * width / camera.scale)


def _verdict(explanation: Explanation) -> list[str]:
    return [f"Rule: {explanation.rule}: {explanation.verdict}"] if explanation.rule else []


def cause_scene(motion: Motion, camera: Camera) -> np.ndarray:
    """A picture of the end without birds, in which the objects at the start are faint."""
    fixed = np.array([one.kind == "platform" for one in motion.objects])
    birds = np.array([one.kind in ("bird", "egg") for one in motion.objects])
    start, end = motion.poses[0], motion.poses[-1]
    bare = np.where(fixed[:, None], start, np.nan)
    without_birds = np.where(birds[:, None], np.nan, end)
    drawn = Illustrator(motion.objects, motion.slingshot, camera).paint(np.stack([bare, start, without_birds]))
    empty, before, after = drawn
    faint = (FAINT * before + (1.0 - FAINT) * empty).astype(np.uint8)
    return np.asarray(np.where((after != empty).any(axis=-1, keepdims=True), after, faint))


def _places(explanation: Explanation) -> np.ndarray:
    """Where each link is, float [links, 2]."""
    return np.array([link.point for link in explanation.links]).reshape(-1, 2)


def _draw_link(marks: Annotations, explanation: Explanation, link: Link) -> None:
    point = np.array(link.point)
    if link.kind in ("kill", "fall", "destroy", "explode"):
        is_pig = explanation.record.world.members[link.target].role == "pig"
        marks.cross(point, KILL, CROSS if is_pig else SMALL_CROSS)
    elif link.kind in ("push", "support") and link.source is not None:
        target = _path(explanation, link.target)
        steps = explanation.episodes.frames + int(explanation.episodes.start[0])
        frame = int(np.searchsorted(steps, link.step))
        begin, end = (min(len(target) - 1, one) for one in (frame, frame + PUSHED_FRAMES))
        marks.arrow(point, point + target[end] - target[begin], PUSH)
    else:
        marks.dot(point, OTHER, 4.0)


def _destroyed(explanation: Explanation) -> list[int]:
    """The pieces that were destroyed, in the chain or not."""
    record = explanation.record
    return [k for k, member in enumerate(record.world.members) if member.role in ("block", "tnt") and record.died(k)]


def _loose(explanation: Explanation) -> list[int]:
    """The pigs and movable pieces in the chain."""
    members = explanation.record.world.members
    bodies = {body for link in explanation.links for body in (link.source, link.target) if body is not None}
    return sorted(body for body in bodies if game_layout.FIXED < members[body].kind < game_layout.BIRD)


def piece_paths(explanation: Explanation) -> list[np.ndarray]:
    """The paths [n, 2] of pigs and pieces in the chain."""
    paths = [_path(explanation, body) for body in _loose(explanation)]
    return [path for path in paths if len(path) > 1]


def bird_paths(explanation: Explanation) -> list[np.ndarray]:
    """The paths [n, 2] of birds, split birds and eggs until the last pig died."""
    members = explanation.record.world.members
    end = max((link.step for link in explanation.links), default=0) if explanation.episodes.won[0] else None
    paths = [_path(explanation, k, end) for k, member in enumerate(members) if member.kind >= game_layout.BIRD]
    return [path for path in paths if len(path) > 1]


def _path(explanation: Explanation, body: int, until: int | None = None) -> np.ndarray:
    """Positions [n, 2] of a body."""
    episodes = explanation.episodes
    points = episodes.poses[0, :, body, :2].astype(float)
    kept = np.isfinite(points).all(axis=-1)
    if until is not None:
        kept &= episodes.frames + int(episodes.start[0]) <= until
    return np.asarray(points[kept])


@reports_errors
def explain_task(text: str, options: ShotOptions, png: Path | None, width: int, device: str) -> None:
    """Explains the stored solution of a task, or given shots."""
    check_target(png, ".png")
    check_device(device)
    task = find_task(text)
    shots = options.parse() if options.is_given else list(solution(task.id).shots)
    check_shot_count(task.level, len(shots))
    explanation = explain(task, shots, device)
    print_line(task_title(task))
    for colour, shot in zip(task.level.birds, shots, strict=False):
        print_line(f"{colour} bird: {describe_shot(shot)}")
    print_line("")
    for line in explanation.lines():
        print_line(line)
    print_line("")
    print_line(describe_outcome(explanation.episodes, 0))
    for line in rule_lines(explanation):
        print_line(line)
    if png:
        save_causes(png, explanation, task_title(task), width)
        print_line(f"Picture: {png}")


def rule_lines(explanation: Explanation) -> list[str]:
    """The rule of the template, when its events occurred, and whether it is followed."""
    rule, verdict = explanation.rule, explanation.verdict
    if rule is None or verdict is None:
        return ["No rule is stored for this level."]
    lines = ["Rule:"]
    for sequence, steps in zip(rule.sequences, (*verdict.steps, *[()] * len(rule.sequences)), strict=False):
        times = [f"{explanation.seconds(step):.2f} s" for step in steps] + ["not found"] * (len(sequence) - len(steps))
        lines += [f"  {time:>9}  {event}" for event, time in zip(sequence, times, strict=True)]
    lines += [f"      never  {event}" for event in rule.never]
    return [*lines, f"The rule is {verdict}."]
