"""The page of a model's answers about a set: what it saw, inferred and predicted, and where its programs went wrong.

The steps of a model's program are compared with those on the true scene.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.agents.agent import Explanation
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import KINDS, Appearance, Choice, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Alteration, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.evaluation.metrics import Mark, by_kind
from tumble.comphy.models.perceiver.perception import PerceivedVideo, match_by_looks, match_by_place
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.video import encode_video
from tumble.comphy.questions.interpreter import Interpreter, Step
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.report.inspection_figures import PredictedWorld, draw_tracks, predictions_figure, projected_video
from tumble.comphy.report.set_page import CHARGE_NAMES, KIND_TITLES, MASS_NAMES
from tumble.report import Document, Video
from tumble.report.document import MISSING
from tumble.report.page import data_uri

LONGEST = 70
"""Characters of a value that is shown whole."""
FRAME_TOLERANCE = 5
"""Frames by which an event or a time may differ without being called different."""
_FRAME = re.compile(r"(?:at )?frame (\d+)")


@dataclass(frozen=True)
class ComparedStep:
    """A step of a program with its value for a model and in truth; None where one of the programs has no such step."""

    model: Step | None
    truth: Step | None

    @property
    def token(self) -> str:
        """The token of the true program, or of the model's where that is longer."""
        step = self.truth or self.model
        return "" if step is None else step.token

    @property
    def is_literal(self) -> bool:
        """Whether it only puts a word on the stack, the same in both."""
        return not self.differs and self.truth is not None and self.truth.value == self.truth.token

    @property
    def texts(self) -> tuple[str, str]:
        """The two values, shortened; of long lists those members that the other one lacks."""
        model, truth = ("" if step is None else step.value for step in (self.model, self.truth))
        return shortened_value(model, truth), shortened_value(truth, model)

    @property
    def differs(self) -> bool:
        """Whether the tokens differ, or the values in more than a few frames."""
        if self.model is None or self.truth is None:
            return True
        return self.model.token != self.truth.token or not same_value(self.model.value, self.truth.value)


def compare_steps(model: Sequence[Step], truth: Sequence[Step]) -> list[ComparedStep]:
    """The steps of both programs, in pairs."""
    length = max(len(model), len(truth))
    pairs = zip(_padded(model, length), _padded(truth, length), strict=True)
    return [ComparedStep(one, other) for one, other in pairs]


def first_difference(steps: Sequence[ComparedStep]) -> int | None:
    """The first step that differs."""
    return next((number for number, step in enumerate(steps) if step.differs), None)


def same_value(one: str, other: str) -> bool:
    """Whether two values are the same in any order of bodies and events, with frames that differ by a few at most.

    >>> same_value("collision of red cube and blue cube at frame 40", "collision of blue cube and red cube at frame 43")
    True
    >>> same_value("red cube, blue cube", "red cube")
    False
    """
    mine, others = sorted(map(_item, one.split(", "))), sorted(map(_item, other.split(", ")))
    if [name for name, _ in mine] != [name for name, _ in others]:
        return False
    return all(abs(first - second) <= FRAME_TOLERANCE for (_, first), (_, second) in zip(mine, others, strict=True))


def shortened_value(value: str, other: str) -> str:
    """A value; of a long list only how many there are, with those that another one lacks.

    >>> shortened_value("in of red metal cube at frame 20, " * 4 + "out of gray cube at frame 9", "")[:10]
    '5 values, '
    """
    items = value.split(", ")
    if len(value) <= LONGEST or len(items) == 1:
        return value
    lacking = [item for item in items if not any(same_value(item, one) for one in other.split(", "))]
    return f"{len(items)} values" + (f", among them {'; '.join(lacking[:2])}" if lacking else "")


def _item(text: str) -> tuple[str, int]:
    """A body or event without its frame, the bodies in one order, and the frame; 0 without one."""
    found = _FRAME.search(text)
    kind, _, bodies = _FRAME.sub("", text).strip().partition(" of ")
    name = " and ".join(sorted(bodies.split(" and "))) if bodies else " and ".join(sorted(kind.split(" and ")))
    return (f"{kind} of {name}" if bodies else name), int(found[1]) if found else 0


