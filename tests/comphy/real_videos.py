"""Makes small folders in the layout of real videos, and of published sets that have tracks only."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

LOOKS = [{"color": "red", "shape": "cube"}, {"color": "brown", "shape": "sphere"}, {"color": "gray", "shape": "cube"}]
MEMBERS = ((0, 1), (2, 0), (1, 2))
"""Bodies of the three references."""
FRAMES, REFERENCE_FRAMES = 140, 60
"""Frames of real videos, which differ from those of simulated ones."""
PICTURE = (60, 40)


def real_folder(root: Path, indices: tuple[int, ...] = (2, 3), looks: bool = True, pictures: bool = True) -> Path:
    """A folder of real videos with three bodies, the first set for training and the others for validation."""
    for index in indices:
        _video(root / "box" / f"sim_{index:05d}", FRAMES, LOOKS if looks else None, len(LOOKS), index)
        for number, members in enumerate(MEMBERS):
            own = [LOOKS[k] for k in members]
            path = root / "box_reference" / f"sim_{index:05d}_{number}"
            _video(path, REFERENCE_FRAMES, own if looks else None, len(own), 10 * index + number)
        if pictures:
            _pictures(root / "causal_sim" / f"sim_{index:05d}" / "frames", FRAMES)
            for number in range(len(MEMBERS)):
                _pictures(root / "reference" / f"sim_{index:05d}" / str(number) / "frames", REFERENCE_FRAMES)
    write_questions(root / "data" / "train.json", indices[:1])
    write_questions(root / "data" / "val.json", indices[1:])
    return root


def write_questions(path: Path, indices: tuple[int, ...]) -> None:
    """A factual question, one without an answer, and one with options in two lists, about each set."""
    program = ["objects", "red", "filter_color", "count"]
    option = ["all_events", "objects", "red", "filter_color", "unique", "filter_collision", "unique"]
    questions: list[dict[str, Any]] = [
        {"question": "How many red objects are there?", "program": program, "answer": "1"},
        {"question": "How many red objects are there?", "program": program, "answer": "NULL"},
        {
            "question": "What will happen next?",
            "program": ["unseen_events", "belong_to"],
            "correct": [["The red object collides with the gray object", option]],
            "wrong": [["The red object collides with the brown object", option]],
        },
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [{"scene_index": k, "video_filename": f"sim_{k:05d}.mp4", "questions": questions} for k in indices]
    path.write_text(json.dumps(records))


def boxes(frames: int, bodies: int, seed: int) -> np.ndarray:
    """[frame, body, 4] in pixels of 480x320: bodies that cross the picture; the last one leaves it at the end."""
    draws = np.random.default_rng(seed)
    starts, ends = draws.uniform((60, 60), (420, 260), (2, bodies, 2))
    share = np.linspace(0.0, 1.0, frames)[:, None, None]
    centres = starts + share * (ends - starts)
    result = np.concatenate([centres - 25.0, centres + 25.0], axis=-1)
    result[-10:, -1] = (0, 0, 480, 320)
    return np.asarray(result, np.float32)


def _video(path: Path, frames: int, looks: list[dict[str, str]] | None, bodies: int, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path.with_suffix(".npy"), boxes(frames, bodies, seed))
    if looks is not None:
        path.with_suffix(".json").write_text(json.dumps({"config": looks}))


def _pictures(folder: Path, frames: int) -> None:
    folder.mkdir(parents=True)
    for number in range(frames):
        Image.new("RGB", PICTURE, (number, 100, 50)).save(folder / f"frame_{number:05d}.png")
