"""Data is loaded as it was made, whether ours or published; what is faulty is skipped and named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generated_dataset import SETS, SIZE, copied, made, made_div, renew_sums
from sample_set import BODIES, motion, video_set

from tumble.comphy.catalogue.body import COLORS
from tumble.comphy.catalogue.world import REFERENCE_COUNT
from tumble.comphy.dataset.annotations import write_set
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.tracks import ABSENT, normalise_boxes, project_boxes, read_boxes
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.simulator import physics_id


def test_all_sets_of_a_split_are_given_with_questions_and_answers() -> None:
    data = open_dataset(made())
    assert [example.index for example in data.examples()] == list(range(SETS))
    (example,) = data.examples("test")
    assert example.split == "test"
    assert example.questions.questions
    for question in example.questions.questions:
        assert question.program
        assert question.answer or all(choice.answer for choice in question.choices)
    assert data.faults == []


@pytest.mark.parametrize("root", [made, made_div])
def test_pictures_masks_and_tracks_belong_together(root: Callable[[], Path]) -> None:
    """A track's box holds the pixels of its body, and no others of it."""
    width, height = SIZE
    for example in open_dataset(root()).examples("train"):
        for which in VIDEOS:
            frames, masks, tracks = example.frames(which), example.masks(which), example.tracks(which)
            assert frames.shape[:3] == masks.shape
            assert tracks.shape == (len(frames), len(example.members(which)), 4)
            for body in range(tracks.shape[1]):
                seen = (masks == body + 1).any(axis=(1, 2))
                np.testing.assert_array_equal(seen, tracks[:, body, 0] != ABSENT)
                frame = int(seen.argmax())
                down, across = np.nonzero(masks[frame] == body + 1)
                x, y, wide, high = tracks[frame, body] * (width, height, width, height)
                np.testing.assert_allclose([x - wide / 2, y - high / 2], [across.min(), down.min()], atol=1e-4)
                np.testing.assert_allclose([x + wide / 2, y + high / 2], [across.max() + 1, down.max() + 1], atol=1e-4)


@pytest.mark.parametrize("root", [made, made_div])
def test_projected_boxes_agree_with_seen_ones(root: Callable[[], Path]) -> None:
    """Within a pixel and a half of a small picture, where nothing hides a body."""
    data = open_dataset(root())
    apart = []
    for example in data.examples():
        seen, alone = example.tracks(), project_boxes(example.videos.bodies, example.videos.target)[:125]
        both = (seen[..., 0] != ABSENT) & (alone[..., 0] != ABSENT)
        apart.append(np.abs(seen - alone)[both] * (*SIZE, *SIZE))
    assert np.quantile(np.concatenate(apart), 0.9) < 1.5


def test_an_invisible_body_has_its_own_box() -> None:
    boxes = np.array([[[0, 0, 480, 320], [48, 32, 96, 64]]], np.float32)
    np.testing.assert_allclose(normalise_boxes(boxes, (480, 320)), [[[-1] * 4, [0.15, 0.15, 0.1, 0.1]]], atol=1e-6)
    far = motion(3, 1, 0)
    far.positions[:] = (50.0, 50.0, 0.2)
    assert (project_boxes(BODIES, far) == ABSENT).all()
    far.positions[:] = (0.0, 0.0, 0.2)
    middle = CAMERA.project(np.array([0.0, 0.0, 0.2]))[:2]
    np.testing.assert_allclose(project_boxes(BODIES, far)[0, :, :2], [middle] * 3, atol=0.02)


def test_a_faulty_set_is_skipped_and_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    layout.annotation(1).write_text("{")
    data = open_dataset(folder)
    assert [example.index for example in data.examples()] == [0, 2, 3, 4, 5]
    (fault,) = data.faults
    assert fault.where == "set 00001"
    assert fault.what.endswith("00001.json: damaged: its checksum differs")


def test_a_faulty_question_is_skipped_and_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = Layout(folder).questions("train")
    document = json.loads(path.read_text())
    document[0]["questions"][0]["program"] = 3
    path.write_text(json.dumps(document))
    renew_sums(folder)
    data = open_dataset(folder)
    before = open_dataset(made()).questions[0].questions
    assert data.questions[0].questions == before[1:]
    assert "set 00000, question 0: program must be a list of strings" in str(data.faults[0])


def test_published_files_are_loaded_from_their_folders(tmp_path: Path) -> None:
    """Question files beside the folders, no settings, no tracks, no altered motions."""
    layout = Layout(tmp_path)
    for index in (4000, 11000):
        write_set(tmp_path, video_set(index))
        layout.altered(index).unlink()
    question = {"question_id": 0, "question": "Any cubes?", "program": ["objects", "exist"]}
    for name, index, answer in (("val", 4000, {"answer": "yes"}), ("test", 11000, {})):
        record = {"scene_index": index, "questions": [{**question, **answer}]}
        (tmp_path / f"{name}.json").write_text(json.dumps([record]))
    data = open_dataset(tmp_path)
    (own,) = data.examples("validation")
    assert (own.index, own.questions.questions[0].answer) == (4000, "yes")
    assert own.tracks().shape == (125, 3, 4)
    (unanswered,) = data.examples("test")
    assert unanswered.questions.questions[0].answer is None
    with pytest.raises(DataError, match=r"sim_04000\.mp4: there is no such file"):
        own.frames()


