"""Figures of a set: the bodies' tracks from above, and the events on a time line."""

from typing import TYPE_CHECKING

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import Event, is_moving
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import VideoSet
from tumble.report.plot import plotted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
"""Of the plain world; objects of others have a dot and their name."""
DOT = "."
EVENT_MARKERS = {
    "in": (">", "comes in"),
    "out": ("<", "goes out"),
    "collision": ("X", "collision"),
    "attraction": ("D", "attraction"),
    "repulsion": ("d", "repulsion"),
}
HALF_WIDTH = 5.0
"""Of the part of the table that is drawn, in units."""


@plotted
def tracks(videos: VideoSet) -> "Figure":
    """The target and the references from above; dotted lines are tracks after the shown frames."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 5.6), layout="constrained")
    grid = figure.add_gridspec(2, 4)
    cells = [grid[:, :2], grid[0, 2], grid[0, 3], grid[1, 2], grid[1, 3]]
    all_bodies = tuple(range(len(videos.bodies)))
    panels = [("target", all_bodies, videos.target)]
    panels += [(f"reference {k}", one.members, one.motion) for k, one in enumerate(videos.references, start=1)]
    for cell, (title, members, motion) in zip(cells, panels, strict=False):
        axes = figure.add_subplot(cell)
        _draw_tracks(axes, tuple(videos.bodies[k] for k in members), motion)
        axes.set_title(title, fontsize=9)
    return figure


def _draw_tracks(axes: "Axes", bodies: tuple[Body, ...], motion: Motion) -> None:
    axes.fill(*to_camera_view(visible_table()).T, color="#f2f2f2", zorder=0)
    for k, body in enumerate(bodies):
        track, colour = to_camera_view(motion.positions[:, k, :2]), COLOURS[body.color]
        axes.plot(*track[:SHOWN_FRAMES].T, color=colour, linewidth=1.4)
        axes.plot(*track[SHOWN_FRAMES - 1 :].T, color=colour, linewidth=1.0, linestyle="dotted")
        face = colour if body.material == "rubber" else "white"
        marker = MARKERS.get(body.shape, DOT)
        axes.plot(*track[0], marker, color=colour, markerfacecolor=face if marker != DOT else colour, markersize=7)
        if marker == DOT:
            place = float(track[0, 0]), float(track[0, 1])
            axes.annotate(body.shape, place, (3, 3), textcoords="offset points", color=colour, fontsize=7)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_WIDTH, HALF_WIDTH), aspect="equal", xticks=[], yticks=[])


def to_camera_view(positions: np.ndarray) -> np.ndarray:
    """Positions [..., 2] on the table, rotated so that right in the figure is right in the videos."""
    right = CAMERA.axes[0, :2]
    return np.asarray(positions @ np.array([right, (-right[1], right[0])]).T)


def visible_table() -> np.ndarray:
    """The corners [4, 2] of the part of the table that the camera sees; far away above the horizon."""
    across = CAMERA.sensor_width / CAMERA.focal_length / 2.0
    up = CAMERA.sensor_width / CAMERA.focal_length / CAMERA.aspect / 2.0
    corners = np.array([(-across, -up, 1.0), (across, -up, 1.0), (across, up, 1.0), (-across, up, 1.0)])
    rays = corners @ CAMERA.axes
    distance = -CAMERA.position[2] / np.minimum(rays[:, 2], -1e-3)
    return np.asarray((np.array(CAMERA.position) + rays * distance[:, None])[:, :2])


@plotted
def time_line(bodies: tuple[Body, ...], motion: Motion, events: tuple[Event, ...]) -> "Figure":
    """A row for each body: thin while it is visible, thick while it moves, with markers at its events."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 1.2 + 0.36 * len(bodies)), layout="constrained")
    axes = figure.subplots()
    seconds = np.arange(motion.frames) / FRAMES_PER_SECOND
    moves = is_moving(motion) & motion.in_view
    for k, body in enumerate(bodies):
        row, colour = np.full(motion.frames, -float(k)), COLOURS[body.color]
        axes.plot(seconds, np.where(motion.in_view[:, k], row, np.nan), color=colour, linewidth=1.2, alpha=0.5)
        axes.plot(seconds, np.where(moves[:, k], row, np.nan), color=colour, linewidth=4, alpha=0.5)
    for kind, (marker, label) in EVENT_MARKERS.items():
        of_kind = [event for event in events if event.kind == kind]
        for event in of_kind:
            at, rows = event.frame / FRAMES_PER_SECOND, [-body for body in event.bodies]
            axes.plot([at] * len(rows), rows, color="#222222", marker=marker, markersize=6, linewidth=1.0)
        if of_kind:
            axes.plot([], [], color="#222222", marker=marker, linestyle="none", label=label)
    axes.axvline(SHOWN_FRAMES / FRAMES_PER_SECOND, color="#888888", linestyle="dashed", linewidth=1.0)
    axes.set_yticks([-k for k in range(len(bodies))], [str(body) for body in bodies])
    axes.set(xlim=(0.0, TARGET_FRAMES / FRAMES_PER_SECOND), ylim=(0.6 - len(bodies), 0.6), xlabel="seconds")
    axes.spines[["top", "right"]].set_visible(False)
    if events:
        figure.legend(loc="outside lower center", ncols=5, frameon=False)
    return figure
