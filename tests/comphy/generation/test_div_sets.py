"""Sets of the div world: what they hold, the rules of the data, and their files; datasets of it, and scores on them."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.comphy.catalogue.video_set import FAMILIES, FLOORS, LIGHTS, Family, VideoSet, draw_stage
from tumble.comphy.catalogue.world import DIV, PLAIN, TARGET_FRAMES
from tumble.comphy.dataset.annotations import read_set, write_set
from tumble.comphy.dataset.folder import Settings, SettingsError, read_settings
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, observe_videos
from tumble.comphy.dataset.tracks import ABSENT
from tumble.comphy.generation.generate import extend, generate
from tumble.comphy.generation.make_set import (
    DIFFERENT_MATERIALS,
    DIFFERENT_SHAPES,
    draw_bodies,
    make_set,
    missing_evidence,
)
from tumble.comphy.simulation.outcomes import has_unseen_contact
from tumble.comphy.simulation.simulator import InitialState, simulate
from tumble.draws import Draws
from tumble.runs.log import read

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
MODELS = "random,frequent,shown,simulation"
GOLDEN = {"comphy-div-1": "b87e52543ebe1c11"}
"""Digest of the files of a set, by physics."""


@cache
def made(family: Family = "mass", index: int = 7) -> VideoSet:
    return make_set(index, family, 1, DIV.name)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sets of the div world, one of each split, without videos."""
    folder = tmp_path_factory.mktemp("div") / "data"
    generate(folder, 3, 1, video=False, workers=1, world=DIV.name)
    return folder


@pytest.mark.parametrize("family", FAMILIES)
def test_bodies_are_everyday_objects_some_of_which_are_alike(family: Family) -> None:
    draws, forms = Draws(f"div {family}"), set()
    for _ in range(50):
        bodies = draw_bodies(draws, family, DIV)
        assert len({body.appearance for body in bodies}) == len(bodies)
        assert len({body.shape for body in bodies}) <= DIFFERENT_SHAPES
        assert len({body.material for body in bodies}) <= DIFFERENT_MATERIALS
        assert sum(body.is_heavy for body in bodies) == (family != "charge")
        assert sum(body.is_charged for body in bodies) == 2 * (family != "mass")
        assert {body.world for body in bodies} == {DIV}
        forms |= {body.form for body in bodies}
    assert len(forms) > 50


def test_all_floors_and_lights_occur() -> None:
    stages = [draw_stage(Draws(f"stage {k}")) for k in range(300)]
    assert {stage.floor for stage in stages} == set(FLOORS)
    assert {stage.light for stage in stages} == set(LIGHTS)


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_a_set_shows_what_is_asked_about(family: Family) -> None:
    videos = made(family)
    assert missing_evidence(videos.bodies, videos.target, videos.references) is None
    assert not has_unseen_contact(videos.target)
    assert videos.stage is not None
    again = simulate(videos.bodies, InitialState.from_motion(videos.target, 0), TARGET_FRAMES)
    np.testing.assert_array_equal(again.positions, videos.target.positions)
    assert again.collisions == videos.target.collisions


def test_a_set_keeps_its_bytes_and_is_read_as_it_was_written(tmp_path: Path) -> None:
    videos = made()
    sums = write_set(tmp_path, videos)
    digest = sha256("".join(sums[path] for path in sorted(sums)).encode()).hexdigest()[:16]
    assert digest == GOLDEN[DIV.physics]
    stored = read_set(tmp_path, videos.index)
    assert not stored.missing
    assert stored.videos.bodies == videos.bodies
    assert stored.videos.stage == videos.stage
    assert stored.videos.undetermined == videos.undetermined
    np.testing.assert_array_equal(stored.videos.target.positions, videos.target.positions)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda own: own["stage"].update(floor="lava"), "stage: no floor 'lava'"),
        (lambda own: own.update(stage=[]), "stage: must be an object"),
        (lambda own: own["object_property"][0].update(form=-1), "no form -1 of a"),
        (lambda own: own["object_property"][0].update(form="a"), "form must be an integer"),
        (lambda own: own["object_property"][0].update(shape="cube", material="metal", form=0), "different worlds"),
    ],
)
def test_faulty_files_are_named(tmp_path: Path, change: object, message: str) -> None:
    write_set(tmp_path, made())
    path = Layout(tmp_path).annotation(7)
    document = json.loads(path.read_text())
    change(document)  # type: ignore[operator]
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=message):
        read_set(tmp_path, 7)


