"""Reads an export as programs for CLEVRER do: annotations and videos by number, questions by split, masks by frame."""

import json
from pathlib import Path
from typing import Any

import numpy as np

FIRST = {"train": 0, "validation": 10000, "test": 15000}
"""The number of each split's first video."""


class ClevrerReader:
    """An export."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def questions(self, split: str) -> list[dict[str, Any]]:
        """The scenes of a split with their questions: scene k has the number of the split's first video plus k."""
        scenes: list[dict[str, Any]] = json.loads((self.root / "questions" / f"{split}.json").read_text())
        for k, scene in enumerate(scenes):
            assert scene["scene_index"] == FIRST[split] + k
            assert scene["video_filename"] == f"video_{FIRST[split] + k:05d}.mp4"
        return scenes

    def annotation(self, split: str, index: int) -> dict[str, Any]:
        """The annotation of a video."""
        path = self.root / f"annotation_{split}" / f"annotation_{_range(index)}" / f"annotation_{index:05d}.json"
        document: dict[str, Any] = json.loads(path.read_text())
        ids = [own["object_id"] for own in document["object_property"]]
        for k, frame in enumerate(document["motion_trajectory"]):
            assert frame["frame_id"] == k
            assert [own["object_id"] for own in frame["objects"]] == ids
        return document

    def video(self, split: str, index: int) -> bytes:
        """A video."""
        return (self.root / f"video_{split}" / f"video_{_range(index)}" / f"video_{index:05d}.mp4").read_bytes()

    def masks(self, index: int) -> tuple[list[dict[tuple[str, str, str], np.ndarray]], dict[str, Any]]:
        """The masks of each frame by colour, material and shape, and the true bodies and collisions."""
        document = json.loads((self.root / "processed_proposals" / f"sim_{index:05d}.json").read_text())
        frames = []
        for k, frame in enumerate(document["frames"]):
            assert frame["frame_index"] == k
            assert frame["frame_filename"] == f"sim_{index:05d}/frame_{k:05d}.png"
            frames.append({_look(own): _decoded(own["mask"]) for own in frame["objects"]})
        return frames, document["ground_truth"]


def _range(index: int) -> str:
    first = index - index % 1000
    return f"{first:05d}-{first + 1000:05d}"


def _look(own: dict[str, str]) -> tuple[str, str, str]:
    return own["color"], own["material"], own["shape"]


def _decoded(rle: dict[str, Any]) -> np.ndarray:
    """A mask of COCO's run-length encoding: characters of 5 bits, runs as differences, columns first."""
    height, width = rle["size"]
    runs: list[int] = []
    bits = number = 0
    for character in rle["counts"]:
        code = ord(character) - 48
        number |= (code & 0x1F) << bits
        bits += 5
        if not code & 0x20:
            run = number - (1 << bits) if code & 0x10 else number
            runs.append(run + runs[-2] if len(runs) > 2 else run)
            bits = number = 0
    flat = np.zeros(height * width, bool)
    ends = np.cumsum(runs)
    assert ends[-1] == flat.size
    for first, last in zip(ends[0::2], ends[1::2], strict=False):
        flat[first:last] = True
    return flat.reshape(width, height).T
