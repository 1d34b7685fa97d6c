"""Figures of a set: the bodies' ways from above, and what happens as a time line; as SVG text."""

from typing import TYPE_CHECKING

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import Event, is_moving
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import VideoSet
from tumble.report.figures import plain_svg, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    "gray": "#575757",
    "red": "#ad2323",
    "blue": "#2a4bd7",
    "green": "#1d6914",
    "brown": "#814a19",
    "purple": "#8126c0",
    "cyan": "#29d0d0",
    "yellow": "#e6cf00",
}
MARKERS = {"cube": "s", "sphere": "o", "cylinder": "^"}
EVENT_LOOKS = {
    "in": (">", "comes in"),
    "out": ("<", "goes out"),
    "collision": ("X", "collision"),
    "attraction": ("D", "attraction"),
    "repulsion": ("d", "repulsion"),
}
REACH = 5.0
"""Units of the table that are shown, to each side of its middle."""


def tracks(videos: VideoSet) -> str:
    """The target and the references from above; full lines are shown, dotted ones come after."""
    with plain_svg():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.2, 5.6), layout="constrained")
        grid = figure.add_gridspec(2, 4)
        places = [grid[:, :2], grid[0, 2], grid[0, 3], grid[1, 2], grid[1, 3]]
        everybody = tuple(range(len(videos.bodies)))
        shown = [("target", everybody, videos.target)]
        shown += [(f"reference {k}", own.members, own.motion) for k, own in enumerate(videos.references, start=1)]
        for place, (title, members, motion) in zip(places, shown, strict=False):
            axes = figure.add_subplot(place)
            _draw_ways(axes, tuple(videos.bodies[k] for k in members), motion)
            axes.set_title(title, fontsize=9)
        return svg_of(figure)


def _draw_ways(axes: "Axes", bodies: tuple[Body, ...], motion: Motion) -> None:
    axes.fill(*_as_seen(_seen_table()).T, color="#f2f2f2", zorder=0)
    for k, body in enumerate(bodies):
        way, colour = _as_seen(motion.positions[:, k, :2]), COLOURS[body.color]
        axes.plot(*way[:SHOWN_FRAMES].T, color=colour, linewidth=1.4)
        axes.plot(*way[SHOWN_FRAMES - 1 :].T, color=colour, linewidth=1.0, linestyle="dotted")
        face = colour if body.material == "rubber" else "white"
        axes.plot(*way[0], MARKERS[body.shape], color=colour, markerfacecolor=face, markersize=7)
    axes.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", xticks=[], yticks=[])


def _as_seen(places: np.ndarray) -> np.ndarray:
    """[..., 2] places on the table, turned so that what is on the right in the videos is on the right."""
    right = CAMERA.axes[0, :2]
    return np.asarray(places @ np.array([right, (-right[1], right[0])]).T)


def _seen_table() -> np.ndarray:
    """[4, 2]: the corners of what the camera sees of the table; far away where it looks above it."""
    across, up = (
        CAMERA.sensor_width / CAMERA.focal_length / 2.0,
        CAMERA.sensor_width / CAMERA.focal_length / CAMERA.aspect / 2.0,
    )
    corners = np.array([(-across, -up, 1.0), (across, -up, 1.0), (across, up, 1.0), (-across, up, 1.0)])
    rays = corners @ CAMERA.axes
    reach = -CAMERA.position[2] / np.minimum(rays[:, 2], -1e-3)
    return np.asarray((np.array(CAMERA.position) + rays * reach[:, None])[:, :2])


def time_line(bodies: tuple[Body, ...], motion: Motion, events: tuple[Event, ...]) -> str:
    """A row for each body: thin where it is seen, thick where it moves, with marks where something happens to it."""
    with plain_svg():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.2, 1.2 + 0.36 * len(bodies)), layout="constrained")
        axes = figure.subplots()
        seconds = np.arange(motion.frames) / FRAMES_PER_SECOND
        moves = is_moving(motion) & motion.in_view
        for k, body in enumerate(bodies):
            row, colour = np.full(motion.frames, -float(k)), COLOURS[body.color]
            axes.plot(seconds, np.where(motion.in_view[:, k], row, np.nan), color=colour, linewidth=1.2, alpha=0.5)
            axes.plot(seconds, np.where(moves[:, k], row, np.nan), color=colour, linewidth=4, alpha=0.5)
        for kind, (marker, label) in EVENT_LOOKS.items():
            own = [event for event in events if event.kind == kind]
            for event in own:
                at, rows = event.frame / FRAMES_PER_SECOND, [-body for body in event.bodies]
                axes.plot([at] * len(rows), rows, color="#222222", marker=marker, markersize=6, linewidth=1.0)
            if own:
                axes.plot([], [], color="#222222", marker=marker, linestyle="none", label=label)
        axes.axvline(SHOWN_FRAMES / FRAMES_PER_SECOND, color="#888888", linestyle="dashed", linewidth=1.0)
        axes.set_yticks([-k for k in range(len(bodies))], [str(body) for body in bodies])
        axes.set(xlim=(0.0, TARGET_FRAMES / FRAMES_PER_SECOND), ylim=(0.6 - len(bodies), 0.6), xlabel="seconds")
        axes.spines[["top", "right"]].set_visible(False)
        if events:
            figure.legend(loc="outside lower center", ncols=5, frameon=False)
        return svg_of(figure)
