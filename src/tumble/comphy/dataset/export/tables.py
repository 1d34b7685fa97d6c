"""A dataset as tables: what can be seen (sets, questions, tracks), and labels (labels, motion, test_answers)."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from tumble.comphy.catalogue.video_set import Stage, VideoSet
from tumble.comphy.catalogue.world import STEPS_PER_FRAME, ObjectWorld
from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.layout import VIDEOS, VideoKey, video_name
from tumble.comphy.dataset.load import Example
from tumble.comphy.dataset.question_files import without_answers

_BODY = pa.struct([("color", pa.string()), ("material", pa.string()), ("shape", pa.string())])
_COLLISION = pa.struct(
    [("frame", pa.int16()), ("step", pa.int32()), ("first", pa.int8()), ("second", pa.int8()), ("in_view", pa.bool_())]
)
_CHOICE = pa.struct(
    [
        ("choice_id", pa.int8()),
        ("choice", pa.string()),
        ("program", pa.list_(pa.string())),
        ("answer", pa.string()),
    ]
)
_CHOICE_ANSWER = pa.struct([("choice_id", pa.int8()), ("answer", pa.string())])
_SET = [("scene_index", pa.int32()), ("split", pa.string())]
_VIDEO = [*_SET, ("video", pa.string())]
SCHEMAS: dict[str, pa.Schema] = {
    "sets": pa.schema(
        [
            *_SET,
            ("objects", pa.list_(_BODY)),
            ("reference_members", pa.list_(pa.list_(pa.int8()))),
            ("video_filename", pa.string()),
        ]
    ),
    "questions": pa.schema(
        [
            *_SET,
            ("question_id", pa.int16()),
            ("kind", pa.string()),
            ("question_family", pa.string()),
            ("question", pa.string()),
            ("program", pa.list_(pa.string())),
            ("answer", pa.string()),
            ("choices", pa.list_(_CHOICE)),
        ]
    ),
    "tracks": pa.schema([*_VIDEO, ("object_index", pa.int8()), ("box", pa.list_(pa.list_(pa.float32(), 4)))]),
    "labels": pa.schema(
        [
            *_SET,
            ("property_family", pa.string()),
            ("seed", pa.int64()),
            ("mass", pa.list_(pa.int8())),
            ("charge", pa.list_(pa.int8())),
            ("collisions", pa.list_(_COLLISION)),
        ]
    ),
    "motion": pa.schema(
        [
            *_VIDEO,
            ("object_index", pa.int8()),
            ("location", pa.list_(pa.list_(pa.float32(), 3))),
            ("velocity", pa.list_(pa.list_(pa.float32(), 3))),
            ("inside_scene", pa.list_(pa.bool_())),
        ]
    ),
    "test_answers": pa.schema(
        [*_SET, ("question_id", pa.int16()), ("answer", pa.string()), ("choices", pa.list_(_CHOICE_ANSWER))]
    ),
}
STAGE_COLUMNS = {
    "sets": [("forms", pa.list_(pa.int16())), ("floor", pa.string()), ("light", pa.string())],
    "labels": [("stage_seed", pa.int32())],
}
"""More columns of worlds whose sets have stages."""


def schemas_of(world: ObjectWorld) -> dict[str, pa.Schema]:
    """The schemas of the tables of a world."""
    if not world.has_stages:
        return SCHEMAS
    more = {table: pa.schema(columns) for table, columns in STAGE_COLUMNS.items()}
    return {table: pa.schema([*schema, *more[table]]) if table in more else schema for table, schema in SCHEMAS.items()}


DESCRIPTIONS = {
    "sets": "a row for each set; what its bodies look like, and which of them are in each reference",
    "questions": "a row for each question; its program in postfix form, and its answer or its options. Answers are "
    "labels; those of the test split are in `test_answers`",
    "tracks": "a row for each body in each video; its box in each shown frame: centre x, centre y, width and height, "
    "as shares of the picture; -1 where it can't be seen",
    "labels": "a row for each set; masses and charges of its bodies, and the target's collisions in 175 frames, of "
    "which the first 125 are shown",
    "motion": "a row for each body in each video; its place and velocity in each frame, in units of the simulation "
    "with the table at height 0, for 175 frames of a target. There are 25 frames in a second",
    "test_answers": "a row for each question of the test split; its answer or those to its options",
}
INPUTS = ("sets", "questions", "tracks")
LABELS = ("labels", "motion", "test_answers")


def tables_text(places: dict[str, str], others: tuple[str, ...] = ()) -> str:
    """The tables as Markdown, with where each is, and what a model may use."""
    named = {table: f"- `{places[table]}`: {DESCRIPTIONS[table]}." for table in SCHEMAS if table in places}
    return "\n\n".join(
        [
            "What a model may use:",
            "\n".join([*(named[table] for table in INPUTS if table in named), *(f"- {other}" for other in others)]),
            "Labels, to train with and to score with, never inputs: mass and charge can't be seen, and the frames from "
            "125 on are the future that predictive questions ask about.",
            "\n".join(named[table] for table in LABELS if table in named),
        ]
    )


Rows = dict[str, list[dict[str, Any]]]
"""Rows by the names of tables."""


def rows_of(example: Example) -> Rows:
    """The rows of a set."""
    return {table: list(rows(example)) for table, rows in _ROWS.items()}


def _set(example: Example) -> dict[str, Any]:
    return {"scene_index": example.index, "split": example.split}


def _sets(example: Example) -> Iterator[dict[str, Any]]:
    videos = example.videos
    yield {
        **_set(example),
        "objects": [{"color": body.color, "material": body.material, "shape": body.shape} for body in videos.bodies],
        "reference_members": [list(reference.members) for reference in videos.references],
        "video_filename": f"{video_name(videos.index)}.mp4",
        **({} if videos.stage is None else _seen_of_stage(videos, videos.stage)),
    }


def _seen_of_stage(videos: VideoSet, stage: Stage) -> dict[str, Any]:
    return {"forms": [body.form for body in videos.bodies], "floor": stage.floor, "light": stage.light}


def _questions(example: Example) -> Iterator[dict[str, Any]]:
    shown = without_answers(example.questions) if example.split == "test" else example.questions
    for question in shown.questions:
        yield {
            **_set(example),
            "question_id": question.id,
            "kind": question.kind,
            "question_family": question.family,
            "question": question.text,
            "program": list(question.program),
            "answer": question.answer,
            "choices": [
                {
                    "choice_id": choice.id,
                    "choice": choice.text,
                    "program": list(choice.program),
                    "answer": choice.answer,
                }
                for choice in question.choices
            ],
        }


def _tracks(example: Example) -> Iterator[dict[str, Any]]:
    for video in _videos(example):
        boxes = example.tracks(video)
        for column, body in enumerate(example.members(video)):
            row = {**_set(example), "video": video_label(video), "object_index": body}
            yield {**row, "box": boxes[:, column].tolist()}


def _labels(example: Example) -> Iterator[dict[str, Any]]:
    videos, has_properties = example.videos, PROPERTIES not in example.stored.missing
    in_view = videos.target.in_view
    frames = [collision.step // STEPS_PER_FRAME for collision in videos.target.collisions]
    yield {
        **_set(example),
        "property_family": videos.family,
        "seed": videos.seed,
        **({} if videos.stage is None else {"stage_seed": videos.stage.seed}),
        "mass": [body.mass for body in videos.bodies] if has_properties else None,
        "charge": [body.charge for body in videos.bodies] if has_properties else None,
        "collisions": [
            {
                "frame": frame,
                "step": collision.step,
                "first": collision.first,
                "second": collision.second,
                "in_view": bool(in_view[min(frame, len(in_view) - 1), list(collision.pair)].all()),
            }
            for frame, collision in zip(frames, videos.target.collisions, strict=True)
        ],
    }


def _motion(example: Example) -> Iterator[dict[str, Any]]:
    for video in _videos(example):
        motion = example.videos.target if video == "target" else example.videos.references[video].motion
        for column, body in enumerate(example.members(video)):
            yield {
                **_set(example),
                "video": video_label(video),
                "object_index": body,
                "location": motion.positions[:, column].tolist(),
                "velocity": motion.velocities[:, column].tolist(),
                "inside_scene": motion.in_view[:, column].tolist(),
            }


def _test_answers(example: Example) -> Iterator[dict[str, Any]]:
    if example.split != "test":
        return
    for question in example.questions.questions:
        if all(answered.answer is None for answered in question.choices or (question,)):
            continue  # as in the published data
        yield {
            **_set(example),
            "question_id": question.id,
            "answer": question.answer,
            "choices": [{"choice_id": choice.id, "answer": choice.answer} for choice in question.choices],
        }


def _videos(example: Example) -> tuple[VideoKey, ...]:
    return VIDEOS[: 1 + len(example.videos.references)]


def video_label(video: VideoKey) -> str:
    """The name of a video in tables: target, or reference_0 to reference_3."""
    return "target" if video == "target" else f"reference_{video}"


_ROWS: dict[str, Callable[[Example], Iterator[dict[str, Any]]]] = {
    "sets": _sets,
    "questions": _questions,
    "tracks": _tracks,
    "labels": _labels,
    "motion": _motion,
    "test_answers": _test_answers,
}
