"""Tables hold every set, question and track; test answers and hidden properties are in tables of labels."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from export_readers.table_reader import configurations, read_huggingface, read_parquet
from generated_dataset import SETS, copied, made, made_div

from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.catalogue.world import WORLDS
from tumble.comphy.dataset.export.parquet import write_huggingface, write_parquet
from tumble.comphy.dataset.export.tables import INPUTS, LABELS, SCHEMAS, schemas_of
from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import Dataset, open_dataset

Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parquet")
    write_parquet(open_dataset(made()), folder)
    return folder


@pytest.fixture(scope="module")
def huggingface(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("huggingface")
    write_huggingface(open_dataset(made()), folder)
    return folder


def tables_of(folder: Path) -> Tables:
    """All tables, with rows in the order of sets."""
    if (folder / "sets.parquet").exists():
        return {table: read_parquet(folder, table) for table in SCHEMAS}
    tables = {}
    for table in SCHEMAS:
        by_split = read_huggingface(folder, table)
        assert all(row["split"] == split for split, rows in by_split.items() for row in rows)
        rows = [row for rows in by_split.values() for row in rows]
        tables[table] = sorted(rows, key=lambda row: row["scene_index"])
    return tables


def check(tables: Tables, root: Path | None = None) -> None:
    data = open_dataset(root or made())
    examples = list(data.examples())
    assert [(row["scene_index"], row["split"]) for row in tables["sets"]] == list(data.splits.items())
    assert [(row["scene_index"], row["split"]) for row in tables["labels"]] == list(data.splits.items())
    for example, row, label in zip(examples, tables["sets"], tables["labels"], strict=True):
        looks = [(own["color"], own["material"], own["shape"]) for own in row["objects"]]
        assert looks == [body.appearance for body in example.videos.bodies]
        assert [tuple(own) for own in row["reference_members"]] == [own.members for own in example.videos.references]
        assert label["mass"] == [body.mass for body in example.videos.bodies]
        assert label["charge"] == [body.charge for body in example.videos.bodies]
        assert label["property_family"] == example.videos.family
        assert [(own["frame"], own["first"], own["second"]) for own in label["collisions"]] == [
            (own.step // 10, *own.pair) for own in example.videos.target.collisions
        ]
    asked = [(example, question) for example in examples for question in example.questions.questions]
    for (example, question), row in zip(asked, tables["questions"], strict=True):
        is_test = example.split == "test"
        assert (row["scene_index"], row["question_id"], row["kind"]) == (example.index, question.id, question.kind)
        assert (row["question"], tuple(row["program"])) == (question.text, question.program)
        assert row["answer"] == (None if is_test else question.answer)
        assert [(own["choice"], tuple(own["program"]), own["answer"]) for own in row["choices"]] == [
            (own.text, own.program, None if is_test else own.answer) for own in question.choices
        ]
    tested = [question for example, question in asked if example.split == "test"]
    assert tested
    for question, row in zip(tested, tables["test_answers"], strict=True):
        assert (row["question_id"], row["answer"]) == (question.id, question.answer)
        assert [own["answer"] for own in row["choices"]] == [own.answer for own in question.choices]
    shown = [
        (example, video, k) for example in examples for video in VIDEOS for k in range(len(example.members(video)))
    ]
    for (example, video, k), track, motion in zip(shown, tables["tracks"], tables["motion"], strict=True):
        name = "target" if video == "target" else f"reference_{video}"
        for row in (track, motion):
            assert (row["scene_index"], row["video"]) == (example.index, name)
            assert row["object_index"] == example.members(video)[k]
        np.testing.assert_array_equal(np.array(track["box"], np.float32), example.tracks(video)[:, k])
        true = example.videos.target if video == "target" else example.videos.references[video].motion
        np.testing.assert_array_equal(np.array(motion["location"]), true.positions[:, k].astype(np.float32))


@pytest.mark.parametrize("name", ["parquet", "huggingface"])
def test_tables_hold_what_the_dataset_holds(name: str, request: pytest.FixtureRequest) -> None:
    check(tables_of(request.getfixturevalue(name)))


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_parquet, write_huggingface])
def test_tables_hold_what_a_div_dataset_holds(write: Callable[[Dataset, Path], None], tmp_path: Path) -> None:
    data = open_dataset(made_div())
    write(data, tmp_path)
    tables = tables_of(tmp_path)
    check(tables, made_div())
    for example, row, label in zip(data.examples(), tables["sets"], tables["labels"], strict=True):
        assert row["forms"] == [body.form for body in example.videos.bodies]
        assert Stage(row["floor"], row["light"], label["stage_seed"]) == example.videos.stage
    assert "everyday objects" in (tmp_path / "README.md").read_text()
    assert "stage_seed" in (tmp_path / "croissant.json").read_text()


@pytest.mark.parametrize(("table", "column"), [("questions", "answer"), ("labels", "mass"), ("tracks", "box")])
def test_a_wrong_table_is_noticed(table: str, column: str, parquet: Path) -> None:
    tables = tables_of(parquet)
    check(tables)
    first = next(k for k, row in enumerate(tables[table]) if row[column])
    second = next(k for k, row in enumerate(tables[table]) if row[column] not in (None, tables[table][first][column]))
    tables[table][first][column] = tables[table][second][column]
    with pytest.raises(AssertionError):
        check(tables)


def test_inputs_have_nothing_hidden() -> None:
    assert set(INPUTS) | set(LABELS) == set(SCHEMAS)
    names = " ".join(f"{schemas_of(world)[table]}" for table in INPUTS for world in WORLDS.values())
    assert not any(hidden in names for hidden in ("mass", "charge", "collision", "seed", "property_family", "location"))


def test_videos_are_in_the_folder_for_hugging_face(huggingface: Path) -> None:
    rows = [row for rows in read_huggingface(huggingface, "videos").values() for row in rows]
    assert len(rows) == SETS * 5
    for row in rows:
        video = "target" if row["name"] == "target" else int(row["name"][-1])
        path = Layout(made()).video(row["scene_index"], video)
        assert row["video"] == {"bytes": path.read_bytes(), "path": path.name}


def test_many_videos_are_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tumble.comphy.dataset.export.parquet.PART_SIZE", 1)
    write_huggingface(open_dataset(made()), tmp_path)
    sets = open_dataset(made()).indices("train")
    assert len(list((tmp_path / "data/videos").glob("train-*-of-*.parquet"))) == len(sets)
    assert len(read_huggingface(tmp_path, "videos")["train"]) == 5 * len(sets)


def test_a_missing_part_is_noticed(huggingface: Path, tmp_path: Path) -> None:
    folder = Path(copytree(huggingface, tmp_path / "copy"))
    next((folder / "data" / "tracks").glob("test-*.parquet")).unlink()
    with pytest.raises(AssertionError):
        tables_of(folder)


def test_what_could_not_be_read_is_on_the_card(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    Layout(folder).annotation(3).unlink()
    Layout(folder).tracks(1, 2).write_bytes(b"damaged")
    data = open_dataset(folder)
    write_parquet(data, tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "## Left out" in text
    assert "set 00003" in text
    assert "set 00001" in text
    assert len(read_parquet(tmp_path / "out", "sets")) == SETS - 2


def test_hugging_face_loads_every_table(huggingface: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    for table, paths in configurations(huggingface).items():
        loaded = datasets.load_dataset(str(huggingface), table, cache_dir=str(tmp_path))
        assert set(loaded) == set(paths)
        for split, rows in read_huggingface(huggingface, table).items():
            assert len(loaded[split]) == len(rows)
    questions = datasets.load_dataset(str(huggingface), cache_dir=str(tmp_path))
    assert questions["train"][0]["question"] == read_huggingface(huggingface, "questions")["train"][0]["question"]
    videos = datasets.load_dataset(str(huggingface), "videos", split="train", cache_dir=str(tmp_path))
    assert isinstance(videos.features["video"], datasets.Video)
