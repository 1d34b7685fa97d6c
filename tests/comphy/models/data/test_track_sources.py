"""Models can be trained on sets of real videos: their tracks are packed like exact motion."""

from pathlib import Path

import numpy as np
import pytest
from real_videos import MEMBERS, real_folder

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.data.packed_sets import ABSENT, positions_of, read_packed, write_packed
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.observation.camera import CAMERA


def test_tracks_are_packed_with_three_references(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, pictures=False)
    packed = read_sets(folder)
    assert packed.from_tracks
    assert [tuple(packed.video_members(0, k)) for k in (1, 2, 3, 4)] == [*MEMBERS, ()]
    assert (packed.members[0, 3] == ABSENT).all()
    tracks = open_dataset(folder).example(2).tracks()
    seen = tracks[..., 0] != -1
    centres = CAMERA.project(positions_of(packed.poses(0, 0)))[..., :2]
    np.testing.assert_allclose(centres[seen], tracks[seen, :2], atol=2e-4)
    assert not ((centres >= 0) & (centres <= 1)).all(axis=-1)[~seen].any()


def test_packed_tracks_stay_tracks_on_disk(tmp_path: Path) -> None:
    packed = read_sets(real_folder(tmp_path / "real", pictures=False))
    write_packed(tmp_path / "sets.xz", packed)
    assert read_packed(tmp_path / "sets.xz").from_tracks
    assert read_packed(tmp_path / "sets.xz").digest == packed.digest


def test_unreadable_sets_are_skipped_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_folder(tmp_path, (2, 3), pictures=False)
    (folder / "data" / "train.json").write_text((folder / "data" / "val.json").read_text().replace("3", "2"))
    (folder / "box_reference" / "sim_00002_1.json").unlink()
    with pytest.raises(DataError, match=r"none of the 1 sets can be read; .*sim_00002_1\.json: there is no such file"):
        read_sets(folder, "train")
    assert len(read_sets(folder, "validation")) == 1
    assert "question 1: it has no answer (NULL)" in capsys.readouterr().err


def test_models_that_render_their_pictures_refuse_tracks(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from tumble.comphy.models.registry import make_training
    from tumble.learning.settings import TrainingError

    packed = read_sets(real_folder(tmp_path, pictures=False))
    with pytest.raises(TrainingError, match="mac trains on pictures that are rendered from exact motion"):
        make_training("mac", packed, torch.device("cpu"))
    training = make_training("parser", packed, torch.device("cpu"), settings={"random_texts": 0})
    assert float(training.losses(0, 0.0)["token"].detach()) > 0.0


def test_track_tensors_of_a_perception_with_three_references(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from tumble.comphy.dataset.observe import observe_stored
    from tumble.comphy.models.data.track_tensors import TrackTensors
    from tumble.comphy.models.perceiver.perceive import perception_of

    folder = real_folder(tmp_path, pictures=False)
    perception = perception_of(observe_stored(open_dataset(folder), 2))
    assert len(perception.references) == 3
    tensors = TrackTensors.from_perceptions([perception], torch.device("cpu"))
    packed = TrackTensors.from_packed(read_sets(folder), torch.device("cpu"))
    for one in (tensors, packed):
        assert one.references.present[0, :3].any()
        assert not one.references.present[0, 3].any()
    both = tensors.target.present & packed.target.present
    assert float((tensors.target.places - packed.target.places)[both].abs().max()) < 0.05
