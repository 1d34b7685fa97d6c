"""A dataset depends on its seed alone: not on the number of workers, and not on interruptions."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from generated_dataset import SEED, SETS, SIZE, contents, copied, made

from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.folder import SettingsError, part_sums, verify
from tumble.comphy.dataset.layout import SPLITS, VIDEOS, Layout, plan_sets
from tumble.comphy.dataset.question_files import read_questions_strict, read_submission, with_answers
from tumble.comphy.generation import jobs
from tumble.comphy.generation.generate import GenerationError, generate
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.video import read_masks, read_video
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.errors import TumbleError

TIMEOUT = 60.0


def test_every_set_has_five_videos_with_masks_boxes_and_annotations() -> None:
    layout = Layout(made())
    for index in range(SETS):
        for which in VIDEOS:
            frames = 125 if which == "target" else 50
            assert read_video(layout.video(index, which)).shape == (frames, SIZE[1], SIZE[0], 3)
            masks = read_masks(layout.masks(index, which))
            boxes = np.load(layout.tracks(index, which))
            assert masks.shape == (frames, SIZE[1], SIZE[0])
            assert boxes.shape[::2] == (frames, 4)
            assert masks.max() <= boxes.shape[1]
    assert sorted(path.name for path in made().iterdir() if path.is_file()) == ["SHA256SUMS", "dataset.json"]


def test_stored_sets_have_the_events_of_generated_ones() -> None:
    for row in plan_sets(SETS):
        stored = read_set(made(), row.index)
        assert not stored.missing
        stored_scene, true_scene = symbolic_scene(stored.videos), symbolic_scene(make_set(row.index, seed=SEED))
        assert stored_scene.bodies == true_scene.bodies
        for name in ("shown_events", "future_events", "altered_events"):
            assert getattr(stored_scene, name) == getattr(true_scene, name)


def test_test_questions_come_without_answers_and_with_a_key() -> None:
    layout = Layout(made())
    questions = {split: read_questions_strict(layout.questions(split)) for split in SPLITS}
    assert sorted(own.index for sets in questions.values() for own in sets) == list(range(SETS))
    assert '"answer"' not in layout.questions("test").read_text()
    for own in with_answers(questions["test"], read_submission(layout.answers())):
        for question in own.questions:
            assert question.answer or all(choice.answer in ("correct", "wrong") for choice in question.choices)


@pytest.mark.slow
def test_two_workers_make_the_same_bytes_as_one(tmp_path: Path) -> None:
    generate(tmp_path / "two", SETS, SEED, SIZE, workers=2)
    assert contents(tmp_path / "two") == contents(made())


@pytest.mark.slow
@pytest.mark.parametrize("kills", [(2,), (1, 3, 4)])
def test_a_run_of_two_workers_that_is_killed_ends_with_the_bytes_of_one(tmp_path: Path, kills: tuple[int, ...]) -> None:
    folder = tmp_path / "killed"
    for enough in kills:
        _kill_when(folder, enough)
        assert {"not generated yet", "not finished yet"} & {fault.what for fault in verify(folder)}
    videos = [folder / name for name in part_sums(folder / "parts") if name.endswith(".mp4")]
    assert videos
    written = [path.stat().st_mtime_ns for path in videos]
    generate(folder, SETS, SEED, SIZE, workers=2)
    assert contents(folder) == contents(made())
    assert [path.stat().st_mtime_ns for path in videos] == written  # finished sets were not generated again


def _kill_when(folder: Path, finished: int) -> None:
    """Starts generating with two workers, and kills all three processes when this many sets are finished."""
    how = f"{str(folder)!r}, {SETS}, {SEED}, {SIZE}, workers=2"
    call = f"from tumble.comphy.generation.generate import generate; generate({how})"
    process = subprocess.Popen([sys.executable, "-c", call], start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + TIMEOUT
        while sum(name.startswith("altered") for name in part_sums(folder / "parts")) < finished:
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_resuming_a_finished_dataset_changes_nothing(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    generate(folder, SETS, SEED, SIZE, workers=1)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before


def test_damaged_and_missing_files_are_generated_again(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    layout.video(2).unlink()
    layout.annotation(4, 1).write_text("{}")
    layout.questions("train").unlink()
    generate(folder, SETS, SEED, SIZE, workers=1)
    assert contents(folder) == contents(made())


@pytest.mark.parametrize(
    ("sets", "seed", "video", "message"),
    [
        (7, SEED, True, "was started with sets 6, not 7"),
        (SETS, 2, True, "was started with seed 1, not 2"),
        (SETS, SEED, False, r"was started with size \[48, 32\], not null"),
    ],
)
def test_a_folder_with_other_settings_is_refused(
    tmp_path: Path, sets: int, seed: int, video: bool, message: str
) -> None:
    folder = copied(tmp_path)
    with pytest.raises(SettingsError, match=message):
        generate(folder, sets, seed, SIZE, video=video)
    assert contents(folder) == contents(made())


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(SettingsError, match=r"holds thesis\.tex but no dataset\.json"):
        generate(tmp_path, SETS, SEED, SIZE)


def test_a_kill_while_the_settings_are_written_leaves_a_folder_that_can_be_used(tmp_path: Path) -> None:
    (tmp_path / f".{'0' * 32}.json").write_text('{"format": ')
    generate(tmp_path, 1, SEED, video=False, workers=1)
    assert verify(tmp_path) == []
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()]


@pytest.mark.parametrize(
    ("sets", "size", "message"),
    [
        (0, SIZE, "sets must be a whole number"),
        (10**12, SIZE, "sets must be a whole number from 1 to 1000000"),
        (3, (47, 32), "width must be an even"),
    ],
)
def test_impossible_settings_are_refused(tmp_path: Path, sets: int, size: tuple[int, int], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        generate(tmp_path / "x", sets, SEED, size)
    assert not (tmp_path / "x").exists()


def test_an_unknown_renderer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no renderer 'blender'; there are analytic, mitsuba"):
        generate(tmp_path / "x", SETS, SEED, SIZE, renderer="blender")
    assert not (tmp_path / "x").exists()


def test_an_unknown_device_is_refused_before_anything_is_simulated(tmp_path: Path) -> None:
    with pytest.raises(TumbleError, match="there is no device 'tpu'; this machine has: cpu"):
        generate(tmp_path / "x", SETS, SEED, SIZE, device="tpu")
    assert not (tmp_path / "x").exists()


def test_a_million_sets_are_planned_as_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generation is stopped at the third set; nothing of the rest has been looked at."""
    asked: list[int] = []

    def stopping(index: int, family: Family, seed: int, world: str) -> VideoSet:
        asked.append(index)
        if index == 2:
            raise KeyboardInterrupt
        raise TumbleError("no set")

    monkeypatch.setattr(jobs, "make_set", stopping)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "x", 1_000_000, SEED, video=False, workers=1)
    assert asked == [0, 1, 2]
    assert time.monotonic() - start < 10.0


