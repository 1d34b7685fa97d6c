"""Frames, targets and losses of the perceiver's training, and what a trained network would give."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sample_set import question_set, video_set

from tumble.comphy.dataset.tracks import normalise_boxes, read_boxes
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets
from tumble.comphy.models.perceiver.network import CELL, BodyOutput, DenseOutput, PerceiverNetwork
from tumble.comphy.models.perceiver.perceive import Perceiver, PictureError, write_perception
from tumble.comphy.models.perceiver.targets import FrameSampler, Targets
from tumble.comphy.models.perceiver.tracking import Detections, detect, mask_labels
from tumble.comphy.models.perceiver.training import (
    Batches,
    PerceiverConfig,
    PerceiverTraining,
    augmented_pictures,
    compressed_pictures,
)
from tumble.comphy.observation.video import bounding_boxes
from tumble.learning.checkpoint import export_weights
from tumble.learning.harness import Budget, train

CPU = torch.device("cpu")
SMALL = PerceiverConfig(stem=4, widths=(8, 8, 8, 8), features=8, hidden=16, batch=4, lags=(0, 2))


@pytest.fixture(scope="module")
def sets() -> PackedSets:
    return pack_sets([(video_set(k), question_set(k)) for k in range(3)])


@pytest.fixture(scope="module")
def targets(sets: PackedSets) -> Targets:
    return Batches(FrameSampler(sets, 0, 0.5, 0.5), 8, (0,), CPU).batch(0)[1]


def test_batches_depend_on_seed_and_step_only(sets: PackedSets) -> None:
    long, short = (Batches(FrameSampler(sets, 0, 0.3, 0.5), 4, (0, 2), CPU) for _ in range(2))
    for step in range(3):
        rgb, made = long.batch(step)
    again, other = short.batch(2)
    assert torch.equal(rgb, again)
    assert torch.equal(made.boxes, other.boxes)
    assert not torch.equal(rgb, short.batch(3)[0])


def test_targets_are_those_of_masks_and_places(targets: Targets) -> None:
    boxes = bounding_boxes(targets.labels.numpy(), targets.wanted.shape[1])
    wanted = targets.wanted.numpy()
    assert wanted.sum() > 5
    np.testing.assert_allclose(targets.boxes.numpy()[wanted] * CELL, boxes[wanted])
    frames, bodies = np.nonzero(wanted)
    cells = targets.cells.numpy()[frames, bodies]
    assert (targets.heat.numpy()[frames, cells[:, 1], cells[:, 0]] == 1.0).all()
    assert not (targets.heat.numpy() == 1.0)[~wanted.any(axis=1)].any()


class Knowing(PerceiverNetwork):
    """A network that says what the targets are."""

    def __init__(self, targets: Targets) -> None:
        super().__init__(4, (8, 8, 8, 8), 8, 16)
        self.targets = targets

    def bodies(self, features: torch.Tensor, frames: torch.Tensor, cells: torch.Tensor) -> BodyOutput:
        same = (self.targets.cells[frames] == cells[:, None]).all(dim=-1) & self.targets.wanted[frames]
        at = same.float().argmax(dim=1)
        places, middles = self.targets.places, cells + 0.5
        looks = [
            12.0 * torch.nn.functional.one_hot(places.looks[frames, at, k].clamp(min=0), count).float()
            for k, count in enumerate((8, 2, 3))
        ]
        offset = places.centres[frames, at] - middles
        box = self.targets.boxes[frames, at] - middles.repeat(1, 2)
        return BodyOutput(offset, torch.zeros(len(at)), box, places.yaws[frames, at], *looks)


def perfect(targets: Targets) -> tuple[DenseOutput, Detections]:
    """The output of a network without errors, and its detections."""
    labels = targets.labels[:, 2::4, 2::4].long()
    at = (labels - 1).clamp(min=0).flatten(1)[..., None].expand(-1, -1, 2)
    centres = targets.places.centres.gather(1, at).reshape(*labels.shape, 2)
    rows, columns = torch.meshgrid(torch.arange(40) + 0.5, torch.arange(60) + 0.5, indexing="ij")
    votes = (centres - torch.stack([columns, rows], dim=-1)).permute(0, 3, 1, 2)
    foreground = 20.0 * (targets.labels > 0).float() - 10.0
    output = DenseOutput(torch.zeros(len(labels), 8, 40, 60), torch.logit(targets.heat, 1e-4), foreground, votes)
    return output, detect(Knowing(targets), output)


def test_decoding_inverts_the_targets(sets: PackedSets, targets: Targets) -> None:
    placed = FrameSampler(sets, 0, 0.5, 0.5).sample(0, 8)
    output, found = perfect(targets)
    assert len(found) == int(targets.wanted.sum())
    truth = targets.places.centres.numpy() * CELL
    for k, frame in enumerate(found.frames):
        body = int(np.linalg.norm(truth[frame] - found.centres[k], axis=1).argmin())
        np.testing.assert_allclose(found.centres[k], truth[frame, body], atol=1e-3)
        look = np.ravel_multi_index(tuple(placed.looks[frame, body]), (8, 2, 3))
        assert found.looks[k].argmax() == look
        off = (found.yaws[k] - placed.poses[frame, body, 2] + np.pi / 4) % (np.pi / 2) - np.pi / 4
        assert abs(off) < 1e-3
    centres = np.where(targets.wanted.numpy()[..., None], truth, np.nan)
    masks = mask_labels(output, centres)
    wanted = np.isin(targets.labels.numpy(), [0]) | np.take_along_axis(
        targets.wanted.numpy(), np.maximum(targets.labels.numpy().reshape(8, -1).astype(int) - 1, 0), axis=1
    ).reshape(masks.shape)
    assert (masks == targets.labels.numpy())[wanted].mean() > 0.995


def test_compression_changes_little_and_augmentation_keeps_the_range() -> None:
    pictures = torch.nn.functional.interpolate(torch.rand(2, 3, 10, 15), (160, 240), mode="bicubic").clamp(0, 1)
    compressed = compressed_pictures(pictures, torch.full((2, 1, 1, 1), 6.0 / 255.0))
    error = (compressed - pictures).abs().mean()
    assert 1e-4 < error < 0.02
    changed = augmented_pictures(pictures)
    assert changed.min() >= 0
    assert changed.max() <= 1
    assert (changed - pictures).abs().mean() < 0.1


def test_training_resumes_and_its_weights_find_tracks(sets: PackedSets, tmp_path: Path) -> None:
    training = PerceiverTraining(SMALL, sets, CPU, 0)
    before = {name: value.clone() for name, value in training.network.state_dict().items()}
    train(training, tmp_path / "full.pt", Budget(steps=2), CPU)
    changed = [name for name, value in training.network.state_dict().items() if not torch.equal(value, before[name])]
    assert {name.split(".")[0] for name in changed} == {"stem", "blocks", "down", "lateral", "up", "dense", "head"}
    export_weights(tmp_path / "full.pt", tmp_path / "half.pt")
    perceiver = Perceiver.load(tmp_path / "half.pt")
    videos = tuple(np.full((frames, 80, 120, 3), 120, np.uint8) for frames in (5, 3, 3, 3, 3))
    perception = perceiver.perceive(videos)
    assert [one.frames for one in (perception.target, *perception.references)] == [5, 3, 3, 3, 3]
    assert perceiver.masks(videos[0], perception.target).shape == (5, 160, 240)
    write_perception(perception, tmp_path / "targets", tmp_path / "references", 3)
    boxes = read_boxes(tmp_path / "targets" / "tracks" / "sim_00003.npy")
    np.testing.assert_allclose(normalise_boxes(boxes, (480, 320)), perception.target.boxes, atol=1e-4)
    assert (tmp_path / "references" / "config" / "sim_00003_3.json").exists()


def test_fusing_changes_nothing() -> None:
    torch.manual_seed(0)
    network = SMALL.network()
    network(torch.rand(4, 3, 160, 240))  # moves the running means
    pictures = torch.rand(2, 3, 160, 240)
    with torch.inference_mode():
        one, other = network.eval()(pictures), network.fused()(pictures)
    torch.testing.assert_close(one.heat, other.heat, atol=1e-4, rtol=1e-4)


def test_what_is_no_video_is_refused() -> None:
    perceiver = Perceiver(SMALL.network(), CPU)
    with pytest.raises(PictureError, match="uint8"):
        perceiver.perceive((np.zeros((2, 8, 8, 3)),))
    with pytest.raises(PictureError, match="no videos"):
        perceiver.perceive(())