def _padded(steps: Sequence[Step], length: int) -> list[Step | None]:
    return [*steps, *([None] * (length - len(steps)))]


PIXELS = 240
"""Width of a picture for errors in pixels."""


@dataclass(frozen=True, eq=False)
class Inspected:
    """A set, and what a model answered about it."""

    model: str
    given: str
    truth: VideoSet
    questions: QuestionSet
    """With their answers."""
    marks: Mapping[int, Mark]
    """By question."""
    explanation: Explanation
    frames: Sequence[np.ndarray] = ()
    """uint8 [frame, height, width, 3]: the pictures of the target and the references; empty if there are none."""

    @property
    def matched(self) -> tuple[int | None, ...]:
        """For each true body the one that the model found; None if it found none."""
        perception, bodies = self.explanation.perception, self.explanation.bodies or ()
        if perception is not None:
            return match_by_place(perception, self.truth.target)
        return match_by_looks(bodies, self.truth.bodies)


def inspection_page(inspected: Inspected) -> Document:
    """The page."""
    document = Document(f"ComPhy set {inspected.truth.index:05d}, answered by {inspected.model}")
    document.text(_summary(inspected))
    _add_videos(document, inspected)
    _add_properties(document, inspected)
    _add_perception(document, inspected)
    _add_predictions(document, inspected)
    document.heading("Questions")
    scenes = Interpreter(symbolic_scene(inspected.truth)), _model_interpreter(inspected.explanation)
    for kind in KINDS:
        of_kind = [question for question in inspected.questions.questions if question.kind == kind]
        if of_kind:
            document.heading(f"{KIND_TITLES[kind]}: {len(of_kind)}", 3)
        for question in of_kind:
            _add_question(document, inspected, question, *scenes)
    return document


def _summary(inspected: Inspected) -> str:
    parts = []
    for kind, tally in by_kind(list(inspected.marks.values())).items():
        options = f", {tally.correct_parts} of {tally.parts} options" if tally.histogram else ""
        parts.append(f"{tally.correct_questions} of {tally.questions} {kind} questions{options}")
    return f"{inspected.model} was given {inspected.given} and answered correctly: {'; '.join(parts)}."


def _add_videos(document: Document, inspected: Inspected) -> None:
    if not inspected.frames:
        return
    explanation = inspected.explanation
    names: tuple[Appearance, ...] = ()
    overlays: list[PerceivedVideo | None] = [None] * len(inspected.frames)
    if explanation.perception is not None:
        names = explanation.perception.appearances
        overlays = [explanation.perception.target, *explanation.perception.references]
    elif explanation.bodies and (explanation.scene is not None or None in (explanation.motions or {})):
        names = tuple(Appearance(*body.appearance) for body in explanation.bodies)
        places = _three_dimensional(_own_places(explanation)[:SHOWN_FRAMES])
        overlays[0] = projected_video(places, CAMERA.sees(np.nan_to_num(places, nan=1e3)))
    videos = []
    for number, (frames, overlay) in enumerate(zip(inspected.frames, overlays, strict=False)):
        drawn = frames if overlay is None else draw_tracks(frames, overlay, names)
        caption = "target" if number == 0 else f"reference {number}"
        videos.append(
            Video(data_uri(encode_video(drawn), "mp4"), caption + ("" if overlay is None else ", with tracks"))
        )
    document.pictures(videos[:1], 2)
    document.pictures(videos[1:], 4)


def _own_places(explanation: Explanation) -> np.ndarray:
    """The places [frame, body, 2 or 3] in the target that a model without perception works with."""
    if explanation.motions is not None and None in explanation.motions:
        return explanation.motions[None]
    assert explanation.scene is not None
    return explanation.scene.motion.positions


def _three_dimensional(places: np.ndarray) -> np.ndarray:
    """Places [frame, body, 3], at the height of a centre if they are on the table only."""
    if places.shape[-1] == 3:
        return places
    return np.concatenate([places, np.full((*places.shape[:-1], 1), 0.2)], axis=-1)