def test_forms_can_be_seen_and_masses_cannot() -> None:
    videos = made("charge")
    seen = observe_videos(videos)
    assert seen.forms == tuple(body.form for body in videos.bodies)
    assert [body.appearance for body in seen.bodies] == [body.appearance for body in videos.bodies]
    assert not any(body.is_charged for body in seen.bodies)


def test_boxes_are_those_of_the_objects() -> None:
    """Objects in view have boxes, taller ones higher ones."""
    videos = made()
    boxes = observe_videos(videos).target.boxes
    in_view = videos.target.in_view[: len(boxes)]
    assert (boxes[in_view] != ABSENT).all()
    assert 0.03 < np.median(boxes[in_view][:, 3]) < 0.4


def test_a_dataset_says_its_world(data: Path) -> None:
    dataset = open_dataset(data)
    assert dataset.world is DIV
    assert dataset.physics_id == DIV.physics
    assert read_settings(data).world == "div"
    assert observe_stored(dataset, 0).bodies[0].world is DIV
    assert all(example.videos.stage is not None for example in dataset.examples())
    assert not dataset.faults


def test_files_of_the_plain_world_do_not_name_it(tmp_path: Path) -> None:
    write_set(tmp_path, make_set(7, "mass", 1))
    document = json.loads(Layout(tmp_path).annotation(7).read_text())
    assert not {"world", "stage"} & set(document)
    assert "form" not in document["object_property"][0]
    assert Settings(1, 1, None).world == PLAIN.name


def test_questions_have_two_options_of_which_one_is_correct(data: Path) -> None:
    questions = [question for own in open_dataset(data).questions.values() for question in own.questions]
    multiple = [question for question in questions if question.choices]
    assert multiple
    for question in multiple:
        assert sorted(choice.answer or "" for choice in question.choices) == ["correct", "wrong"]


def test_extending_gives_the_same_bytes_and_keeps_the_world(data: Path, tmp_path: Path) -> None:
    generate(tmp_path / "data", 2, 1, video=False, workers=1, world=DIV.name)
    extend(tmp_path / "data", 3, workers=1)
    assert (tmp_path / "data" / "SHA256SUMS").read_bytes() == (data / "SHA256SUMS").read_bytes()


def test_unknown_worlds_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no world 'moon'; there are plain, div"):
        generate(tmp_path / "data", 1, 1, video=False, world="moon")


def test_models_without_pictures_score_on_it(data: Path, tmp_path: Path) -> None:
    arguments = ["comphy", "evaluate", str(data), "--agent", MODELS, "--runs", str(tmp_path), "--workers", "1"]
    done = runner.invoke(app, arguments)
    assert done.exit_code == 0, done.output
    logs = [read(path) for path in tmp_path.glob("*.jsonl.gz")]
    assert len(logs) == 4
    assert {log.header.physics for log in logs} == {DIV.physics}


def test_a_set_can_be_shown_and_asked_about(data: Path) -> None:
    shown = runner.invoke(app, ["comphy", "show", "0", "--data", str(data)])
    assert shown.exit_code == 0, shown.output
    body = open_dataset(data).example(0).videos.bodies[0]
    assert str(body) in shown.stdout
    noun = {"trophy": "trophies", "hourglass": "hourglasses"}.get(body.shape, f"{body.shape}s")
    asked = runner.invoke(app, ["comphy", "ask", "0", f"How many heavy {noun} are there?", "--data", str(data)])
    assert asked.exit_code == 0, asked.output
    assert f"objects {body.shape} filter_shape filter_heavy count" in asked.stdout
