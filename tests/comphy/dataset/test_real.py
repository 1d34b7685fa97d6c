"""Real videos and published sets with tracks only are read like any others; what is faulty is skipped and named."""

import json
from pathlib import Path

import numpy as np
import pytest
from real_videos import LOOKS, MEMBERS, boxes, real_folder
from sample_set import BODIES, video_set

from tumble.comphy.catalogue.body import Body
from tumble.comphy.dataset.annotations import PROPERTIES, REFERENCE_VIDEOS, write_set
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Layout, RealLayout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.dataset.tracks import motion_of_boxes, normalise_boxes
from tumble.comphy.evaluation.answer_key import read_key, true_set, true_target
from tumble.comphy.observation.camera import CAMERA

SIZE = (480, 320)


def test_real_videos_have_three_references_and_their_own_splits(tmp_path: Path) -> None:
    data = open_dataset(real_folder(tmp_path, pictures=False))
    assert data.is_real
    assert (data.indices("train"), data.indices("validation")) == ([2], [3])
    (example,) = data.examples("validation")
    assert [reference.members for reference in example.videos.references] == list(MEMBERS)
    assert example.videos.bodies == tuple(Body(look["color"], "rubber", look["shape"]) for look in LOOKS)
    assert example.tracks().shape == (125, 3, 4)
    assert [example.tracks(k).shape for k in range(3)] == [(50, 2, 4)] * 3
    assert PROPERTIES in example.stored.missing
    with pytest.raises(DataError, match="no questions of the split 'test'; there are those of: train, validation"):
        data.split_questions("test")


def test_a_question_without_an_answer_is_skipped_and_named(tmp_path: Path) -> None:
    data = open_dataset(real_folder(tmp_path, pictures=False))
    first, last = data.questions[2].questions
    assert (first.answer, last.kind) == ("1", "predictive")
    assert [choice.answer for choice in last.choices] == ["correct", "wrong"]
    assert "set 00002, question 1: it has no answer (NULL)" in str(data.faults[0])


def test_faulty_sets_and_references_are_left_out_or_replaced(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, (24, 33, 40), pictures=False)
    (folder / "box" / "sim_00040.npy").unlink()
    data = open_dataset(folder)
    assert data.indices() == [24]
    assert [fault.where for fault in data.faults] == ["set 00033", "set 00040"]
    assert "known to be faulty" in data.faults[0].what
    layout = RealLayout(folder)
    assert layout.tracks(24, 2) == layout.tracks(24, 0) != layout.tracks(24, 1)
    assert [reference.members for reference in data.example(24).videos.references] == [(0, 1), (2, 0), (0, 1)]


def test_pictures_are_evenly_spaced_and_scaled(tmp_path: Path) -> None:
    data = open_dataset(real_folder(tmp_path, (2,)))
    target, *references = stored_pictures(data, 2)
    assert target.shape == (125, 320, 480, 3)
    assert [len(one) for one in references] == [50, 50, 50]
    assert (target[0, 0, 0, 0], target[-1, 0, 0, 0]) == (0, 139)
    assert data.has_videos


def test_sets_without_looks_can_be_seen_but_not_observed(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, (2,), looks=False)
    data = open_dataset(folder)
    assert len(stored_pictures(data, 2)) == 4
    with pytest.raises(DataError, match=r"box/sim_00002\.json: there is no such file; it must give the looks"):
        observe_stored(data, 2)


def test_an_observation_of_tracks_projects_back_onto_the_boxes(tmp_path: Path) -> None:
    data = open_dataset(real_folder(tmp_path, (2,), pictures=False))
    seen = observe_stored(data, 2)
    for video in (seen.target, *seen.references):
        shown = video.track.in_view
        centres = CAMERA.project(video.track.positions)[..., :2]
        np.testing.assert_allclose(centres[shown], video.boxes[shown, :2], atol=1e-5)
        assert (video.boxes[~shown] == -1).all()
        assert not shown[-1, -1]
    assert len(seen.references) == 3


