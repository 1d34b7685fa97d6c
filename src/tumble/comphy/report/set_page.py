"""The page of a set: its five videos, tracks, events, hidden properties and questions."""

from collections.abc import Sequence

from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.report import set_figures
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.body import CHARGES, MASSES, Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.tasks.question import KINDS, Question, QuestionSet
from tumble.comphy.tasks.video_set import VideoSet
from tumble.report import Document, Video
from tumble.report.data_uri import data_uri

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
        document.videos(embedded[:1], 2)
        document.videos(embedded[1:], len(embedded) - 1)
    _add_bodies(document, videos)
    document.figure(
        set_figures.tracks(videos),
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
        set_figures.time_line(videos.bodies, videos.target, events),
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