def test_generation_ends_after_many_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(index: int, family: Family, seed: int, world: str) -> VideoSet:
        raise TumbleError("no space")

    monkeypatch.setattr(jobs, "make_set", failing)
    with pytest.raises(GenerationError, match=r"set 00000: no space; .*; 45 more; the rest is kept"):
        generate(tmp_path / "x", 1_000_000, SEED, video=False, workers=1)


def test_without_video_annotations_and_questions_are_the_same(tmp_path: Path) -> None:
    generate(tmp_path / "plain", SETS, SEED, video=False, workers=1)
    plain, whole = contents(tmp_path / "plain"), contents(made())
    differing = {"dataset.json", "SHA256SUMS"}
    assert {name for name in plain if plain[name] != whole[name]} == differing
    assert not [name for name in plain if name.endswith((".mp4", ".npy", ".npz"))]
    assert verify(tmp_path / "plain") == []


def test_failed_sets_are_named_and_the_rest_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = jobs.make_set

    def failing(index: int, family: Family, seed: int, world: str) -> VideoSet:
        if index == 1:
            raise TumbleError("no luck")
        return real(index, family, seed, world)

    monkeypatch.setattr(jobs, "make_set", failing)
    with pytest.raises(GenerationError, match="set 00001: no luck; the rest is kept"):
        generate(tmp_path / "x", 3, SEED, video=False, workers=1)
    assert [fault.where for fault in verify(tmp_path / "x")][:1] == ["set 00001"]
    monkeypatch.undo()
    generate(tmp_path / "x", 3, SEED, video=False, workers=1)
    assert verify(tmp_path / "x") == []


def test_a_second_process_is_kept_out(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    with (folder / "dataset.json").open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(SettingsError, match="is being generated by another process"):
            generate(folder, SETS, SEED, SIZE)


@pytest.mark.parametrize("options", [2, 4])
def test_questions_have_as_many_options_as_asked_for(tmp_path: Path, options: int) -> None:
    generate(tmp_path / "x", 3, SEED, video=False, split="validation", family="mass", options=options, workers=1)
    sets = read_questions_strict(Layout(tmp_path / "x").questions("validation"))
    found = {len(question.choices) for own in sets for question in own.questions if question.kind == "counterfactual"}
    assert max(found) == options


@pytest.mark.slow
def test_a_cluster_makes_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    generate(tmp_path / "x", SETS, SEED, SIZE, executor="ray")
    assert contents(tmp_path / "x") == contents(made())
