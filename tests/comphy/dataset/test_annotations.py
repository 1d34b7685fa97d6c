"""A set that is read is the set that was written; published files are read too, and faults are named."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_set import video_set

from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.dataset.annotations import (
    ALTERED,
    FUTURE,
    NO_SEED,
    PROPERTIES,
    REFERENCE_VIDEOS,
    read_set,
    write_set,
)
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.motion_files import euler_angles, quaternions


def assert_same_motion(one: Motion, other: Motion) -> None:
    for name in ("positions", "orientations", "velocities", "angular_velocities", "in_view"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.collisions == other.collisions


def edited(root: Path, edit: Any, path: Path | None = None) -> None:
    """Changes the JSON of a target's annotation, or of another file."""
    path = path or Layout(root).annotation(7)
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


def test_a_set_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = video_set()
    write_set(tmp_path, made)
    stored = read_set(tmp_path, 7)
    read = stored.videos
    assert stored.missing == set()
    assert (read.index, read.seed, read.family, read.bodies) == (7, 1, "mass", made.bodies)
    assert_same_motion(read.target, made.target)
    assert [reference.members for reference in read.references] == [(0, 1), (2, 1), (0, 2), (1, 0, 2)]
    for one, other in zip(read.references, made.references, strict=True):
        assert_same_motion(one.motion, other.motion)
    assert list(read.altered) == list(made.altered)
    for change, motion in made.altered.items():
        assert_same_motion(read.altered[change], motion)


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_set(tmp_path / name, video_set())
    for path in write_set(tmp_path / "a", video_set()):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_the_annotation_has_the_published_fields(tmp_path: Path) -> None:
    write_set(tmp_path, video_set())
    document = json.loads(Layout(tmp_path).annotation(7).read_text())
    assert document["scene_index"] == 7
    assert len(document["motion_trajectory"]) == 175
    assert document["object_property"][0]["mass"] == 5
    body = document["motion_trajectory"][10]["objects"][2]
    assert len(body["orientation"]) == 3
    assert isinstance(body["inside_scene"], bool)
    assert document["collision"][0] == {"object_idxs": [0, 1], "step": 33}


@pytest.mark.parametrize("pitch", [0.3, -1.2, np.pi / 2, -np.pi / 2])
def test_angles_and_quaternions_are_the_same_turn(pitch: float) -> None:
    angles = np.array([0.4, pitch, -2.1])
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turn = quaternions(angles)
    np.testing.assert_allclose(matrix(turn), about_z @ about_y @ about_x, atol=1e-12)
    np.testing.assert_allclose(matrix(quaternions(euler_angles(turn))), matrix(turn), atol=1e-7)


def matrix(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion."""
    w, v = quaternion[0], quaternion[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray((w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross)


def test_published_files_lack_some_fields(tmp_path: Path) -> None:
    write_set(tmp_path, video_set())
    Layout(tmp_path).altered(7).unlink()
    for k in range(4):
        Layout(tmp_path).annotation(7, k).unlink()

    def published(document: Any) -> None:
        for name in ("seed", "property_family", "video_filename"):
            del document[name]
        for body in document["object_property"]:
            del body["mass"], body["charge"]
            body["unknown_field"] = 1
        for frame in document["motion_trajectory"]:
            for body in frame["objects"]:
                del body["quaternion"]
        del document["motion_trajectory"][SHOWN_FRAMES:]

    edited(tmp_path, published)
    stored = read_set(tmp_path, 7)
    assert stored.missing == {PROPERTIES, FUTURE, REFERENCE_VIDEOS, ALTERED}
    assert stored.videos.seed == NO_SEED
    assert stored.videos.family == "mass"  # by its index, 0-3999
    made = video_set().target.orientations[:SHOWN_FRAMES]
    aligned = np.abs((stored.videos.target.orientations * made).sum(-1))
    np.testing.assert_allclose(aligned, 1.0, atol=1e-5)


def test_the_authors_internal_form_is_read(tmp_path: Path) -> None:
    made = video_set()
    write_set(tmp_path, made)

    def internal(document: Any) -> None:
        document["config"] = document.pop("object_property")
        document["motion"] = document.pop("motion_trajectory")
        contacts = document.pop("collision")
        document["collisions"] = [
            {"object_idxs": contact["object_idxs"][::-1], "time": contact["step"] / 250} for contact in contacts[::-1]
        ]
        document["field_config"] = [{"borderline": [1, 2, 3]}]

    edited(tmp_path, internal)
    assert_same_motion(read_set(tmp_path, 7).videos.target, made.target)


FAULTS = [
    (lambda d: d["object_property"][1].update(color="pink"), "object_property 1: no colour 'pink'"),
    (lambda d: d["object_property"][1].pop("shape"), "object_property 1: there is no field 'shape'"),
    (
        lambda d: d["object_property"][1].update(d["object_property"][0]),
        "two objects of this appearance",
    ),
    (lambda d: d.pop("motion_trajectory"), "no field 'motion_trajectory' or 'motion'"),
    (lambda d: d["motion_trajectory"].__delitem__(slice(104, None)), "has 104 frames, there must be 125"),
    (lambda d: d["motion_trajectory"][9]["objects"].pop(), "motion_trajectory 9: there are 2 objects, not 3"),
    (lambda d: d["motion_trajectory"][9]["objects"][2].pop("velocity"), "objects 2: there is no field 'velocity'"),
    (lambda d: d["motion_trajectory"][9]["objects"][2].update(location=[1, "x", 0]), "location must be 3 numbers"),
    (lambda d: d["motion_trajectory"][9]["objects"][2].update(location=[1, float("nan"), 0]), "must be 3 numbers"),
    (lambda d: d["motion_trajectory"][9]["objects"][2].update(inside_scene=3), "must be true or false, not 3"),
    (lambda d: d["collision"][1].update(object_idxs=[0, 8]), "collision 1: object_idxs must be two of the 3"),
    (lambda d: d["collision"][1].pop("step"), "collision 1: there is no field 'step' or 'time'"),
]


@pytest.mark.parametrize(("edit", "message"), FAULTS)
def test_faults_are_named_with_file_and_field(tmp_path: Path, edit: Any, message: str) -> None:
    write_set(tmp_path, video_set())
    edited(tmp_path, edit)
    with pytest.raises(DataError) as caught:
        read_set(tmp_path, 7)
    assert "00007.json" in str(caught.value)
    assert message in str(caught.value)


def test_a_reference_with_an_unknown_body_or_cut_off_is_named(tmp_path: Path) -> None:
    write_set(tmp_path, video_set())
    path = Layout(tmp_path).annotation(7, 2)
    edited(tmp_path, lambda document: document["object_property"][0].update(color="cyan"), path)
    with pytest.raises(DataError, match=r"00007/2\.json: the target has no cyan rubber cube"):
        read_set(tmp_path, 7)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(DataError, match=r"00007/2\.json: this is not JSON"):
        read_set(tmp_path, 7)
    path.write_text("[1, 2]")
    with pytest.raises(DataError, match=r"00007/2\.json: must be an object, not \[1, 2\]"):
        read_set(tmp_path, 7)
    path.unlink()
    with pytest.raises(DataError, match=r"00007/2\.json: there is no such file"):
        read_set(tmp_path, 7)


def test_a_damaged_file_of_altered_motions_is_named(tmp_path: Path) -> None:
    write_set(tmp_path, video_set())
    path = Layout(tmp_path).altered(7)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"00007\.json\.gz: it is truncated"):
        read_set(tmp_path, 7)
