"""Draws the chain of causes of an episode: where things stood and ended, paths, pushes, kills, and their numbers."""

from pathlib import Path

import numpy as np

from tumble.phyq.cli.annotations import Annotations, with_text
from tumble.phyq.generation.explain import Explanation, Link
from tumble.phyq.observation.drawing import save_png
from tumble.phyq.observation.framing import Camera
from tumble.phyq.observation.illustration import WIDTH, Illustrator, camera_of
from tumble.phyq.observation.view import Motion
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.game import layout

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
    return sorted(body for body in bodies if layout.FIXED < members[body].kind < layout.BIRD)


def piece_paths(explanation: Explanation) -> list[np.ndarray]:
    """The paths [n, 2] of pigs and pieces in the chain."""
    paths = [_path(explanation, body) for body in _loose(explanation)]
    return [path for path in paths if len(path) > 1]


def bird_paths(explanation: Explanation) -> list[np.ndarray]:
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
