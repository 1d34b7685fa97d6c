"""Sets as the page needs them before anything is answered: what can be seen, and questions without their answers."""

from base64 import b64encode
from typing import Any

import numpy as np

from tumble.comphy.agents.answer_space import answer_words
from tumble.comphy.evaluation.published_results import PAPER, TABLE_3, TABLE_8
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer.colors import RGB
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.question import Question
from tumble.comphy.tasks.world import PLAIN, ObjectWorld
from tumble.comphy.web.pictures import ACROSS, DRAFT, PER_SHEET, SHARP
from tumble.comphy.web.played_set import PlayedSet


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
