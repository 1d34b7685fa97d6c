"""A reader like PCR's loader finds in an export what the dataset holds, and notices when it does not."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from export_readers.pcr_reader import PcrReader
from few_sets import few_sets
from generated_dataset import made, made_div
from PIL import Image

from tumble.comphy.catalogue.task import Question
from tumble.comphy.catalogue.world import STEPS_PER_FRAME
from tumble.comphy.dataset.export.pcr import write_pcr
from tumble.comphy.dataset.layout import VIDEOS
from tumble.comphy.dataset.load import Dataset, open_dataset

PHASES = {"train": "train", "val": "validation", "test": "test"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pcr") / "data"
    write_pcr(few_sets(), folder)
    return folder


def test_a_loader_reads_what_the_dataset_holds(exported: Path) -> None:
    check(exported, few_sets())


@pytest.mark.slow
def test_a_loader_reads_what_a_div_dataset_holds(tmp_path: Path) -> None:
    data = open_dataset(made_div())
    write_pcr(data, tmp_path / "data")
    check(tmp_path / "data", data)


def check(folder: Path, data: Dataset, with_pictures: bool = True) -> None:
    old = {row["new"]: row["old"] for row in json.loads((folder / "index_map.json").read_text())}
    seen = []
    for phase, split in PHASES.items():
        if not data.indices(split):
            continue
        reader = PcrReader(folder, phase, with_pictures)
        for k in range(len(reader)):
            item = reader[k]
            example = data.example(old[item.scene_index])
            seen.append(example.index)
            assert example.split == split
            for video, boxes, detected in zip(VIDEOS, item.boxes, item.detected, strict=True):
                np.testing.assert_allclose(boxes, example.tracks(video), atol=1.01 / 320)
                np.testing.assert_array_equal(boxes, detected)
            for video, numbers, pictures in zip(VIDEOS, item.sampled, item.pictures, strict=with_pictures):
                frames = example.frames(video)
                assert len(numbers) == len(pictures) >= 5
                for number, picture in list(zip(numbers, pictures, strict=True))[::4]:
                    expected = Image.fromarray(frames[number]).resize((480, 320))
                    np.testing.assert_array_equal(np.asarray(picture), np.asarray(expected))
            check_questions(item.questions, example.questions.questions, phase)
            if phase == "test":
                continue
            bodies = example.videos.bodies
            assert [(own["color"], own["material"], own["shape"]) for own in item.attributes[0]["config"]] == [
                body.appearance for body in bodies
            ]
            assert item.properties == [
                ("heavy" if body.mass == 5 else "light", ("negative", "neutral", "positive")[body.charge + 1])
                for body in bodies
            ]
            for mapping, reference in zip(item.reference_objects, example.videos.references, strict=True):
                assert tuple(mapping[k] for k in sorted(mapping)) == reference.members
            frames = item.collision_frames
            last = {collision.pair: collision.step // STEPS_PER_FRAME for collision in example.videos.target.collisions}
            found = {(i, j): int(frames[i, j]) for j in range(len(bodies)) for i in range(j) if frames[i, j] >= 0}
            assert found == last
            inside = example.videos.target.in_view[:128]
            for entry, own in zip(item.entries, inside.T, strict=True):
                assert entry == 0 or (own[entry] and not own[entry - 1])
            places = [[own["location"] for own in frame["objects"]] for frame in item.attributes[0]["motion"]]
            np.testing.assert_array_equal(places, example.videos.target.positions)
            for change, motion in example.videos.altered.items():
                charge = bodies[change.body].charge
                altered = reader.altered_locations(item.scene_index, change.change, change.body, charge)
                np.testing.assert_array_equal(altered, motion.positions[:125, :, :2])
    assert sorted(seen) == data.indices()


def check_questions(found: list[dict[str, Any]], questions: tuple[Question, ...], phase: str) -> None:
    assert len(found) == len(questions)
    for record, question in zip(found, questions, strict=True):
        assert record["question_id"] == question.id
        assert record["question"] == question.text
        assert tuple(record["program"]) == question.program
        assert record.get("question_type", "descriptive").split("_")[0] == (
            "descriptive" if question.kind == "factual" else question.kind
        )
        assert record.get("answer") == (None if phase == "test" else question.answer)
        assert [
            (choice["choice_id"], choice["choice"], tuple(choice["program"]), choice.get("answer"))
            for choice in record.get("choices", [])
        ] == [
            (choice.id, choice.text, choice.program, None if phase == "test" else choice.answer)
            for choice in question.choices
        ]


def test_answers_and_truth_of_the_test_split_are_apart(exported: Path) -> None:
    data = few_sets()
    number = next(row["new"] for row in json.loads((exported / "index_map.json").read_text()) if row["split"] == "test")
    questions = exported / "questions_release" / "v16" / "questions"
    assert '"answer"' not in (questions / "test.json").read_text()
    (answers,) = json.loads((questions / "test_answers.json").read_text())
    example = data.example(data.indices("test")[0])
    assert [own["question_id"] for own in answers["questions"]] == [own.id for own in example.questions.questions]
    assert not (exported / "annotation_v16" / f"sim_{number:05d}").exists()
    truth = json.loads((exported / "test_truth/annotation_v16" / f"sim_{number:05d}" / "annotation.json").read_text())
    assert [own["mass"] for own in truth["config"]] == [body.mass for body in example.videos.bodies]


def shift_boxes(folder: Path) -> None:
    path = next((folder / "v16" / "box").glob("*.npy"))
    np.save(path, np.load(path) + np.float32(5))


def delete_picture(folder: Path) -> None:
    next((folder / "v16/render/causal_sim").glob("*/frames/frame_00002.png")).unlink()


def swap_pictures(folder: Path) -> None:
    frames = next((folder / "v16/render/reference").glob("*/2/frames"))
    (frames / "frame_00002.png").write_bytes((frames / "frame_00047.png").read_bytes())


def delay_collisions(folder: Path) -> None:
    for path in folder.glob("annotation_v16/*/annotation.json"):
        document = json.loads(path.read_text())
        for collision in document["collisions"]:
            collision["time"] += 0.04
        path.write_text(json.dumps(document))


def change_answer(folder: Path) -> None:
    for path in (folder / "questions_release/v16/questions").glob("[tv]*.json"):
        path.write_text(path.read_text().replace('"correct"', '"wrong"'))


def change_program(folder: Path) -> None:
    path = folder / "questions_release/v16/questions/test.json"
    changed = re.sub(r'"program": ?\[', '"program":["objects",', path.read_text(), count=1)
    assert changed != path.read_text()
    path.write_text(changed)


def change_mass(folder: Path) -> None:
    for path in folder.glob("annotation_v16/*/annotation.json"):
        path.write_text(path.read_text().replace('"mass":1', '"mass":5', 1))


def change_number(folder: Path) -> None:
    path = folder / "index_map.json"
    path.write_text(path.read_text().replace('"new":10000', '"new":10001'))


@pytest.mark.parametrize(
    "damage",
    [
        shift_boxes,
        delete_picture,
        swap_pictures,
        delay_collisions,
        change_answer,
        change_program,
        change_mass,
        change_number,
    ],
    ids=lambda damage: damage.__name__,
)
def test_a_wrong_export_is_noticed(damage: Callable[[Path], None], exported: Path, tmp_path: Path) -> None:
    folder = Path(copytree(exported, tmp_path / "copy", copy_function=_link_or_copy))
    damage(folder)
    with pytest.raises((AssertionError, FileNotFoundError, KeyError)):
        check(folder, few_sets(), with_pictures="picture" in damage.__name__)


def _link_or_copy(source: str, target: str) -> None:
    """Pictures are many and are not changed in place, so they are linked."""
    if source.endswith(".png") and "frame_00002" not in source:
        Path(target).hardlink_to(source)
    else:
        Path(target).write_bytes(Path(source).read_bytes())


def test_without_videos_only_pictures_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = open_dataset(made())
    monkeypatch.setattr(type(data), "has_videos", False)
    write_pcr(data, tmp_path / "out")
    assert "No pictures" in (tmp_path / "out" / "README.md").read_text()
    assert not (tmp_path / "out/v16/render").exists()
    item = PcrReader(tmp_path / "out", "train", with_pictures=False)[0]
    assert item.pictures == []
    assert len(item.boxes) == 5
