"""Reads an export as the Compositional Physics Learner does: its executor, and its property learner.

The executor finds the questions about a scene at the position `file index - offset` of their file, and takes every
fifth frame of normalised boxes; the learner reads boxes in pixels of 480 x 320 and looks for references by name.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEIGHT = 480, 320
FRAME_DIFFERENCE = 5


@dataclass
class Simulation:
    """What the executor knows of a scene."""

    objects: list[dict[str, Any]]
    worlds: dict[str, dict[int, dict[int, tuple[float, float]]]]
    """By the executor's name of a world, as in 2_mass_5, and by frame: the pixels of each visible object's centre."""
    collisions: list[tuple[int, int, int]]
    """Frame, which is cut off, and two objects."""

    def changed(self, target: int, change: str) -> dict[int, dict[int, tuple[float, float]]]:
        """The world of a counterfactual question."""
        if change in ("lighter", "heavier"):
            return self.worlds[f"{target}_mass_{1 if change == 'lighter' else 5}"]
        charge = 0 if change == "uncharged" else -self.objects[target]["charge"]
        return self.worlds[f"{target}_charge_{charge}"]


class CplReader:
    """An export."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def questions(self, file: str, index: int, offset: int) -> dict[str, Any]:
        """The questions about a scene, by position in their file."""
        scenes = json.loads((self.root / "questions" / f"{file}.json").read_text())
        scene: dict[str, Any] = scenes[index - offset]
        assert scene["scene_index"] == index
        for question in scene["questions"]:
            assert ("choices" in question) == ("multiple_choice" in question.get("question_type", ""))
            assert isinstance(question["question_family"], str)
        return scene

    def simulation(self, version: str, index: int) -> Simulation:
        """A scene for the executor."""
        name = f"sim_{index:05d}"
        folder = self.root / version
        objects = json.loads((folder / "prediction_prp_mass_charge" / f"{name}.json").read_text())["config"]
        motions = json.loads((folder / "predictions_motion_prp" / f"{name}.json").read_text())
        worlds = {"future": _frames(motions["future"], len(objects))}
        assert motions["future"]["what_if"] == -1
        for prop in ("mass", "charge"):
            for world in motions[prop]:
                worlds[f"{world['what_if']}_{prop}_{world[prop]}"] = _frames(world, len(objects))
        path = folder / "render" / "causal_sim" / name / "annotations" / "annotation.json"
        events = json.loads(path.read_text())["collisions"]
        collisions = [(int(event["time"] * 25), *event["object_idxs"]) for event in events]
        return Simulation(objects, worlds, collisions)

    def learner_item(self, version: str, index: int, frames: int = 125) -> tuple[list[np.ndarray], list[list[Any]]]:
        """Boxes [object, frame, 4] and attributes of the target and of its references."""
        name = f"sim_{index:05d}"
        target, reference = self.root / f"{version}_prp_refine", self.root / f"{version}_prp_reference"
        configs = [json.loads((target / "config" / f"{name}.json").read_text())["config"]]
        tracks = [_track(target / "tracks" / f"{name}.npy", frames)]
        for path in sorted((reference / "config").glob(f"{name}*.json")):
            number = path.name.split("_")[-1].split(".")[0]
            configs.append(json.loads(path.read_text())["config"])
            tracks.append(_track(reference / "tracks" / f"{name}_{number}.npy", frames))
        for config, track in zip(configs, tracks, strict=True):
            assert len(config) == len(track)
        return tracks, configs

    def decoder_annotation(self, version: str, index: int) -> dict[str, Any]:
        """The annotation that the dynamics predictor is trained with."""
        path = self.root / version / "render" / "causal_sim" / f"sim_{index:05d}" / "annotations" / "annotation.json"
        document: dict[str, Any] = json.loads(path.read_text())
        assert document["field_config"] == []
        return document


def edges(config: list[dict[str, Any]]) -> np.ndarray:
    """[object, object]: 0 without charges, 1 for the same sign, 2 for opposite signs."""
    charges = np.array([own.get("charge", 0) for own in config])
    products = np.outer(charges, charges) * (1 - np.eye(len(charges), dtype=int))
    return np.where(products > 0, 1, np.where(products < 0, 2, 0))


def _frames(world: dict[str, Any], objects: int) -> dict[int, dict[int, tuple[float, float]]]:
    boxes = np.array(world["trajectories"])
    assert boxes.shape[0] == objects
    assert boxes.shape[2] == 4
    return {
        step * FRAME_DIFFERENCE: {
            k: (x * WIDTH, y * HEIGHT)
            for k, (x, y, _, _) in enumerate(boxes[:, step].tolist())
            if 0 <= x <= 1 and 0 <= y <= 1
        }
        for step in range(boxes.shape[1])
    }


def _track(path: Path, frames: int) -> np.ndarray:
    """[object, frame, 4]: centre and size from 0 to 1; -1 for absent objects, and after the last frame."""
    raw = np.load(path).transpose(1, 0, 2)
    assert raw.dtype.kind == "f"  # it is divided in place
    absent = (raw == np.array([0, 0, WIDTH, HEIGHT])).all(axis=-1)
    low, high = raw[..., :2] / (WIDTH, HEIGHT), raw[..., 2:] / (WIDTH, HEIGHT)
    boxes = np.concatenate([(low + high) / 2, high - low], axis=-1)
    boxes[absent] = -1
    result = -np.ones((len(boxes), frames, 4))
    used = min(frames, boxes.shape[1])
    result[:, :used] = boxes[:, :used]
    return result
