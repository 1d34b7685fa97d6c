"""Exports hold what the dataset holds: in the form of CLEVRER, and as tables with a card and Croissant metadata."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from generated_dataset import SETS, copied, made

from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.export.parquet import SCHEMAS, export
from tumble.comphy.dataset.layout import Layout, plan_sets
from tumble.comphy.dataset.load import open_dataset

TABLES = ("sets", "questions", "tracks")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    export(open_dataset(made()), folder)
    return folder


def test_tables_hold_every_set_question_and_track(exported: Path) -> None:
    data = open_dataset(made())
    tables = {name: pq.read_table(exported / f"{name}.parquet").to_pylist() for name in TABLES}
    assert [(row["scene_index"], row["split"]) for row in tables["sets"]] == [
        (r.index, r.split) for r in plan_sets(SETS)
    ]
    questions = [question for example in data.examples() for question in example.questions.questions]
    assert [row["question"] for row in tables["questions"]] == [question.text for question in questions]
    assert [tuple(row["program"]) for row in tables["questions"]] == [question.program for question in questions]
    assert [row["answer"] for row in tables["questions"]] == [question.answer for question in questions]
    answers = [[choice["answer"] for choice in row["choices"]] for row in tables["questions"]]
    assert answers == [[choice.answer for choice in question.choices] for question in questions]
    last = tables["tracks"][-1]
    example = data.example(last["scene_index"])
    assert (last["video"], last["object_index"]) == ("reference_3", example.members(3)[-1])
    np.testing.assert_array_equal(np.array(last["box"], np.float32), example.tracks(3)[:, -1])


def test_the_card_counts_sets_questions_and_options(exported: Path) -> None:
    text = (exported / "README.md").read_text()
    header, _, body = text.removeprefix("---\n").partition("---\n")
    assert "pretty_name:" in header
    assert all(f"data_files: {name}.parquet" in header for name in TABLES)
    splits = [row.split for row in plan_sets(SETS)]
    for split in set(splits):
        (line,) = [line for line in body.splitlines() if line.startswith(f"| {split} |") and line.count("|") == 7]
        counts = [int(cell) for cell in line.split("|")[2:-1]]
        assert sum(counts[:2]) == splits.count(split)
        questions = [own for example in open_dataset(made()).examples(split) for own in example.questions.questions]
        assert sum(counts[2:]) == len(questions)
    questions = pq.read_table(exported / "questions.parquet").to_pylist()
    with_four = [row for row in questions if len(row["choices"]) == 4 and row["kind"] == "counterfactual"]
    assert with_four
    (line,) = [line for line in body.splitlines() if line.startswith("| test | counterfactual |")]
    assert int(line.split("|")[-2]) == len(with_four)


def test_croissant_names_every_file_and_column(exported: Path) -> None:
    document = json.loads((exported / "croissant.json").read_text())
    assert document["@type"] == "sc:Dataset"
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {each["@id"]: each for each in document["distribution"]}
    assert set(files) == {f"{name}.parquet" for name in TABLES}
    for name, each in files.items():
        assert each["@type"] == "cr:FileObject"
        assert each["sha256"] == sha256((exported / name).read_bytes()).hexdigest()
    for records in document["recordSet"]:
        assert records["@type"] == "cr:RecordSet"
        columns = {own["source"]["extract"]["column"] for own in records["field"]}
        assert columns == set(SCHEMAS[records["@id"]].names)
        assert {own["source"]["fileObject"]["@id"] for own in records["field"]} == {f"{records['@id']}.parquet"}
        for own in records["field"]:
            assert own["@id"] == f"{records['@id']}/{own['name']}"
            assert ("dataType" in own) != ("subField" in own)
    terms = {key for key in _keys(document) if not key.startswith("@")}
    plain = {"name", "description", "keywords", "creator", "distribution", "sha256", "version"}
    assert terms - plain - {"contentUrl", "contentSize", "encodingFormat"} <= set(document["@context"])


def _keys(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_keys, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    return set(value) | set().union(*(_keys(own) for key, own in value.items() if key != "@context"))


def test_what_could_not_be_read_is_on_the_card(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    Layout(folder).annotation(3).unlink()
    export(open_dataset(folder), tmp_path / "out")
    assert "## Left out" in (tmp_path / "out" / "README.md").read_text()
    assert "set 00003" in (tmp_path / "out" / "README.md").read_text()
    assert len(pq.read_table(tmp_path / "out" / "sets.parquet")) == SETS - 1


def test_the_form_of_clevrer(tmp_path: Path) -> None:
    data = open_dataset(made())
    assert write_clevrer(data, tmp_path) == SETS
    example = next(data.examples("validation"))
    name = f"{example.index:05d}"
    path = tmp_path / "annotation_validation" / "annotation_00000-01000" / f"annotation_{name}.json"
    document = json.loads(path.read_text())
    assert document["video_filename"] == f"video_{name}.mp4"
    assert set(document["object_property"][0]) == {"object_id", "color", "material", "shape"}
    assert len(document["motion_trajectory"]) == 125
    frame = document["motion_trajectory"][124]
    assert frame["frame_id"] == 124
    np.testing.assert_array_equal(frame["objects"][0]["location"], example.videos.target.positions[124, 0])
    assert isinstance(frame["objects"][0]["inside_camera_view"], bool)
    shown = [collision for collision in example.videos.target.collisions if collision.step < 1250]
    assert [(each["frame_id"], each["object_ids"]) for each in document["collision"]] == [
        (collision.step // 10, list(collision.pair)) for collision in shown
    ]
    video = tmp_path / "video_validation" / "video_00000-01000" / f"video_{name}.mp4"
    assert video.read_bytes() == Layout(made()).video(example.index).read_bytes()


def test_questions_in_the_form_of_clevrer(tmp_path: Path) -> None:
    write_clevrer(open_dataset(made()), tmp_path)
    questions = [
        question
        for record in json.loads((tmp_path / "questions" / "train.json").read_text())
        for question in record["questions"]
    ]
    assert {question["question_type"] for question in questions} <= {"descriptive", "predictive", "counterfactual"}
    for question in questions:
        assert ("answer" in question) != ("choices" in question)
        assert question["question_subtype"] in question["program"]
    assert '"answer"' not in (tmp_path / "questions" / "test.json").read_text()