def _add_properties(document: Document, inspected: Inspected) -> None:
    """True bodies beside those that were found, with charges up to a common sign."""
    found = inspected.explanation.bodies
    if found is None:
        document.text("The model has no notion of bodies.")
        return
    matched = inspected.matched
    true_charges = [body.charge for body in inspected.truth.bodies]
    charges = [0 if k is None else found[k].charge for k in matched]
    agreement = sum(one * other for one, other in zip(charges, true_charges, strict=True))
    sign = -1 if agreement < 0 else 1
    rows = []
    for body, k in zip(inspected.truth.bodies, matched, strict=True):
        cells = [str(body), MASS_NAMES[body.mass], CHARGE_NAMES[body.charge]]
        if k is None:
            rows.append([*cells, "not found", MISSING, MISSING, "wrong"])
            continue
        own = found[k]
        wrong = [
            *(["looks"] if own.appearance != body.appearance else []),
            *(["mass"] if own.mass != body.mass else []),
            *(["charge"] if sign * own.charge != body.charge else []),
        ]
        rows.append([*cells, str(own), MASS_NAMES[own.mass], CHARGE_NAMES[sign * own.charge], ", ".join(wrong)])
    rows += [
        ["nothing", MISSING, MISSING, str(body), MASS_NAMES[body.mass], CHARGE_NAMES[body.charge], "wrong"]
        for k, body in enumerate(found)
        if k not in matched
    ]
    header = ["body", "mass", "charge", "found as", "mass inferred", "charge inferred", "wrong"]
    document.table("True and inferred properties; charges up to a common sign", header, rows)


def _add_perception(document: Document, inspected: Inspected) -> None:
    """How well each body was seen in each video."""
    perception = inspected.explanation.perception
    if perception is None:
        return
    matched = inspected.matched
    truth = inspected.truth
    all_bodies = tuple(range(len(truth.bodies)))
    videos = [("target", all_bodies, truth.target, perception.target)]
    videos += [
        (f"reference {k}", reference.members, reference.motion, seen)
        for k, (reference, seen) in enumerate(zip(truth.references, perception.references, strict=False), start=1)
    ]
    rows = []
    for name, members, motion, seen in videos:
        for column, body in enumerate(members):
            rows.append([f"{name}: {truth.bodies[body]}", *_track_errors(motion, column, seen, matched[body])])
    header = ["body", "frames in view", "of these found", "centre error, px", "largest"]
    document.table(f"Perception; pixels of a picture {PIXELS} wide", header, rows)


def _track_errors(motion: Motion, column: int, seen: PerceivedVideo, body: int | None) -> list[str]:
    frames = min(seen.frames, motion.frames)
    in_view = motion.in_view[:frames, column]
    if body is None or body not in seen.members:
        return [str(int(in_view.sum())), "0", MISSING, MISSING]
    own = seen.members.index(body)
    both = in_view & seen.seen[:frames, own]
    true = CAMERA.project(motion.positions[:frames, column])[both, :2]
    offsets = (seen.centres[:frames, own][both] - true) * (PIXELS, PIXELS / CAMERA.aspect)
    distances = np.linalg.norm(offsets, axis=-1)
    if not len(distances):
        return [str(int(in_view.sum())), "0", MISSING, MISSING]
    rms = float(np.sqrt((distances**2).mean()))
    return [str(int(in_view.sum())), str(int(both.sum())), f"{rms:.2f}", f"{distances.max():.2f}"]


def _add_predictions(document: Document, inspected: Inspected) -> None:
    worlds = _predicted_worlds(inspected)
    if not worlds:
        return
    document.heading("Predictions")
    document.figure(
        predictions_figure(inspected.truth.bodies, worlds),
        "True tracks from above as wide pale lines, predicted ones as thin lines that end in a cross: the target with "
        "its future, and the shown frames after each change.",
    )
    rows = [
        [world.title, *(MISSING if np.isnan(error) else f"{error:.2f}" for error in world.errors())] for world in worlds
    ]
    header = ["world", *map(str, inspected.truth.bodies)]
    document.table("Mean distance of predicted and true places, in units (a body is 0.4 wide)", header, rows)


