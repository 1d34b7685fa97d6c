"""A dataset in the format of CLEVRER, for programs that read that: the targets' shown frames, and the questions.

The format has no references, masses and charges; these are left out. Sets keep their indices.
"""

from collections.abc import Iterable
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

from tumble.comphy.dataset.euler import euler_angles
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import SPLITS
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.tasks.motion import DECIMALS
from tumble.comphy.tasks.question import Question, QuestionSet
from tumble.comphy.tasks.video_set import VideoSet
from tumble.progress import bar
from tumble.scene.files import whole_file

QUESTION_TYPES = {"factual": "descriptive", "predictive": "predictive", "counterfactual": "counterfactual"}
_NEGATIONS = ("negate", "not")


def write_clevrer(data: Dataset, folder: Path) -> int:
    """Writes all sets of a dataset, with their videos if it has any; returns the number of sets."""
    written = 0
    for split in SPLITS:
        indices = data.indices(split)
        questions: list[QuestionSet] = []
        with bar(f"Writing {split}", len(indices)) as advance:
            for example in data.examples(split):
                _write_set(example, folder)
                questions.append(example.questions)
                advance(1)
        if questions:
            write_json(folder / "questions" / f"{split}.json", question_records(questions, split != "test"))
        written += len(questions)
    return written


def annotation(videos: VideoSet) -> dict[str, Any]:
    """The annotation of a target's shown frames."""
    motion = videos.target
    angles = np.round(euler_angles(motion.orientations), DECIMALS)
    names = ("location", "orientation", "velocity", "angular_velocity", "inside_camera_view")
    columns = (motion.positions, angles, motion.velocities, motion.angular_velocities, motion.in_view)
    frames = zip(*(column[:SHOWN_FRAMES].tolist() for column in columns), strict=True)
    collisions = [collision for collision in motion.collisions if collision.step // STEPS_PER_FRAME < SHOWN_FRAMES]
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
            for collision in collisions
        ],
    }


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


def _write_set(example: Example, folder: Path) -> None:
    first = example.index // 1000 * 1000
    index_range = f"{first:05d}-{first + 1000:05d}"
    name = f"annotation_{example.index:05d}.json"
    write_json(folder / f"annotation_{example.split}" / f"annotation_{index_range}" / name, annotation(example.videos))
    video = example.data.files.check(example.data.layout.video(example.index))
    if video.exists():
        copy = folder / f"video_{example.split}" / f"video_{index_range}" / _video_name(example.index)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(copy) as partial:
            copyfile(video, partial)


def _video_name(index: int) -> str:
    return f"video_{index:05d}.mp4"
