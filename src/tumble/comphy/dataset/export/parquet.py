"""A dataset as three Parquet tables (sets, questions, tracks), with a dataset card and Croissant metadata."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.export.card import Summary, card_text
from tumble.comphy.dataset.export.croissant import metadata
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import VIDEOS, VideoKey, video_name
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.progress import bar
from tumble.scene.files import whole_file

GROUP_SIZE = 200
"""Sets in one row group."""

_BODY = pa.struct(
    [
        ("color", pa.string()),
        ("material", pa.string()),
        ("shape", pa.string()),
        ("mass", pa.int8()),
        ("charge", pa.int8()),
    ]
)
_COLLISION = pa.struct([("step", pa.int32()), ("first", pa.int8()), ("second", pa.int8())])
_CHOICE = pa.struct(
    [
        ("choice_id", pa.int8()),
        ("choice", pa.string()),
        ("program", pa.list_(pa.string())),
        ("answer", pa.string()),
    ]
)
SCHEMAS: dict[str, pa.Schema] = {
    "sets": pa.schema(
        [
            ("scene_index", pa.int32()),
            ("split", pa.string()),
            ("property_family", pa.string()),
            ("seed", pa.int64()),
            ("objects", pa.list_(_BODY)),
            ("reference_members", pa.list_(pa.list_(pa.int8()))),
            ("collisions", pa.list_(_COLLISION)),
            ("video_filename", pa.string()),
        ]
    ),
    "questions": pa.schema(
        [
            ("scene_index", pa.int32()),
            ("split", pa.string()),
            ("question_id", pa.int16()),
            ("kind", pa.string()),
            ("question_family", pa.string()),
            ("question", pa.string()),
            ("program", pa.list_(pa.string())),
            ("answer", pa.string()),
            ("choices", pa.list_(_CHOICE)),
        ]
    ),
    "tracks": pa.schema(
        [
            ("scene_index", pa.int32()),
            ("split", pa.string()),
            ("video", pa.string()),
            ("object_index", pa.int8()),
            ("frame", pa.list_(pa.int16())),
            ("box", pa.list_(pa.list_(pa.float32(), 4))),
            ("location", pa.list_(pa.list_(pa.float32(), 3))),
            ("velocity", pa.list_(pa.list_(pa.float32(), 3))),
            ("inside_scene", pa.list_(pa.bool_())),
        ]
    ),
}
"""Boxes are (centre x, centre y, width, height) from 0 to 1, or -1 where a body is invisible."""


def export(data: Dataset, folder: Path, name: str = "ComPhy, made by Tumble") -> list[Path]:
    """Writes the tables, the card (README.md) and croissant.json; the questions table has the test answers too."""
    folder.mkdir(parents=True, exist_ok=True)
    summary = Summary(name, data.settings)
    files = {table: folder / f"{table}.parquet" for table in SCHEMAS}
    examples = data.examples()
    with bar("Exporting", len(data.indices())) as advance, _writers(files) as writers:
        while group := list(islice(examples, GROUP_SIZE)):
            for table, rows in (("sets", _sets), ("questions", _questions), ("tracks", _tracks)):
                records = [row for example in group for row in rows(example)]
                writers[table].write_table(pa.Table.from_pylist(records, SCHEMAS[table]))
            for example in group:
                summary.add(example.split, example.videos.family, example.questions)
            advance(len(group))
    card, description = folder / "README.md", folder / "croissant.json"
    with whole_file(card) as partial:
        partial.write_text(card_text(summary, data.faults), encoding="utf-8")
    write_json(description, metadata(name, files, SCHEMAS))
    return [*files.values(), card, description]


@contextmanager
def _writers(files: dict[str, Path]) -> Iterator[dict[str, Any]]:
    """A writer for each table; the files appear only when all are complete."""
    with ExitStack() as stack:
        writers = {}
        for table, path in files.items():
            partial = stack.enter_context(whole_file(path))
            writers[table] = stack.enter_context(pq.ParquetWriter(partial, SCHEMAS[table], compression="zstd"))
        yield writers


def _sets(example: Example) -> Iterator[dict[str, Any]]:
    videos, has_properties = example.videos, PROPERTIES not in example.stored.missing
    yield {
        "scene_index": videos.index,
        "split": example.split,
        "property_family": videos.family,
        "seed": videos.seed,
        "objects": [
            {
                "color": body.color,
                "material": body.material,
                "shape": body.shape,
                "mass": body.mass if has_properties else None,
                "charge": body.charge if has_properties else None,
            }
            for body in videos.bodies
        ],
        "reference_members": [list(reference.members) for reference in videos.references],
        "collisions": [
            {"step": collision.step, "first": collision.first, "second": collision.second}
            for collision in videos.target.collisions
            if collision.step // STEPS_PER_FRAME < SHOWN_FRAMES
        ],
        "video_filename": f"{video_name(videos.index)}.mp4",
    }


def _questions(example: Example) -> Iterator[dict[str, Any]]:
    for question in example.questions.questions:
        yield {
            "scene_index": example.index,
            "split": example.split,
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
    for video in VIDEOS[: 1 + len(example.videos.references)]:
        boxes = example.tracks(video)
        motion = example.videos.target if video == "target" else example.videos.references[video].motion
        frames = min(len(boxes), motion.frames)
        for column, body in enumerate(example.members(video)):
            yield {
                "scene_index": example.index,
                "split": example.split,
                "video": _video_label(video),
                "object_index": body,
                "frame": list(range(frames)),
                "box": boxes[:frames, column].tolist(),
                "location": motion.positions[:frames, column].tolist(),
                "velocity": motion.velocities[:frames, column].tolist(),
                "inside_scene": motion.in_view[:frames, column].tolist(),
            }


def _video_label(video: VideoKey) -> str:
    return "target" if video == "target" else f"reference_{video}"
