"""A set that is played on the page: it is generated from the seed and the number in its address.

The page gets what can be seen, and questions without their answers; and frames as the renderer of the dataset makes
them, a second of video on each sheet.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from tumble.comphy.agents.guessing import answer_words
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import (
    FRAMES_PER_SECOND,
    PLAIN,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    ObjectWorld,
    named_world,
)
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.evaluation.published_results import PAPER, TABLE_3, TABLE_8
from tumble.comphy.generation.make_set import NoSetError, make_set
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.clips import AnyClip, clip_on, part_of, render_clips
from tumble.comphy.observation.renderer import Size
from tumble.comphy.observation.renderer.scene import RGB
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.web.responses import STATUS_WORDS, WebError

SET_ID = r"(?:(div)-)?(0|[1-9][0-9]{0,4})-([0-9]{5})"
"""A seed and the number of a set, as in 1-00042; before them a world other than the plain one, as in div-1-00042."""


class SetKey(NamedTuple):
    """What a set is generated from."""

    seed: int
    number: int
    world: str = PLAIN.name

    def __str__(self) -> str:
        world = "" if self.world == PLAIN.name else f"{self.world}-"
        return f"{world}{self.seed}-{self.number:05d}"

    def neighbour(self, step: int) -> "SetKey":
        """Another set of the same seed; the first one follows the last.

        >>> str(SetKey(1, 0).neighbour(-1))
        '1-99999'
        """
        return self._replace(number=(self.number + step) % 100_000)


@dataclass(frozen=True, eq=False)
class PlayedSet:
    """A set with the questions that `tumble comphy show` asks about it: those of a set alone, with test options."""

    key: SetKey
    videos: VideoSet
    questions: QuestionSet

    @property
    def world(self) -> ObjectWorld:
        """The world of the set, whose words answers are made of."""
        return named_world(self.key.world)

    @cached_property
    def interpreter(self) -> Interpreter:
        """Runs programs on the true scene."""
        return Interpreter(symbolic_scene(self.videos))

    def question(self, number: int) -> Question:
        """A question by its id; a WebError with status 404 if there is none."""
        if not 0 <= number < len(self.questions.questions):
            raise WebError(404, f"set {self.key} has {len(self.questions.questions)} questions, counted from 0")
        return self.questions.questions[number]


def is_id(text: str) -> bool:
    """Whether a text is the address of a set."""
    return re.fullmatch(SET_ID, text, re.ASCII) is not None


def known_key(text: str) -> SetKey:
    """The seed and number of an address; a WebError with status 404 if it is none."""
    found = re.fullmatch(SET_ID, text, re.ASCII)
    if found is None:
        raise WebError(404, "no such set: an address is a seed and a number of five digits, as in 1-00042")
    return SetKey(int(found[2]), int(found[3]), found[1] or PLAIN.name)


def make_played(key: SetKey) -> PlayedSet:
    """Generates a set and asks questions about it; the same ones everywhere."""
    try:
        videos = make_set(key.number, seed=key.seed, world=key.world)
    except NoSetError as error:
        raise WebError(404, f"set {key} can't be generated; take the next one") from error
    made = PlayedSet(key, videos, QuestionSet(key.number, ()))
    options = Settings(1, key.seed, None, world=key.world).option_settings("test")
    (questions,) = ask_block({key.number: made.interpreter.scene}, key.seed, options)
    return PlayedSet(key, videos, questions)


ACROSS = 5
PER_SHEET = FRAMES_PER_SECOND
"""Frames on a sheet, ACROSS in a row."""
DRAFT, SHARP = (240, 160), (480, 320)
"""Sizes of frames: the first is there sooner, the second has the size of the published videos."""
SIZES: dict[str, Size] = {str(size[0]): size for size in (DRAFT, SHARP)}
QUALITIES = {DRAFT: 80, SHARP: 90}
"""Of WebP; lower ones show steps on the table, which is seen large only in sharp pictures."""
EFFORT = 2
"""Of WebP; the next one takes twice as long and saves 6 %."""
MEDIA_TYPE = "image/webp"


def video_clip(videos: VideoSet, name: str) -> AnyClip:
    """The target's shown frames or a reference, "0" to "3"; a WebError with status 404 for another name."""
    if name == "target":
        return clip_on(videos.bodies, videos.target, videos.stage, slice(SHOWN_FRAMES))
    if name not in map(str, range(len(videos.references))):
        raise WebError(404, STATUS_WORDS[404])
    reference = videos.references[int(name)]
    return clip_on(tuple(videos.bodies[k] for k in reference.members), reference.motion, videos.stage)


