"""Readers like CPL's executor and property learner find in an export what the dataset holds, and notice errors."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from export_readers.cpl_reader import CplReader, edges
from generated_dataset import copied, made, made_div

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.world import STEPS_PER_FRAME
from tumble.comphy.dataset.export.cpl import write_cpl
from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.tracks import project_boxes

OFFSETS = {"validation": ("val", 4000), "test": ("test", 10000)}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpl") / "data"
    write_cpl(open_dataset(made()), folder)
    return folder


def test_readers_find_what_the_dataset_holds(exported: Path) -> None:
    check(exported)


@pytest.mark.slow
def test_readers_find_what_a_div_dataset_holds(tmp_path: Path) -> None:
    write_cpl(open_dataset(made_div()), tmp_path / "data")
    check(tmp_path / "data", made_div())


def check(folder: Path, root: Path | None = None) -> None:
    data, reader = open_dataset(root or made()), CplReader(folder)
    rows = json.loads((folder / "index_map.json").read_text())
    assert sorted(row["old"] for row in rows) == data.indices()
    for row in rows:
        example, number = data.example(row["old"]), row["new"]
        videos, bodies = example.videos, example.videos.bodies
        version = "v16_test" if example.split == "test" else "v16"
        tracks, configs = reader.learner_item(version, number)
        assert len(tracks) == 5
        for video, track, config in zip(VIDEOS, tracks, configs, strict=True):
            boxes = example.tracks(video).transpose(1, 0, 2)
            np.testing.assert_allclose(track[:, : boxes.shape[1]], boxes, atol=1e-4)
            assert (track[:, boxes.shape[1] :] == -1).all()
            own = [bodies[k] for k in example.members(video)]
            assert [(each["color"], each["material"], each["shape"]) for each in config] == [b.appearance for b in own]
            hidden = [(each.get("mass"), each.get("charge")) for each in config]
            known = [(body.mass, body.charge) for body in own]
            assert hidden == ([(None, None)] * len(own) if version == "v16_test" else known)
        simulation = reader.simulation(version, number)
        assert [(own["mass"], own["charge"]) for own in simulation.objects] == [(b.mass, b.charge) for b in bodies]
        charges = np.array([body.charge for body in bodies])
        relation = np.outer(charges, charges)
        different = ~np.eye(len(bodies), dtype=bool)
        np.testing.assert_array_equal(edges(simulation.objects)[different] == 1, relation[different] > 0)
        np.testing.assert_array_equal(edges(simulation.objects)[different] == 2, relation[different] < 0)
        check_world(simulation.worlds["future"], bodies, videos.target, 175)
        for change, motion in videos.altered.items():
            check_world(simulation.changed(change.body, change.change), bodies, motion, 125)
        assert simulation.collisions == [
            (collision.step // STEPS_PER_FRAME, *collision.pair) for collision in videos.target.collisions
        ]
        motion = [
            [own["location"] for own in frame["objects"]]
            for frame in reader.decoder_annotation(version, number)["motion"]
        ]
        np.testing.assert_array_equal(motion, videos.target.positions)
        if example.split in OFFSETS:
            file, offset = OFFSETS[example.split]
            scene = reader.questions(file, number, offset)
            assert [own["question"] for own in scene["questions"]] == [q.text for q in example.questions.questions]
            programs = [
                [tuple(choice["program"] + own["program"]) for choice in own.get("choices", [{"program": []}])]
                for own in scene["questions"]
            ]
            assert programs == [
                [(choice.program if choice else ()) + q.program for choice in q.choices or (None,)]
                for q in example.questions.questions
            ]


def check_world(
    frames: dict[int, dict[int, tuple[float, float]]], bodies: tuple[Body, ...], motion: Motion, number: int
) -> None:
    boxes = project_boxes(bodies, motion)
    assert list(frames) == list(range(0, number, 5))
    for frame, centres in frames.items():
        expected = {k: box[:2] * (480, 320) for k, box in enumerate(boxes[frame]) if box[0] >= 0}
        assert centres.keys() == expected.keys()
        for k, centre in centres.items():
            np.testing.assert_allclose(centre, expected[k], atol=1e-3)


def test_a_damaged_set_leaves_the_positions_of_others_alone(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    data = open_dataset(folder)
    first = data.indices("train")[0]
    Layout(folder).annotation(first).write_text("{}")
    write_cpl(data, tmp_path / "out")
    (fault,) = data.faults
    assert fault.where == f"set {first:05d}"
    rows = {row["new"]: row["old"] for row in json.loads((tmp_path / "out" / "index_map.json").read_text())}
    scenes = json.loads((tmp_path / "out" / "questions" / "train.json").read_text())
    assert [rows[scene["scene_index"]] for scene in scenes] == [
        old for _, old in sorted(rows.items()) if data.splits[old] == "train"
    ]
    assert [rows[scene["scene_index"]] for scene in scenes if not scene["questions"]] == [first]
    assert fault.what in (tmp_path / "out" / "README.md").read_text()


def shift_prediction(folder: Path) -> None:
    for path in folder.glob("v16/predictions_motion_prp/*.json"):
        document = json.loads(path.read_text())
        document["future"]["trajectories"][0].pop(0)
        path.write_text(json.dumps(document))


def swap_worlds(folder: Path) -> None:
    for path in folder.glob("v16/predictions_motion_prp/*.json"):
        document = json.loads(path.read_text())
        for own in document["mass"]:
            own["mass"] = 6 - own["mass"]
        path.write_text(json.dumps(document))


def whole_boxes(folder: Path) -> None:
    path = next(folder.glob("v16_prp_reference/tracks/*.npy"))
    np.save(path, np.load(path).astype(np.int32))


def delete_reference(folder: Path) -> None:
    next(folder.glob("v16_prp_reference/config/*_2.json")).unlink()


def reverse_questions(folder: Path) -> None:
    path = folder / "questions" / "test.json"
    path.write_text(json.dumps([{"scene_index": -1, "questions": []}, *json.loads(path.read_text())]))


def reveal_mass(folder: Path) -> None:
    path = next(folder.glob("v16_test_prp_refine/config/*.json"))
    path.write_text(path.read_text().replace('"shape"', '"mass":1,"shape"'))


def late_collisions(folder: Path) -> None:
    for path in folder.glob("v16/render/causal_sim/*/annotations/annotation.json"):
        path.write_text(path.read_text().replace('"time":', '"time":1'))


@pytest.mark.parametrize(
    "damage",
    [shift_prediction, swap_worlds, whole_boxes, delete_reference, reverse_questions, reveal_mass, late_collisions],
    ids=lambda damage: damage.__name__,
)
def test_a_wrong_export_is_noticed(damage: Callable[[Path], None], exported: Path, tmp_path: Path) -> None:
    folder = Path(copytree(exported, tmp_path / "copy"))
    damage(folder)
    with pytest.raises((AssertionError, FileNotFoundError, KeyError, ValueError)):
        check(folder)
