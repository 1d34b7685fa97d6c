"""Every kind of model trains on sets of the div world, with its words and its pictures, and keeps its world."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from div_set import BODIES, STAGE, packed_div
from untrained_perceiver import untrained_perceiver

from tumble.comphy.catalogue.world import DIV
from tumble.comphy.models.baselines.text import answers_of
from tumble.comphy.models.data.packed_sets import PackedSets, read_packed, write_packed
from tumble.comphy.models.data.pictures import ChosenFrames, Pictures, placed_frames
from tumble.comphy.models.data.track_tensors import TrackTensors
from tumble.comphy.models.perceiver.targets import body_places, visible_parts
from tumble.comphy.models.registry import make_training
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")
SMALL: dict[str, dict[str, Any]] = {
    "cpl": {"property_hidden": 8, "property_channels": 8, "dynamics_hidden": 8, "batch": 2, "windows": 4, "steps": 2},
    "parser": {"random_texts": 50, "batch": 4, "buckets": 1},
    "pcr": {
        **{"object_width": 32, "property_hidden": 16, "property_channels": 8, "dynamics_hidden": 16, "stages": 1},
        **{"questions": 2, "suppositions": 2, "predicted_questions": 2, "predicted_every": 1},
    },
    "cnn-lstm": {"stages": 1, "versions": 1, "sets": 2, "frames": 2, "picture_width": 48, "picture_height": 32},
    "perceiver": {"stages": 1, "batch": 2, "lags": (0,)},
}


@pytest.fixture(scope="module")
def sets() -> PackedSets:
    return packed_div()


def test_packed_sets_keep_world_forms_and_stages(sets: PackedSets, tmp_path: Path) -> None:
    write_packed(tmp_path / "div.xz", sets)
    again = read_packed(tmp_path / "div.xz")
    assert again.digest == sets.digest
    assert again.world is DIV
    assert again.bodies(1) == BODIES
    assert again.stages == (STAGE, STAGE)
    assert again.part(slice(1, 2)).digest != again.digest


@pytest.mark.parametrize("name", SMALL)
def test_a_model_trains_and_keeps_its_world(name: str, sets: PackedSets) -> None:
    training = make_training(name, sets, CPU, 0, SMALL[name])
    losses = training.losses(0, 0.9)
    torch.stack(list(losses.values())).sum().backward()
    assert all(torch.isfinite(loss) for loss in losses.values())
    assert asdict(training.config)["world"] == "div"


def test_answers_are_those_of_the_world() -> None:
    answers = answers_of(DIV)
    assert len(answers) == 180
    assert "bottle and mug" in answers
    assert "cube" not in answers


@pytest.mark.slow
def test_the_world_is_that_of_the_sets(sets: PackedSets, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="these sets are of the div world, not of plain"):
        make_training("cpl", sets, CPU, 0, {"world": "plain"})
    small = {"stages": 1, "versions": 1, "sets": 2, "frames": 2}
    perceiver = str(untrained_perceiver(tmp_path / "perceiver.pt"))
    with pytest.raises(TrainingError, match="a perceiver of the plain world, but the sets are of the div world"):
        make_training("mac", sets, CPU, 0, {**small, "perceiver": perceiver})


def test_pictures_show_objects_where_tracks_say(sets: PackedSets) -> None:
    placed = placed_frames(sets, [ChosenFrames(0, 0, [10]), ChosenFrames(1, 1, [20])], 1)
    frames = Pictures(DIV, (240, 160), CPU, 1).render(placed)
    assert frames.rgb.shape == (2, 160, 240, 3)
    pixels, boxes = visible_parts(frames.mask, 3)
    centres = body_places(placed, DIV, CPU).centres * 4.0
    there = pixels > 60
    assert int(there.sum()) >= 2
    inside = (centres > boxes[..., :2] - 8.0) & (centres < boxes[..., 2:] + 8.0)
    assert bool(inside[there].all())
    own = TrackTensors.from_packed(sets, CPU).target.boxes[0, 10].numpy() * np.tile((240.0, 160.0), 2)
    sides = np.concatenate([own[:, :2] - own[:, 2:] / 2, own[:, :2] + own[:, 2:] / 2], axis=1)
    whole = there[0].numpy()
    assert np.median(np.abs(sides[whole] - boxes[0].numpy()[whole])) < 2.0