def _predicted_worlds(inspected: Inspected) -> list[PredictedWorld]:
    """The target and the altered worlds that the model predicted, with its bodies in the order of the true ones."""
    motions, truth, matched = inspected.explanation.motions, inspected.truth, inspected.matched
    if motions is None:
        return []
    true_motions: dict[Alteration | None, Motion] = {None: truth.target}
    true_motions.update(truth.altered.items())
    worlds = []
    for change, motion in true_motions.items():
        title = "the target" if change is None else f"{truth.bodies[change.body]} {change.change}"
        own_body = None if change is None else matched[change.body]
        own_change = None if change is None else Alteration(own_body, change.change) if own_body is not None else change
        if (change is not None and own_body is None) or own_change not in motions:
            continue
        predicted = np.asarray(motions[own_change], float)
        columns = [
            np.full((len(predicted), predicted.shape[-1]), np.nan) if k is None else predicted[:, k] for k in matched
        ]
        worlds.append(PredictedWorld(title, motion.positions, np.stack(columns, axis=1)))
    return worlds


def _model_interpreter(explanation: Explanation) -> Interpreter | None:
    return None if explanation.scene is None else Interpreter(explanation.scene)


def _add_question(
    document: Document, inspected: Inspected, question: Question, truth: Interpreter, model: Interpreter | None
) -> None:
    mark = inspected.marks[question.id]
    verdict = "right" if mark.all_correct else "wrong"
    choices: list[Choice | None] = [*question.choices] if question.choices else [None]
    lines = []
    shown: tuple[str, list[ComparedStep]] | None = None
    for choice, answer, correct in zip(choices, mark.answers, mark.correct, strict=True):
        right = question.answer if choice is None else choice.answer
        text = "" if choice is None else f"{choice.text}: "
        steps = _compared(inspected.explanation, question, choice, truth, model)
        given = f"{text}answered {answer}" if answer else f"{text}unanswered"
        lines.append((given if correct else f"{given}, should be {right}", _fault(steps)))
        if steps and (shown is None or (not correct and shown[0] == "right")):
            shown = ("right" if correct else "wrong"), steps
    document.card(f"{question.text} ({question.family}): {verdict}", lines)
    if shown is not None:
        _add_steps(document, shown[1])


def _compared(
    explanation: Explanation, question: Question, choice: Choice | None, truth: Interpreter, model: Interpreter | None
) -> list[ComparedStep]:
    """The steps of the model beside the true ones; empty if it has none."""
    program = question.program if choice is None else choice.program + question.program
    own: tuple[Step, ...] | None = None
    if explanation.traces is not None:
        own = explanation.traces.get((question.id, None if choice is None else choice.id))
    elif model is not None:
        own = model.trace(program)
    return [] if own is None else compare_steps(own, truth.trace(program))


def _fault(steps: Sequence[ComparedStep]) -> str:
    """Where a program goes wrong first, in one line; empty if it does not."""
    number = first_difference(steps)
    if number is None:
        return ""
    model, truth = steps[number].model, steps[number].truth
    if model is None or truth is None or model.token != truth.token:
        tokens = (MISSING if step is None else step.token for step in (model, truth))
        return "step {}: the program has {}, the true one {}".format(number + 1, *tokens)
    own, true = steps[number].texts
    return f"step {number + 1}, {model.token}: {own}; in truth: {true}"


def _add_steps(document: Document, steps: Sequence[ComparedStep]) -> None:
    first = first_difference(steps)
    rows: list[list[str]] = []
    dimmed = []
    for number, step in enumerate(steps):
        if step.is_literal:
            continue
        if not step.differs:
            dimmed.append(len(rows))
        mark = "first difference" if number == first else "differs" if step.differs else ""
        own, true = step.texts
        rows.append([f"{number + 1}. {step.token}", own or MISSING, (true or MISSING) if step.differs else "", mark])
    document.table("Program", ["step", "model", "truth, where it differs", ""], rows, dimmed)
