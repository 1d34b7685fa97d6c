"""Takes out of a perception what is no body: patches of the stage, and detections that appear in a few frames only.

A body that does not move as one makes every hypothesis look bad. All bodies of a set are in its target, so what is
never seen there is another one under a second name, or none.
"""

from dataclasses import replace

import numpy as np

from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception

MAX_ERROR = 3.0
"""Pixels: a body whose centre is known worse than this, by the median over all frames, is a patch of the stage."""
MIN_IN_TARGET = 4
"""Frames of the target in which a body must be seen."""
MIN_IN_REFERENCE = 8
"""Frames of a reference in which a body must be seen to take part in it."""


def cleaned(perception: Perception) -> Perception:
    """The perception with the bodies that are likely, at least one, and without their shortest tracks.

    Only what was detected is changed: of exact tracks, whose forms are known, all bodies are kept.
    """
    if perception.forms:
        return perception
    names = _names(perception)
    if not any(name is not None for name in names):
        return perception
    kept = sorted({name for name in names if name is not None})
    renamed = tuple(None if name is None else kept.index(name) for name in names)
    appearances = tuple(perception.appearances[k] for k in kept)
    references = tuple(_renamed(video, renamed, MIN_IN_REFERENCE) for video in perception.references)
    return Perception(appearances, _renamed(perception.target, renamed, 0), references)


def _names(perception: Perception) -> tuple[int | None, ...]:
    """For each body its own index, that of the body of the target that it seems to be, or None."""
    looks = perception.appearances
    videos = (perception.target, *perception.references)
    seen_in = [{body for column, body in enumerate(video.members) if video.seen[:, column].any()} for video in videos]
    target = perception.target
    counts = {body: int(target.seen[:, column].sum()) for column, body in enumerate(target.members)}
    real = [_median_error(videos, body) < MAX_ERROR for body in range(len(looks))]
    names: list[int | None] = []
    for body in range(len(looks)):
        if real[body] and counts.get(body, 0) >= MIN_IN_TARGET:
            names.append(body)
            continue
        alike = [
            (_differences(looks[body], looks[other]), other)
            for other in range(len(looks))
            if real[body]
            and real[other]
            and counts.get(other, 0) >= MIN_IN_TARGET
            and not any({body, other} <= seen for seen in seen_in)
        ]
        best = min(alike, default=(2, 0))
        names.append(best[1] if best[0] < 2 else None)
    return tuple(names)


def _differences(one: Appearance, other: Appearance) -> int:
    return sum(first != second for first, second in zip(one, other, strict=True))


def _median_error(videos: tuple[PerceivedVideo, ...], body: int) -> float:
    """The median error of a body's centre over the frames in which it is seen; infinite if there are none."""
    errors = [video.errors[video.seen[:, column], column] for video, column in _columns(videos, body)]
    every = np.concatenate(errors) if errors else np.zeros(0)
    return float(np.median(every)) if len(every) else float("inf")


def _columns(videos: tuple[PerceivedVideo, ...], body: int) -> list[tuple[PerceivedVideo, int]]:
    return [(video, video.members.index(body)) for video in videos if body in video.members]


def _renamed(video: PerceivedVideo, names: tuple[int | None, ...], least: int) -> PerceivedVideo:
    """A video of the bodies under their new names, without those that are seen in fewer than `least` frames."""
    columns: dict[int, int] = {}
    for column, body in enumerate(video.members):
        name, frames = names[body], int(video.seen[:, column].sum())
        if name is not None and frames >= least:
            before = columns.get(name)
            if before is None or frames > int(video.seen[:, before].sum()):
                columns[name] = column
    members = tuple(sorted(columns))
    order = [columns[name] for name in members]
    return replace(
        video,
        members=members,
        seen=video.seen[:, order],
        centres=video.centres[:, order],
        errors=video.errors[:, order],
        yaws=video.yaws[:, order],
        boxes=video.boxes[:, order],
    )
