"""The page of a set: its five videos, tracks, events, hidden properties and questions.

Figures show the bodies' tracks from above, and the events on a time line.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tumble.comphy.catalogue.body import CHARGES, MASSES, Body, Motion
from tumble.comphy.catalogue.task import KINDS, Question, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.simulation.events import Event, is_moving
from tumble.report import Document, Video
from tumble.report.figures import plotted
from tumble.report.page import data_uri

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
def tracks_figure(videos: VideoSet) -> "Figure":
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
def time_line_figure(bodies: tuple[Body, ...], motion: Motion, events: tuple[Event, ...]) -> "Figure":
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


MASS_NAMES = {value: name for name, value in MASSES.items()}
CHARGE_NAMES = {value: name for name, value in CHARGES.items()}
EVENT_VERBS = {
    "in": "comes in",
    "out": "goes out",
    "collision": "collide",
    "attraction": "attract",
    "repulsion": "repel",
}
MARKER_TEXT = "Full markers are rubber, hollow ones metal; squares are cubes, circles spheres, triangles cylinders."
LIGHTS = {"window": "that of a window", "lamp": "that of a lamp", "sky": "that of the sky"}
NAME_TEXT = "Tracks start at a dot, beside which the object is named."
KIND_TITLES = {"factual": "Factual", "predictive": "Predictive", "counterfactual": "Counterfactual"}


def page_of(videos: VideoSet, questions: QuestionSet, mp4_files: Sequence[bytes]) -> Document:
    """The page of a set; `mp4_files` are the videos of the target and of each reference, or empty."""
    document = Document(f"ComPhy set {videos.index:05d}")
    add_set(document, videos, questions, mp4_files)
    return document


def add_set(
    document: Document, videos: VideoSet, questions: QuestionSet, mp4_files: Sequence[bytes], level: int = 2
) -> None:
    """Adds everything about a set, under headings of a level."""
    story = symbolic_scene(videos)
    document.text(
        f"A {videos.family} set of {len(videos.bodies)} bodies, from seed {videos.seed}. Five seconds of the target "
        "are shown; two more are simulated, for questions about the future. Masses and charges can't be seen."
    )
    if videos.stage is not None:
        document.text(f"The floor is {videos.stage.floor}, the light {LIGHTS[videos.stage.light]}.")
    if mp4_files:
        captions = ["target", *(_reference_caption(videos, k) for k in range(len(videos.references)))]
        embedded = [Video(data_uri(mp4, "mp4"), caption) for mp4, caption in zip(mp4_files, captions, strict=True)]
        document.pictures(embedded[:1], 2)
        document.pictures(embedded[1:], len(embedded) - 1)
    _add_bodies(document, videos)
    document.figure(
        tracks_figure(videos),
        "Tracks of the bodies from above. The camera sees the grey part of the table. Dotted lines are after the shown "
        f"frames. {MARKER_TEXT if videos.stage is None else NAME_TEXT}",
    )
    document.heading("Events", level)
    _add_events(document, videos, story)
    document.heading("Questions", level)
    _add_questions(document, questions, level + 1)


def _reference_caption(videos: VideoSet, index: int) -> str:
    names = ", ".join(str(videos.bodies[k]) for k in videos.references[index].members)
    return f"reference {index + 1}: {names}"


def _add_bodies(document: Document, videos: VideoSet) -> None:
    rows = []
    for k, body in enumerate(videos.bodies):
        references = [str(number) for number, one in enumerate(videos.references, start=1) if k in one.members]
        rows.append([str(body), MASS_NAMES[body.mass], CHARGE_NAMES[body.charge], ", ".join(references)])
    document.table("Bodies and their hidden properties", ["body", "mass", "charge", "in references"], rows)


def _add_events(document: Document, videos: VideoSet, story: SymbolicScene) -> None:
    events = (*story.shown_events, *story.future_events)
    document.figure(
        time_line_figure(videos.bodies, videos.target, events),
        "The target: thin lines while a body is visible, thick ones while it moves. The dashed line is the end of the "
        "shown frames.",
    )
    rows = [_event_row(event, videos.bodies) for event in events]
    document.table("Events of the target", ["event", "second", "frame", ""], rows)
    lines = []
    for change, altered in story.altered_events.items():
        differences = (
            "; ".join(_differences(story.shown_events, altered, videos.bodies)) or "the same pairs would collide"
        )
        lines.append((f"{videos.bodies[change.body]} {change.change}: {differences}", ""))
    document.card("Counterfactuals: the shown frames with one body changed", lines)


def _differences(shown: tuple[Event, ...], altered: tuple[Event, ...], bodies: tuple[Body, ...]) -> list[str]:
    """Describes the pairs that collide in only one of two simulations."""
    before, after = (
        [_pair(event, bodies) for event in events if event.kind == "collision"] for events in (shown, altered)
    )
    lost = [f"{pair} would not collide" for pair in dict.fromkeys(before) if pair not in after]
    return lost + [f"{pair} would collide" for pair in dict.fromkeys(after) if pair not in before]


def _event_row(event: Event, bodies: tuple[Body, ...]) -> list[str]:
    when = "" if event.frame < SHOWN_FRAMES else "not shown"
    what = f"{_pair(event, bodies)} {EVENT_VERBS[event.kind]}"
    return [what, f"{event.frame / FRAMES_PER_SECOND:.2f}", str(event.frame), when]


def _pair(event: Event, bodies: tuple[Body, ...]) -> str:
    return " and ".join(str(bodies[k]) for k in event.bodies)


def _add_questions(document: Document, questions: QuestionSet, level: int) -> None:
    for kind in KINDS:
        of_kind = [question for question in questions.questions if question.kind == kind]
        if of_kind:
            document.heading(f"{KIND_TITLES[kind]}: {len(of_kind)}", level)
        for question in of_kind:
            _add_question(document, question)


def _add_question(document: Document, question: Question) -> None:
    lines = [("", " ".join(question.program))]
    if question.kind == "factual":
        lines.insert(0, (f"Answer: {question.answer or 'withheld'}", ""))
    lines += [
        (f"{choice.answer or 'withheld'}: {choice.text}", " ".join(choice.program)) for choice in question.choices
    ]
    document.card(f"{question.text} ({question.family})", lines)