def sheet(clip: AnyClip, size: str, number: str) -> bytes:
    """The WebP of a sheet of a clip's frames; a WebError with status 404 if there is no such size or sheet."""
    if size not in SIZES or number not in map(str, range(-(-clip.frames // PER_SHEET))):
        raise WebError(404, STATUS_WORDS[404])
    first = int(number) * PER_SHEET
    part = slice(first, first + PER_SHEET)
    return _encoded(_rendered(part_of(clip, part), SIZES[size]))


def full_frame(videos: VideoSet) -> bytes:
    """The WebP of a frame of the target with as many bodies as possible in view, for lists of sets."""
    most = int(videos.target.in_view[:SHOWN_FRAMES].sum(axis=1).argmax())
    return _encoded(
        _rendered(clip_on(videos.bodies, videos.target, videos.stage, slice(most, most + 1)), DRAFT), across=1
    )


def square_frame(videos: VideoSet) -> bytes:
    """The WebP of the middle of the target's last shown frame, for the first page."""
    frame = _rendered(clip_on(videos.bodies, videos.target, videos.stage, slice(SHOWN_FRAMES - 1, SHOWN_FRAMES)), SHARP)
    margin = (SHARP[0] - SHARP[1]) // 2
    return _encoded(frame[:, :, margin : SHARP[0] - margin], across=1)


def _rendered(clip: AnyClip, size: Size) -> np.ndarray:
    """In one thread, so that others' physics has the other cores."""
    return render_clips([clip], size, threads=1)[0].rgb


def _encoded(frames: np.ndarray, across: int = ACROSS) -> bytes:
    count, height, width, _ = frames.shape
    rows = -(-count // across)
    cells = np.zeros((rows * across, height, width, 3), np.uint8)
    cells[:count] = frames
    whole = cells.reshape(rows, across, height, width, 3).swapaxes(1, 2).reshape(rows * height, across * width, 3)
    file = BytesIO()
    Image.fromarray(whole).save(file, "WEBP", quality=QUALITIES.get((width, height), QUALITIES[SHARP]), method=EFFORT)
    return file.getvalue()


def set_data(played: PlayedSet) -> dict[str, Any]:
    """What is seen before anything is answered."""
    references = played.videos.references
    return {
        "id": str(played.key),
        "world": played.world.name,
        "seed": played.key.seed,
        "number": played.key.number,
        "previous": str(played.key.neighbour(-1)),
        "next": str(played.key.neighbour(1)),
        "frames_per_second": FRAMES_PER_SECOND,
        "sheet": {"frames": PER_SHEET, "across": ACROSS, "draft": DRAFT[0], "sharp": SHARP[0]},
        "videos": [
            {"name": "target", "frames": SHOWN_FRAMES},
            *({"name": str(k), "frames": REFERENCE_FRAMES} for k in range(len(references))),
        ],
        "questions": [_question_data(question, played.world) for question in played.questions.questions],
        "published": published(played.world),
    }


def _question_data(question: Question, world: ObjectWorld) -> dict[str, Any]:
    """A question without its program and answer."""
    data: dict[str, Any] = {"id": question.id, "kind": question.kind, "family": question.family, "text": question.text}
    if question.choices:
        return {**data, "options": [choice.text for choice in question.choices]}
    words, pick = answer_words(question, world)
    return {**data, "words": words, "pick": pick}


def published(world: ObjectWorld = PLAIN) -> dict[str, Any]:
    """People's and random accuracies in the paper for a world, by kind: per option and per question."""
    rows: dict[str, Any] = {}
    table = TABLE_3 if world is PLAIN else TABLE_8
    for name, row in (("people", table["Human"]), ("random", table["Random"])):
        rows[name] = {
            "factual": [row.factual, row.factual],
            "predictive": [row.predictive_per_option, row.predictive_per_question],
            "counterfactual": [row.counterfactual_per_option, row.counterfactual_per_question],
        }
    return {"paper": PAPER, "world": world.name, **rows}


def tracks(played: PlayedSet) -> dict[str, Any]:
    """The bodies, and where they are in the pictures of the target and of the references."""
    videos = played.videos
    every = tuple(range(len(videos.bodies)))
    return {
        "bodies": [{"name": str(body), "color": "#" + bytes(RGB[body.color]).hex()} for body in videos.bodies],
        "target": track(every, videos.target, slice(SHOWN_FRAMES)),
        **{str(k): track(one.members, one.motion) for k, one in enumerate(videos.references)},
    }


def track(members: tuple[int, ...], motion: Motion, frames: slice = slice(None)) -> dict[str, Any]:
    """The centres of some bodies of the set in the pictures of a video.

    `places` is base64 of little-endian float32 [frame, member, 2]: x and y from 0 to 1; NaN for a body out of view.
    """
    places = CAMERA.project(motion.positions[frames])[..., :2]
    seen = np.where(motion.in_view[frames, :, None], places, np.nan)
    packed = np.ascontiguousarray(seen, "<f4")
    return {"members": members, "frames": len(packed), "places": b64encode(packed.tobytes()).decode("ascii")}
