"""A dataset in the format of CLEVRER, for programs that read that: the targets' shown frames, and the questions.

annotation_train/annotation_00000-01000/annotation_00000.json      and annotation_validation, annotation_test
video_train/video_00000-01000/video_00000.mp4                      and video_validation, video_test
questions/train.json, validation.json, test.json                   and test_answers.json, in the form of a submission
processed_proposals/sim_00000.json                                 masks of the bodies in every frame, with videos

The format has no references, masses and charges; these are left out.

Masks are in COCO's run-length encoding. Runs go down the columns; the first is of zeros. In the text every run
after the third is stored as its difference from the run two before it, in groups of five bits starting with the
lowest; a sixth bit says that more follow, and 48 is added to make it printable.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from tumble.comphy.catalogue.body import DECIMALS, Collision, Motion
from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.dataset.export.card import Summary, card_text
from tumble.comphy.dataset.export.folder import (
    CLEVRER_RANGES,
    Numbered,
    copy_whole,
    export_folder,
    has_answers,
    new_numbers,
    write_index_map,
    write_sets,
)
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import video_name
from tumble.comphy.dataset.load import Dataset
from tumble.comphy.dataset.motion_files import euler_angles
from tumble.comphy.dataset.question_files import without_answers
from tumble.errors import TumbleError
from tumble.scene.files import whole_file


class RleError(TumbleError):
    """A mask of the wrong shape, or a text that is not run-length encoded."""


class Rle(TypedDict):
    """One mask."""

    size: list[int]
    """Height and width."""
    counts: str


def encode_rle(mask: np.ndarray) -> Rle:
    """Encodes a bool [height, width] mask.

    >>> encode_rle(np.eye(3, dtype=bool))
    {'size': [3, 3], 'counts': '013000'}
    """
    if mask.ndim != 2:
        raise RleError(f"a mask must be [height, width], not {list(mask.shape)}")
    flat = np.asarray(mask, bool).T.reshape(-1)
    changes = np.flatnonzero(np.diff(flat, prepend=False))
    runs = np.diff(changes, prepend=0, append=flat.size)
    return Rle(size=[int(side) for side in mask.shape], counts=_rle_text([int(run) for run in runs]))


def decode_rle(rle: Rle) -> np.ndarray:
    """The bool [height, width] mask of an encoding."""
    height, width = rle["size"]
    runs = _runs(rle["counts"])
    if min(runs, default=0) < 0 or sum(runs) != height * width:
        raise RleError(f"runs of {sum(runs)} pixels do not fill a mask of {height} x {width}")
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return flat.reshape(width, height).T


def _rle_text(runs: list[int]) -> str:
    letters = []
    for position, run in enumerate(runs):
        rest = run - runs[position - 2] if position > 2 else run
        more = True
        while more:
            group = rest & 31
            rest >>= 5
            more = rest != (-1 if group & 16 else 0)
            letters.append(chr(48 + group + (32 if more else 0)))
    return "".join(letters)


def _runs(text: str) -> list[int]:
    runs: list[int] = []
    value = shift = 0
    for letter in text:
        code = ord(letter) - 48
        if not 0 <= code < 64:
            raise RleError(f"{letter!r} is not a character of a run-length encoding")
        value |= (code & 31) << shift
        shift += 5
        if code & 32:
            continue
        if code & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    if shift:
        raise RleError("the encoding ends within a run")
    return runs


QUESTION_TYPES = {"factual": "descriptive", "predictive": "predictive", "counterfactual": "counterfactual"}
_NEGATIONS = ("negate", "not")


def write_clevrer(data: Dataset, folder: Path, name: str = "ComPhy sets in CLEVRER's format, made by Tumble") -> None:
    """Writes all sets of a dataset, with their videos and masks if it has any."""
    numbers = new_numbers(data, CLEVRER_RANGES)
    with export_folder(data, folder, "clevrer"):
        summary = Summary(name, data.settings, data.physics_id)
        questions = write_sets(data, numbers, summary, lambda one: _write_set(one, folder))
        for split, sets in questions.items():
            write_json(folder / "questions" / f"{split}.json", question_records(sets, split != "test"))
            if split == "test" and has_answers(sets):
                write_json(folder / "questions" / "test_answers.json", answer_records(sets))
        write_index_map(folder, data, numbers)
        sections = {
            "Use": "Sets are numbered as in CLEVRER: training from 0, validation from 10000, test from 15000; "
            "`index_map.json` has their numbers in the dataset. Videos have 125 frames instead of 128. References, "
            "masses and charges are left out, since the format has no place for them.",
            "Test split": "Its answers are in `questions/test_answers.json`, in the form of a submission.",
        }
        if data.has_videos:
            sections["Masks"] = (
                "`processed_proposals` has the true masks of bodies in the form of CLEVRER's detected ones (COCO's "
                "run-length encoding). PropNet also reads pictures, which `ffmpeg -i video_00000.mp4 -start_number 0 "
                "video_frames/sim_00000/frame_%05d.png` extracts from a video."
            )
        with whole_file(folder / "README.md") as partial:
            partial.write_text(card_text(summary, sections, data.faults), encoding="utf-8")


def annotation(videos: VideoSet) -> dict[str, Any]:
    """The annotation of a target's shown frames."""
    motion = videos.target
    angles = np.round(euler_angles(motion.orientations), DECIMALS)
    names = ("location", "orientation", "velocity", "angular_velocity", "inside_camera_view")
    columns = (motion.positions, angles, motion.velocities, motion.angular_velocities, motion.in_view)
    frames = zip(*(column[:SHOWN_FRAMES].tolist() for column in columns), strict=True)
    return {
        "scene_index": videos.index,
        "video_filename": _video_name(videos.index),
        "object_property": [
            {"object_id": k, "color": body.color, "material": body.material, "shape": body.shape}
            for k, body in enumerate(videos.bodies)
        ],
        "motion_trajectory": [
            {
                "frame_id": number,
                "objects": [
                    {"object_id": k, **dict(zip(names, body, strict=True))}
                    for k, body in enumerate(zip(*frame, strict=True))
                ],
            }
            for number, frame in enumerate(frames)
        ],
        "collision": [
            {
                "object_ids": list(collision.pair),
                "frame_id": collision.step // STEPS_PER_FRAME,
                "location": motion.positions[collision.step // STEPS_PER_FRAME, list(collision.pair)]
                .mean(axis=0)
                .round(DECIMALS)
                .tolist(),
            }
            for collision in _shown_collisions(motion)
        ],
    }


def proposals(videos: VideoSet, masks: np.ndarray) -> dict[str, Any]:
    """The bodies that each frame shows with their masks, and the true bodies and collisions.

    `masks` is uint8 [frame, height, width]: 0 for the table, k + 1 for body k.
    """
    name = video_name(videos.index)
    attributes = [{"color": body.color, "material": body.material, "shape": body.shape} for body in videos.bodies]
    return {
        "video_name": f"{name}.mp4",
        "frames": [
            {
                "frame_filename": f"{name}/frame_{number:05d}.png",
                "frame_index": number,
                "objects": [
                    {**attributes[label - 1], "mask": encode_rle(mask == label)}
                    for label in np.unique(mask[mask > 0]).tolist()
                ],
            }
            for number, mask in enumerate(masks)
        ],
        "ground_truth": {
            "objects": [{"id": k, **body} for k, body in enumerate(attributes)],
            "collisions": [
                {"frame": collision.step // STEPS_PER_FRAME, "object": list(collision.pair)}
                for collision in _shown_collisions(videos.target)
            ],
        },
    }


def _shown_collisions(motion: Motion) -> list[Collision]:
    return [collision for collision in motion.collisions if collision.step // STEPS_PER_FRAME < SHOWN_FRAMES]


def question_records(sets: Iterable[QuestionSet], with_answers: bool) -> list[dict[str, Any]]:
    """The records of a question file, with or without answers."""
    return [
        {
            "scene_index": shown.index,
            "video_filename": _video_name(shown.index),
            "questions": [_record(question) for question in shown.questions],
        }
        for shown in (questions if with_answers else without_answers(questions) for questions in sets)
    ]


def answer_records(sets: Iterable[QuestionSet]) -> list[dict[str, Any]]:
    """The answers in the form of a submission to CLEVRER."""
    return [
        {
            "scene_index": questions.index,
            "questions": [
                {
                    "question_id": question.id,
                    **(
                        {"choices": [{"choice_id": each.id, "answer": each.answer} for each in question.choices]}
                        if question.choices
                        else {"answer": question.answer}
                    ),
                }
                for question in questions.questions
            ],
        }
        for questions in sets
    ]


def _record(question: Question) -> dict[str, Any]:
    subtype = next((token for token in reversed(question.program) if token not in _NEGATIONS), "")
    record = {
        "question_id": question.id,
        "question": question.text,
        "question_type": QUESTION_TYPES[question.kind],
        "question_subtype": subtype,
        "program": list(question.program),
    }
    if question.kind == "factual":
        return {**record, **({} if question.answer is None else {"answer": question.answer})}
    choices = [
        {
            "choice_id": choice.id,
            "choice": choice.text,
            "program": list(choice.program),
            **({} if choice.answer is None else {"answer": choice.answer}),
        }
        for choice in question.choices
    ]
    return {**record, "choices": choices}


def _write_set(one: Numbered, folder: Path) -> None:
    example, number = one.example, one.number
    layout, files = example.data.layout, example.data.files
    has_video = files.check(layout.video(example.index)).exists()
    masks = example.masks() if files.check(layout.masks(example.index)).exists() else None
    first = number // 1000 * 1000
    index_range = f"{first:05d}-{first + 1000:05d}"
    path = Path(f"annotation_{example.split}") / f"annotation_{index_range}" / f"annotation_{number:05d}.json"
    write_json(folder / path, annotation(one.videos))
    if has_video:
        copy = folder / f"video_{example.split}" / f"video_{index_range}" / _video_name(number)
        copy_whole(layout.video(example.index), copy)
    if masks is not None:
        path = folder / "processed_proposals" / f"{video_name(number)}.json"
        write_json(path, proposals(one.videos, masks[:SHOWN_FRAMES]))


def _video_name(index: int) -> str:
    return f"video_{index:05d}.mp4"
