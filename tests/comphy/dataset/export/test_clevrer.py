"""A reader like the programs for CLEVRER finds in an export what the dataset holds, and notices when it does not."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from export_readers.clevrer_reader import ClevrerReader
from generated_dataset import made, made_div

from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.layout import SPLITS
from tumble.comphy.dataset.load import open_dataset

TYPES = {"factual": "descriptive", "predictive": "predictive", "counterfactual": "counterfactual"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clevrer") / "data"
    write_clevrer(open_dataset(made()), folder)
    return folder


def test_a_reader_finds_what_the_dataset_holds(exported: Path) -> None:
    check(exported)


@pytest.mark.slow
def test_a_reader_finds_what_a_div_dataset_holds(tmp_path: Path) -> None:
    write_clevrer(open_dataset(made_div()), tmp_path / "data")
    check(tmp_path / "data", made_div())


def check(folder: Path, root: Path | None = None) -> None:
    data, reader = open_dataset(root or made()), ClevrerReader(folder)
    old = {row["new"]: row["old"] for row in json.loads((folder / "index_map.json").read_text())}
    seen = []
    for split in SPLITS:
        for scene in reader.questions(split) if data.indices(split) else ():
            number = scene["scene_index"]
            example = data.example(old[number])
            seen.append(example.index)
            target, bodies = example.videos.target, example.videos.bodies
            document = reader.annotation(split, number)
            assert [(own["color"], own["material"], own["shape"]) for own in document["object_property"]] == [
                body.appearance for body in bodies
            ]
            assert set(document["object_property"][0]) == {"object_id", "color", "material", "shape"}
            frames = document["motion_trajectory"]
            assert len(frames) == 125
            for name, array in (("location", target.positions), ("velocity", target.velocities)):
                np.testing.assert_array_equal([[own[name] for own in f["objects"]] for f in frames], array[:125])
            inside = [[own["inside_camera_view"] for own in frame["objects"]] for frame in frames]
            np.testing.assert_array_equal(inside, target.in_view[:125])
            shown = [
                (collision.step // 10, list(collision.pair)) for collision in target.collisions if collision.step < 1250
            ]
            assert [(own["frame_id"], own["object_ids"]) for own in document["collision"]] == shown
            masks, truth = reader.masks(number)
            stored = example.masks()
            assert len(masks) == len(stored) == 125
            for frame in (0, 60, 124):
                looks = [body.appearance for body in bodies]
                assert {looks.index(look) + 1 for look in masks[frame]} == set(np.unique(stored[frame])) - {0}
                for look, mask in masks[frame].items():
                    np.testing.assert_array_equal(mask, stored[frame] == looks.index(look) + 1)
            assert [(own["frame"], own["object"]) for own in truth["collisions"]] == shown
            assert reader.video(split, number) == data.layout.video(example.index).read_bytes()
            for record, question in zip(scene["questions"], example.questions.questions, strict=True):
                assert record["question"] == question.text
                assert record["question_type"] == TYPES[question.kind]
                assert tuple(record["program"]) == question.program
                assert record["question_subtype"] in record["program"]
                assert ("choices" in record) == bool(question.choices)
                answers = [own.get("answer") for own in record.get("choices", [record])]
                assert answers == [None if split == "test" else own.answer for own in question.choices or (question,)]
    assert sorted(seen) == data.indices()


def test_test_answers_are_in_a_submission(exported: Path) -> None:
    data = open_dataset(made())
    assert '"answer"' not in (exported / "questions" / "test.json").read_text()
    scenes = json.loads((exported / "questions" / "test_answers.json").read_text())
    found = [
        own["answer"] if "answer" in own else [choice["answer"] for choice in own["choices"]]
        for scene in scenes
        for own in scene["questions"]
    ]
    assert found == [
        [choice.answer for choice in question.choices] or question.answer
        for index in (
            row["old"] for row in json.loads((exported / "index_map.json").read_text()) if row["split"] == "test"
        )
        for question in data.questions[index].questions
    ]


def move_body(folder: Path) -> None:
    path = next(folder.glob("annotation_train/*/*.json"))
    path.write_text(path.read_text().replace('"location":[', '"location":[1', 1))


def change_mask(folder: Path) -> None:
    path = next(folder.glob("processed_proposals/*.json"))
    document = json.loads(path.read_text())
    first = document["frames"][60]["objects"]
    first[0]["color"], first[-1]["shape"] = "gray", "cube"
    first.pop()
    path.write_text(json.dumps(document))


def shift_numbers(folder: Path) -> None:
    path = folder / "questions" / "train.json"
    path.write_text(json.dumps(json.loads(path.read_text())[1:]))


def change_option(folder: Path) -> None:
    path = folder / "questions" / "train.json"
    path.write_text(path.read_text().replace('"answer":"wrong"', '"answer":"correct"', 1))


@pytest.mark.parametrize("damage", [move_body, change_mask, shift_numbers, change_option], ids=lambda own: own.__name__)
def test_a_wrong_export_is_noticed(damage: Callable[[Path], None], exported: Path, tmp_path: Path) -> None:
    folder = Path(copytree(exported, tmp_path / "copy"))
    damage(folder)
    with pytest.raises((AssertionError, FileNotFoundError, KeyError, ValueError)):
        check(folder)
