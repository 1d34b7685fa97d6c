"""The dataset card, its picture and the Croissant metadata describe the export."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from export_readers.table_reader import read_parquet
from few_sets import few_sets
from generated_dataset import made
from PIL import Image

from tumble.comphy.dataset.export.parquet import write_huggingface, write_parquet
from tumble.comphy.dataset.export.tables import SCHEMAS
from tumble.comphy.dataset.load import open_dataset


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    write_parquet(open_dataset(made()), folder)
    return folder


def test_the_card_counts_sets_questions_and_options(exported: Path) -> None:
    data = open_dataset(made())
    header, _, body = (exported / "README.md").read_text().removeprefix("---\n").partition("---\n")
    assert "pretty_name:" in header
    assert "license: mit" in header
    for split in set(data.splits.values()):
        (line,) = [line for line in body.splitlines() if line.startswith(f"| {split} |") and line.count("|") == 7]
        counts = [int(cell) for cell in line.split("|")[2:-1]]
        assert sum(counts[:2]) == len(data.indices(split))
        assert sum(counts[2:]) == sum(len(data.questions[index].questions) for index in data.indices(split))
    questions = read_parquet(exported, "questions")
    counts_by_options = Counter(
        len(row["choices"]) for row in questions if row["kind"] == "counterfactual" and row["split"] == "test"
    )
    assert counts_by_options
    (line,) = [line for line in body.splitlines() if line.startswith("| test | counterfactual |")]
    (head,) = [line for line in body.splitlines() if line.startswith("| split | kind |")]
    columns = [cell.strip() for cell in head.split("|")]
    for options, count in counts_by_options.items():
        assert int(line.split("|")[columns.index(f"with {options} options")]) == count


def test_the_card_says_how_the_data_was_made_and_where_test_answers_are(exported: Path) -> None:
    text = (exported / "README.md").read_text()
    data = open_dataset(made())
    assert f"with seed 1 and the physics {data.physics_id}" in text
    assert "`test_answers.parquet`" in text
    assert "never inputs" in text
    assert "Licence: MIT" in text


def test_the_sample_is_not_of_the_test_split(exported: Path) -> None:
    data = open_dataset(made())
    text = (exported / "README.md").read_text()
    example = next(example for example in data.examples() if example.split != "test")
    assert f"Set {example.index:05d} of the split {example.split}:" in text
    question = example.questions.questions[0]
    assert f"**{question.text}** {question.answer} (factual)" in text
    for choice in next(own for own in example.questions.questions if own.choices).choices:
        assert f"- {choice.text}: {choice.answer}" in text


def test_the_picture_shows_frames_of_all_videos(exported: Path) -> None:
    example = next(example for example in open_dataset(made()).examples() if example.split != "test")
    with Image.open(exported / "sample.png") as picture:
        pixels = np.asarray(picture).astype(int)
    height = len(pixels) // 5
    for row, video in enumerate(("target", 0, 1, 2, 3)):
        frame = Image.fromarray(example.frames(video)[0]).resize((200, 133), Image.Resampling.LANCZOS)  # type: ignore[arg-type]
        shown = pixels[row * height + 18 : row * height + 18 + 133, :200]
        assert np.abs(shown - np.asarray(frame)).mean() < 1


def test_without_videos_there_is_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = few_sets()
    monkeypatch.setattr(type(data), "has_videos", False)
    write_huggingface(data, tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "![" not in text
    assert "mass (hidden)" in text
    assert not (tmp_path / "sample.png").exists()
    assert not (tmp_path / "data" / "videos").exists()
    assert "videos" not in text.partition("\n---\n")[0]


def test_croissant_names_every_file_and_column(exported: Path) -> None:
    document = json.loads((exported / "croissant.json").read_text())
    assert document["@type"] == "sc:Dataset"
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {each["@id"]: each for each in document["distribution"]}
    assert set(files) == {f"{name}.parquet" for name in SCHEMAS}
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


@pytest.mark.parametrize("name", ["parquet", "huggingface"])
@pytest.mark.filterwarnings("ignore")
def test_mlcroissant_validates_and_loads_records(name: str, exported: Path, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    if name == "huggingface":
        write_huggingface(few_sets(), tmp_path)
        exported = tmp_path
    dataset = mlcroissant.Dataset(jsonld=str(exported / "croissant.json"))  # an error if it is not valid
    document = json.loads((exported / "croissant.json").read_text())
    data = open_dataset(made()) if name == "parquet" else few_sets()
    questions = 0
    for records in document["recordSet"]:
        loaded = list(dataset.records(record_set=records["@id"]))
        assert loaded or records["@id"].startswith("test_answers")
        assert set(loaded[0]) == {own["@id"] for own in records["field"]}
        if records["@id"].partition("/")[0] == "questions":
            questions += len(loaded)
            texts = [row[f"{records['@id']}/question"].decode() for row in loaded]
            assert set(texts) <= {own.text for each in data.questions.values() for own in each.questions}
    assert questions == sum(len(data.questions[index].questions) for index in data.indices())
