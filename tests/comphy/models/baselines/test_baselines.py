"""The trainings of the baselines, with tiny networks."""

from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from sample_set import question_set as questions
from sample_set import video_set
from untrained_perceiver import untrained_perceiver

from tumble.comphy.models.baselines.baseline import BaselineTraining
from tumble.comphy.models.baselines.frames import TableRemoval, Videos
from tumble.comphy.models.baselines.frozen_features import PeakTracks
from tumble.comphy.models.baselines.question_bank import TextBatch
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets
from tumble.comphy.models.registry import entry
from tumble.learning.checkpoint import load_network
from tumble.learning.harness import Budget, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")
SMALL: dict[str, Any] = {
    "picture_width": 32,
    "picture_height": 24,
    "frames": 4,
    "reference_frames": 2,
    "sets": 2,
    "word_width": 8,
}
TINY: dict[str, dict[str, Any]] = {
    "cnn-lstm": {"channels": 8, "width": 8},
    "hcrn": {"channels": 8, "width": 8, "clips": 3, "clip_frames": 3, "largest_in_clip": 3, "largest_in_video": 3},
    "mac": {"width": 8, "steps": 2, "heads": 2, "knowledge_layers": 1},
    "aloe": {
        "slots": 3,
        "slot_width": 8,
        "slot_hidden": 8,
        "slot_videos": 2,
        "slot_frames": 2,
        "width": 8,
        "object_layers": 1,
        "layers": 1,
        "heads": 2,
    },
}
NAMES = ("cnn-lstm", "cnn-lstm-ref", "hcrn", "mac", "mac-ref", "aloe", "aloe-ref")


@cache
def sets() -> PackedSets:
    return pack_sets([(video_set(index), questions(index)) for index in (7, 8)])


@pytest.fixture(scope="module", autouse=True)
def perceiver(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Lets all trainings use the features of an untrained perceiver."""
    SMALL["perceiver"] = str(untrained_perceiver(tmp_path_factory.mktemp("perceiver") / "perceiver.pt"))


def training(name: str, **settings: Any) -> BaselineTraining:
    one = entry(name)
    chosen = {**SMALL, **TINY[name.removesuffix("-ref")], **one.settings, "versions": 1, **settings}
    known = {field.name for field in fields(one.load().config_class)}
    chosen = {key: value for key, value in chosen.items() if key in known}
    made = one.load()(one.load().config_class(**chosen), sets(), CPU, 0)
    assert isinstance(made, BaselineTraining)
    return made


def videos_of(one: BaselineTraining) -> Videos:
    """What the network of a training gets for the first sets."""
    rows = torch.arange(2)
    pictures = one.bank.pictures(torch.zeros_like(rows), rows)
    if isinstance(one.network.sight, TableRemoval):
        videos: Videos = one.network.sight(pictures)
        return videos
    return Videos(pictures.target.float(), None if pictures.references is None else pictures.references.float())


def texts_of(one: BaselineTraining) -> TextBatch:
    rows = torch.arange(2)
    return one.questions.draw_options(torch.zeros_like(rows), rows, 2)


@pytest.mark.parametrize("has_bfloat16", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_step_changes_all_that_is_used(
    name: str, has_bfloat16: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has_bfloat16)
    one = training(name, slot_share=0.5)
    assert one.name == name
    before = {key: value.clone() for key, value in one.network.named_parameters()}
    trained = {key for key, value in one.network.named_parameters() if value.requires_grad}
    train(one, tmp_path / "a.pt", Budget(steps=4), CPU)
    same = {key for key, value in one.network.named_parameters() if torch.equal(value, before[key])}
    frozen = before.keys() - trained
    assert all(key.startswith("sight.") for key in frozen)
    assert frozen <= same
    assert same == frozen


def test_features_of_a_perceiver_of_other_sizes(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="the baselines need"):
        PeakTracks().load(untrained_perceiver(tmp_path / "p.pt", hidden=8))


@pytest.mark.parametrize("name", ["cnn-lstm", "hcrn", "mac", "aloe"])
def test_training_that_stopped_ends_with_the_same_weights(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(training(name), tmp_path / "whole.pt", Budget(steps=3), CPU)
    stopped = training(name)
    losses = stopped.losses

    def stop(step: int, progress: float) -> Any:
        if step == 2:
            raise KeyboardInterrupt
        return losses(step, progress)

    monkeypatch.setattr(stopped, "losses", stop)
    monkeypatch.setattr("tumble.learning.harness.CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        train(stopped, tmp_path / "stopped.pt", Budget(steps=3), CPU)
    train(training(name), tmp_path / "stopped.pt", Budget(steps=3), CPU)
    whole, resumed = (load_network(tmp_path / f"{file}.pt", name)["network"] for file in ("whole", "stopped"))
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)


@pytest.mark.parametrize("name", ["cnn-lstm-ref", "mac-ref", "aloe-ref"])
def test_references_count(name: str) -> None:
    one = training(name)
    network, texts, videos = one.network.eval(), texts_of(one), videos_of(one)
    assert videos.references is not None
    videos, other = (Videos(videos.target + 0.5, torch.rand(videos.references.shape)) for _ in range(2))
    with torch.no_grad():
        scores, others = (network(seen, texts.words, texts.lengths).answers for seen in (videos, other))
    assert not torch.equal(scores, others)


@pytest.mark.parametrize("name", ["cnn-lstm", "hcrn", "mac", "aloe"])
def test_padding_does_not_count(name: str) -> None:
    one = training(name)
    network, texts, videos = one.network.eval(), texts_of(one), videos_of(one)
    longer = torch.nn.functional.pad(texts.words, (0, 5))
    with torch.no_grad():
        scores, others = (network(videos, words, texts.lengths).answers for words in (texts.words, longer))
    torch.testing.assert_close(scores, others, atol=1e-5, rtol=1e-4)


def test_slots_are_trained_alone_first() -> None:
    one = training("aloe", slot_share=0.5)
    assert set(one.losses(0, 0.4)) == {"slots"}
    assert set(one.losses(0, 0.6)) == {"answers", "options", "masked words", "used words"}


def test_settings_are_plain_values() -> None:
    for name in NAMES:
        values = asdict(entry(name).load().config_class())
        assert all(isinstance(value, bool | int | float | str) for value in values.values())