def test_a_body_without_a_box_is_out_of_view() -> None:
    own = motion_of_boxes(normalise_boxes(boxes(30, 3, 1), SIZE), BODIES)
    assert not CAMERA.sees(own.positions[-1, -1])
    assert np.isfinite(own.velocities).all()
    assert np.abs(own.velocities).max() < 20.0
    steps = np.diff(own.positions[:20], axis=0) * 25.0
    np.testing.assert_allclose(own.velocities[1:20], steps)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"config": [{"color": "red", "shape": "cube"}] * 3}, "two objects of this appearance"),
        ({"config": LOOKS[:2]}, "there are 2 bodies, and boxes of 3"),
        ({"config": [{"color": "pink", "shape": "cube"}]}, "no colour 'pink'"),
        ({}, "no field 'config'"),
    ],
)
def test_wrong_looks_are_refused(content: object, why: str, tmp_path: Path) -> None:
    folder = real_folder(tmp_path, (2,), pictures=False)
    (folder / "box" / "sim_00002.json").write_text(json.dumps(content))
    data = open_dataset(folder)
    assert list(data.examples()) == []
    assert any(why in fault.what for fault in data.faults)


def test_masses_and_charges_may_be_given(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, (2,), pictures=False)
    assert true_target(folder, 2) is None
    hidden = [{**look, "mass": 5, "charge": -1} for look in LOOKS]
    (folder / "box" / "sim_00002.json").write_text(json.dumps({"config": hidden}))
    target = true_target(folder, 2)
    assert target is not None
    assert target.bodies[0] == Body("red", "rubber", "cube", 5, -1)


def test_the_key_of_real_videos_is_read_and_there_is_no_truth(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, pictures=False)
    key = read_key(folder, "validation")
    assert [own.index for own in key.sets] == [3]
    assert key.families[3] == "both"
    with pytest.raises(DataError, match="there is no ground truth"):
        true_set(folder, 3)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    folder = real_folder(tmp_path, (2,), pictures=False)
    (folder / "data" / "train.json").unlink()
    with pytest.raises(DataError, match="no set of real videos has boxes and questions"):
        open_dataset(folder)


def published(root: Path, index: int = 4000) -> Layout:
    """A published set with the annotation of its target only, and tracks of 120 frames."""
    layout = Layout(root)
    videos = video_set(index)
    write_set(root, videos)
    layout.altered(index).unlink()
    members = {"target": (0, 1, 2), **{k: one.members for k, one in enumerate(videos.references)}}
    for video, own in members.items():
        path = layout.tracks(index, video)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, boxes(120 if video == "target" else 48, len(own), 1))
        looks = [{"color": b.color, "material": b.material, "shape": b.shape} for b in (BODIES[k] for k in own)]
        path.with_suffix(".json").write_text(json.dumps({"config": looks}))
        if video != "target":
            layout.annotation(index, video).unlink()
    question = {"question_id": 0, "question": "Any cubes?", "program": ["objects", "exist"], "answer": "yes"}
    (root / "val.json").write_text(json.dumps([{"scene_index": index, "questions": [question]}]))
    return layout


def test_references_without_annotations_come_from_tracks(tmp_path: Path) -> None:
    published(tmp_path)
    data = open_dataset(tmp_path)
    example = data.example(4000)
    assert [own.members for own in example.videos.references] == [own.members for own in video_set().references]
    assert REFERENCE_VIDEOS not in example.stored.missing
    assert example.tracks().shape == (120, 3, 4)
    seen = observe_stored(data, 4000)
    assert [own.boxes.shape[0] for own in seen.references] == [48] * 4
    assert seen.target.track.frames == 125


def test_a_published_set_with_tracks_only_is_read(tmp_path: Path) -> None:
    layout = published(tmp_path)
    layout.annotation(4000).unlink()
    data = open_dataset(tmp_path)
    assert data.indices("validation") == [4000]
    (example,) = data.examples()
    assert example.videos.bodies == tuple(Body(*body.appearance) for body in BODIES)
    assert observe_stored(data, 4000).target.boxes.shape == (120, 3, 4)


def test_a_published_video_that_is_far_too_short_is_named(tmp_path: Path) -> None:
    layout = published(tmp_path)
    np.save(layout.tracks(4000, 2), boxes(20, 2, 1))
    data = open_dataset(tmp_path)
    assert list(data.examples()) == []
    assert "there are 20 frames, there must be 50" in data.faults[0].what