def test_a_generated_dataset_names_its_physics() -> None:
    assert open_dataset(made()).physics_id == physics_id()


def test_questions_of_a_split_that_has_none_are_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    Layout(folder).questions("validation").write_text("[]")
    renew_sums(folder)
    data = open_dataset(folder)
    assert [own.index for own in data.split_questions("test")] == data.indices("test")
    with pytest.raises(DataError, match="no questions of the split 'validation'; there are those of: train, test"):
        data.split_questions("validation")


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neither dataset\.json nor a folder target_annotation"):
        open_dataset(tmp_path)
    with pytest.raises(DataError, match="there is no set 00099"):
        open_dataset(made()).example(99)


def test_a_file_that_holds_no_boxes_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "sim.npy", np.zeros((125, 4)))
    with pytest.raises(DataError, match=r"sim\.npy: must be an array of numbers \[frame, body, 4\]"):
        read_boxes(tmp_path / "sim.npy")
    (tmp_path / "sim.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(DataError, match=r"sim\.npy: it can't be read"):
        read_boxes(tmp_path / "sim.npy")


def torch_sets(*arguments: Any, **options: Any) -> Any:
    pytest.importorskip("torch")
    from tumble.comphy.dataset.torch_dataset import TorchDataset

    return TorchDataset(*arguments, **options)


@pytest.mark.parametrize("root", [made, made_div])
def test_an_item_for_torch_is_in_the_order_of_the_target(root: Callable[[], Path]) -> None:
    data = open_dataset(root())
    item = torch_sets(data, "train", frames=8, reference_frames=3)[0]
    example = data.example(item["index"])
    bodies = len(example.videos.bodies)
    assert item["frames"].shape == (8, 3, SIZE[1], SIZE[0])
    assert item["reference_frames"].shape == (REFERENCE_COUNT, 3, 3, SIZE[1], SIZE[0])
    assert item["masks"].shape == (8, SIZE[1], SIZE[0])
    assert item["tracks"].shape == (125, bodies, 4)
    assert item["reference_tracks"].shape == (REFERENCE_COUNT, 50, bodies, 4)
    assert [COLORS[k] for k in item["attributes"][:, 0]] == [body.color for body in example.videos.bodies]
    assert item["properties"].tolist() == [[body.mass, body.charge] for body in example.videos.bodies]
    np.testing.assert_array_equal(item["frames"][-1].permute(1, 2, 0), example.frames()[-1])
    for k in range(REFERENCE_COUNT):
        members = example.members(k)
        np.testing.assert_array_equal(item["reference_tracks"][k][:, list(members)], example.tracks(k))
        others = [body for body in range(bodies) if body not in members]
        assert (item["reference_tracks"][k][:, others] == ABSENT).all()
        assert set(item["reference_masks"][k].unique().tolist()) <= {0, *(member + 1 for member in members)}
    assert item["questions"] == example.questions.questions


def test_batches_are_as_wide_as_their_widest_set_and_name_what_is_faulty(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    video = Layout(folder).video(2, 3)
    video.write_bytes(video.read_bytes()[:900])
    sets = torch_sets(open_dataset(folder), frames=2, reference_frames=2)
    from torch.utils.data import DataLoader

    from tumble.comphy.dataset.torch_dataset import collate

    (batch,) = DataLoader(sets, batch_size=SETS, collate_fn=collate)
    assert batch["index"] == [0, 1, 3, 4, 5]
    widths = [len(open_dataset(folder).example(index).videos.bodies) for index in batch["index"]]
    assert len(set(widths)) > 1
    assert batch["tracks"].shape == (5, 125, max(widths), 4)
    assert batch["frames"].shape == (5, 2, 3, SIZE[1], SIZE[0])
    assert [int((rows >= 0).all(-1).sum()) for rows in batch["attributes"]] == widths
    (fault,) = batch["faults"]
    assert fault.where == "set 00002"
    assert "sim_00002_3.mp4" in fault.what
    assert sets.faults == [fault]


def test_a_batch_of_faulty_sets_only_is_empty(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for index in range(SETS):
        Layout(folder).annotation(index).unlink()
    sets = torch_sets(open_dataset(folder))
    from tumble.comphy.dataset.torch_dataset import collate

    batch = collate([sets[0], sets[1]])
    assert list(batch) == ["faults"]
    assert len(batch["faults"]) == 2
