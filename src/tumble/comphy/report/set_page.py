"""The page of a set: its five videos, tracks, events, hidden properties and questions, in one file."""

from collections.abc import Sequence

from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.report import set_figures
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.body import CHARGES, MASSES, Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.tasks.question import KINDS, Question, QuestionSet
from tumble.comphy.tasks.video_set import VideoSet
from tumble.report import Document, Film
from tumble.report.data_uri import data_uri

MASS_WORDS = {value: word for word, value in MASSES.items()}
CHARGE_WORDS = {value: word for word, value in CHARGES.items()}
EVENT_WORDS = {
    "in": "comes in",
    "out": "goes out",
    "collision": "collide",
    "attraction": "attract",
    "repulsion": "repel",
}
KIND_TITLES = {"factual": "Factual", "predictive": "Predictive", "counterfactual": "Counterfactual"}


def page_of(videos: VideoSet, questions: QuestionSet, films: Sequence[bytes]) -> Document:
    """The page; `films` are the MP4 files of the target and of each reference, or nothing."""
    document = Document(f"ComPhy set {videos.index:05d}")
    add_set(document, videos, questions, films)
    return document


def add_set(
    document: Document, videos: VideoSet, questions: QuestionSet, films: Sequence[bytes], level: int = 2
) -> None:
    """Everything about a set, under headings of a level."""
    story = symbolic_scene(videos)
    document.text(
        f"A {videos.family} set of {len(videos.bodies)} bodies, from seed {videos.seed}. Five seconds of the target "
        "are shown; two more were simulated, for questions about what will happen. Masses and charges can't be seen."
    )
    if films:
        captions = ["target", *map(_reference_words, range(len(videos.references)), [videos] * len(videos.references))]
        shown = [Film(data_uri(film, "mp4"), text) for film, text in zip(films, captions, strict=True)]
        document.films(shown[:1], 2)
        document.films(shown[1:], len(shown) - 1)
    _add_bodies(document, videos)
    document.figure(
        set_figures.tracks(videos),
        "Where the bodies go, seen from above. The camera sees the grey part of the table. Dotted ways come after the "
        "shown frames. Full marks are of rubber, hollow ones of metal; squares are cubes, circles spheres, triangles "
        "cylinders.",
    )
    document.heading("Events", level)
    _add_events(document, videos, story)
    document.heading("Questions", level)
    _add_questions(document, questions, level + 1)


def _reference_words(number: int, videos: VideoSet) -> str:
    names = ", ".join(str(videos.bodies[k]) for k in videos.references[number].members)
    return f"reference {number + 1}: {names}"


def _add_bodies(document: Document, videos: VideoSet) -> None:
    rows = []
    for k, body in enumerate(videos.bodies):
        shown = [str(number) for number, own in enumerate(videos.references, start=1) if k in own.members]
        rows.append([str(body), MASS_WORDS[body.mass], CHARGE_WORDS[body.charge], ", ".join(shown)])
    document.table("Bodies and their hidden properties", ["body", "mass", "charge", "in references"], rows)


def _add_events(document: Document, videos: VideoSet, story: SymbolicScene) -> None:
    events = (*story.shown_events, *story.future_events)
    document.figure(
        set_figures.time_line(videos.bodies, videos.target, events),
        "The target: thin lines where a body is seen, thick ones where it moves. Right of the dashed line nothing is "
        "shown.",
    )
    rows = [_event_row(event, videos.bodies) for event in events]
    document.table("Events of the target", ["what", "second", "frame", ""], rows)
    lines = []
    for change, altered in story.altered_events.items():
        differences = (
            "; ".join(_differences(story.shown_events, altered, videos.bodies)) or "the same pairs would collide"
        )
        lines.append((f"{videos.bodies[change.body]} {change.change}: {differences}", ""))
    document.card("Had one body been different, in the shown frames", lines)


def _differences(shown: tuple[Event, ...], altered: tuple[Event, ...], bodies: tuple[Body, ...]) -> list[str]:
    """Which pairs collide only in one of two worlds."""
    before, after = (
        [_pair(event, bodies) for event in events if event.kind == "collision"] for events in (shown, altered)
    )
    lost = [f"{pair} would not collide" for pair in dict.fromkeys(before) if pair not in after]
    return lost + [f"{pair} would collide" for pair in dict.fromkeys(after) if pair not in before]


def _event_row(event: Event, bodies: tuple[Body, ...]) -> list[str]:
    when = "" if event.frame < SHOWN_FRAMES else "not shown"
    what = f"{_pair(event, bodies)} {EVENT_WORDS[event.kind]}"
    return [what, f"{event.frame / FRAMES_PER_SECOND:.2f}", str(event.frame), when]


def _pair(event: Event, bodies: tuple[Body, ...]) -> str:
    return " and ".join(str(bodies[k]) for k in event.bodies)


def _add_questions(document: Document, questions: QuestionSet, level: int) -> None:
    for kind in KINDS:
        own = [question for question in questions.questions if question.kind == kind]
        if own:
            document.heading(f"{KIND_TITLES[kind]}: {len(own)}", level)
        for question in own:
            _add_question(document, question)


def _add_question(document: Document, question: Question) -> None:
    lines = [("", " ".join(question.program))]
    if question.kind == "factual":
        lines.insert(0, (f"Answer: {question.answer or 'withheld'}", ""))
    lines += [
        (f"{choice.answer or 'withheld'}: {choice.text}", " ".join(choice.program)) for choice in question.choices
    ]
    document.card(f"{question.text} ({question.family})", lines)
