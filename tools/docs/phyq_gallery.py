"""Phy-Q's gallery: a task of each template and its stored shots."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from drawing import CANDIDATES, Drawing, Gallery, digest
from PIL import Image

from tumble import phyq
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.cli.describe import shot_text
from tumble.phyq.generation.solutions import solution
from tumble.phyq.observation import camera, drawing, illustration, objects
from tumble.phyq.observation.animation import Film, frames_shown

DRAWN_BY = objects, camera, illustration, illustration, drawing
STYLE = [Path(module.__file__).read_text() for module in DRAWN_BY]
"""The source of what decides how levels are drawn."""
WIDTH = 480
STEPS_PER_SECOND, STRIDE = 50, 4


def gallery() -> Gallery:
    """All 75 templates."""
    keys = {
        key: digest(__file__, STYLE, phyq.physics_id(), [(phyq.task(one), solution(one)) for one in _candidates(key)])
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
        shown, film = frames_shown(motion), Film(motion, WIDTH)
        pictures = [Image.fromarray(film.picture(frame)) for frame in range(int(shown.max()) + 1)]
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
