"""Reads an export as the loader of the Physical Concept Reasoner does, by what is known of it.

Questions are found by phase, everything else by `scene_index`. Pictures have 480 x 320 pixels, the whole picture is the
box of an absent object, collisions have a time that is rounded to a frame, and 128 frames of motion are looked at.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 480, 320
VISIBLE_FRAMES = 128
REFERENCES = 4
MASSES = {1: "light", 5: "heavy"}
CHARGES = {-1: "negative", 0: "neutral", 1: "positive"}


@dataclass
class Item:
    """What PCR gets for one scene."""

    scene_index: int
    questions: list[dict[str, Any]]
    boxes: list[np.ndarray]
    """Target and references, [frame, object, 4]: centre and size from 0 to 1, -1 for absent objects."""
    detected: list[np.ndarray]
    sampled: list[list[int]]
    """The frames of target and references whose pictures are read."""
    pictures: list[list[Image.Image]]
    attributes: list[dict[str, Any]]
    """Of target and references; none in the test phase."""

    @property
    def reference_objects(self) -> list[dict[int, int]]:
        """For each reference, the target's object of each of its objects."""
        return [_matching(reference["config"], self.attributes[0]["config"]) for reference in self.attributes[1:]]

    @property
    def collision_frames(self) -> np.ndarray:
        """[object, object]: the frame of the last collision of each pair, or -1."""
        config = self.attributes[0]["config"]
        frames = np.full((len(config), len(config)), -1)
        for event in self.attributes[0]["collisions"]:
            first, second = event["object_idxs"]
            frames[first, second] = frames[second, first] = round(event["time"] * 25)
        return frames

    @property
    def entries(self) -> list[int]:
        """The frame in which each object enters the scene, or 0."""
        frames = self.attributes[0]["motion"][:VISIBLE_FRAMES]
        assert len(frames) == VISIBLE_FRAMES
        inside = np.array([[body["inside_scene"] for body in frame["objects"]] for frame in frames])
        enters = inside[1:] & ~inside[:-1]
        return [int(own.argmax()) + 1 if own.any() else 0 for own in enters.T]

    @property
    def properties(self) -> list[tuple[str, str]]:
        """The names of each object's mass and charge."""
        return [(MASSES[own["mass"]], CHARGES[own["charge"]]) for own in self.attributes[0]["config"]]


class PcrReader:
    """The scenes of a phase: train, val or test."""

    def __init__(self, data_dir: Path, phase: str, with_pictures: bool = True) -> None:
        self.root, self.phase, self.with_pictures = data_dir, phase, with_pictures
        path = data_dir / "questions_release" / "v16" / "questions" / f"{phase}.json"
        self.scenes = [scene for scene in json.loads(path.read_text()) if scene["questions"]]

    def __len__(self) -> int:
        return len(self.scenes)

    def __getitem__(self, position: int) -> Item:
        scene = self.scenes[position]
        index = int(scene["scene_index"])
        name = f"sim_{index:05d}"
        assert scene["video_filename"] == f"{name}.mp4"
        names = [name, *(f"{name}_{k}" for k in range(REFERENCES))]
        true_folders = ["box"] + ["box_reference"] * REFERENCES
        found_folders = ["v16_prp_refine_motion_debug_v3_7"] + ["v16_prp_reference_motion_v1_9"] * REFERENCES
        raw = [np.load(self.root / "v16" / own / f"{each}.npy") for own, each in zip(true_folders, names, strict=True)]
        found = [
            np.load(self.root / own / "tracks" / f"{each}.npy") for own, each in zip(found_folders, names, strict=True)
        ]
        sampled = [_sampled(raw[0], 32), *(_sampled(own, 10) for own in raw[1:])]
        render = self.root / "v16" / "render"
        folders = [render / "causal_sim" / name, *(render / "reference" / name / str(k) for k in range(REFERENCES))]
        pictures = [
            [_picture(folder / "frames" / f"frame_{frame:05d}.png") for frame in frames]
            for folder, frames in zip(folders, sampled, strict=True)
            if self.with_pictures
        ]
        attributes = [] if self.phase == "test" else self._attributes(name)
        for own, array in zip(attributes, raw, strict=bool(attributes)):
            assert len(own["config"]) == array.shape[1], "inconsistent number of objects"
        return Item(
            index,
            scene["questions"],
            *([_normalised(a) for a in b] for b in (raw, found)),
            sampled,
            pictures,
            attributes,
        )

    def _attributes(self, name: str) -> list[dict[str, Any]]:
        folder = self.root / "annotation_v16" / name
        return [json.loads((folder / f"{own}.json").read_text()) for own in ("annotation", *range(REFERENCES))]

    def altered_locations(self, index: int, concept: str, target: int, charge: int = 0) -> np.ndarray:
        """[frame, object, 2]: the places in a counterfactual world, in which the target's property has changed."""
        value = {"heavier": "mass_{}_5", "lighter": "mass_{}_1", "uncharged": "charge_{}_0"}.get(concept)
        name = (value or f"charge_{{}}_{-charge}").format(target)
        path = self.root / "gt_dynamics" / f"sim_{index:05d}" / "motions" / f"{name}.json"
        document = json.loads(path.read_text())
        places = [[body["location"][:2] for body in frame["objects"]] for frame in document["motion"]]
        assert len(places[0]) == len(document["config"])
        return np.array(places)


def _sampled(boxes: np.ndarray, number: int) -> list[int]:
    """Evenly spaced frames that show any object."""
    frames = len(boxes)
    step = round(frames / number)
    present = ~_absent(boxes)
    return [frame for frame in range(step // 2, frames, step) if present[frame].any()]


def _absent(boxes: np.ndarray) -> np.ndarray:
    return np.asarray((boxes.astype(np.int32) == (0, 0, WIDTH, HEIGHT)).all(axis=-1))


def _normalised(boxes: np.ndarray) -> np.ndarray:
    """Whole pixels are used, as PCR cuts off what is behind the point."""
    whole = boxes.astype(np.int32).astype(float)
    left, top, right, bottom = np.moveaxis(whole, -1, 0)
    centres = np.stack([(left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT], axis=-1)
    sizes = np.stack([(right - left) / WIDTH, (bottom - top) / HEIGHT], axis=-1)
    result = np.concatenate([centres, sizes], axis=-1)
    result[_absent(boxes)] = -1
    return result


def _picture(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        assert picture.size == (WIDTH, HEIGHT)
        return picture.convert("RGB")


def _matching(reference: list[dict[str, Any]], target: list[dict[str, Any]]) -> dict[int, int]:
    look = [(own["color"], own["shape"], own["material"]) for own in target]
    return {k: look.index((own["color"], own["shape"], own["material"])) for k, own in enumerate(reference)}
