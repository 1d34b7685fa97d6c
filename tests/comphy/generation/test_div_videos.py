"""Datasets of the div world with videos: files as those of the plain world, whatever interrupts their generation."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from generated_dataset import DIV_SETS, SEED, SIZE, contents, made, made_div
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.comphy.catalogue.world import DIV
from tumble.comphy.dataset.folder import part_sums, verify
from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation.generate import extend, generate
from tumble.comphy.observation.video import read_masks, read_video

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
TIMEOUT = 120.0


def kinds_of(root: Path, sets: int) -> set[str]:
    """The names of the files of a dataset, without numbers above those of the first sets."""
    return {
        path.relative_to(root).as_posix()
        for index in range(sets)
        for path in (*Layout(root).files_of(index, True), *Layout(root).question_files())
    }


def test_every_set_has_the_files_of_the_plain_world() -> None:
    layout = Layout(made_div())
    assert kinds_of(made_div(), DIV_SETS) == kinds_of(made(), DIV_SETS)
    assert all((made_div() / name).is_file() for name in kinds_of(made_div(), DIV_SETS))
    assert not verify(made_div())
    for example in open_dataset(made_div()).examples():
        for which in VIDEOS:
            frames = 125 if which == "target" else 50
            pictures, masks = (
                read_video(layout.video(example.index, which)),
                read_masks(layout.masks(example.index, which)),
            )
            assert pictures.shape == (frames, SIZE[1], SIZE[0], 3)
            assert masks.shape == pictures.shape[:3]
            assert set(np.unique(masks)) <= set(range(len(example.members(which)) + 1))
            assert masks.any()


def test_each_set_is_on_its_stage() -> None:
    """The first frames of a set's videos show the same floor where no object is; those of two sets don't."""
    floors = []
    for example in open_dataset(made_div()).examples():
        pictures = [example.frames(which)[0].astype(float) for which in VIDEOS]
        empty = np.all([example.masks(which)[0] == 0 for which in VIDEOS], axis=0)
        floors.append(pictures[0])
        for other in pictures[1:]:
            assert np.median(np.abs(other - pictures[0])[empty]) < 4.0
    assert np.abs(floors[0] - floors[1]).mean() > 10.0


def test_damaged_files_are_generated_again(tmp_path: Path) -> None:
    folder = Path(copytree(made_div(), tmp_path / "data"))
    Layout(folder).video(2).unlink()
    generate(folder, DIV_SETS, SEED, SIZE, workers=1, world=DIV.name)
    assert contents(folder) == contents(made_div())


@pytest.mark.slow
def test_two_workers_extending_make_the_same_bytes(tmp_path: Path) -> None:
    generate(tmp_path / "data", 1, SEED, SIZE, workers=2, world=DIV.name)
    extend(tmp_path / "data", DIV_SETS, workers=2)
    assert contents(tmp_path / "data") == contents(made_div())


@pytest.mark.slow
def test_a_run_that_is_killed_ends_with_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    how = f"{str(folder)!r}, {DIV_SETS}, {SEED}, {SIZE}, workers=2, world='div'"
    call = f"from tumble.comphy.generation.generate import generate; generate({how})"
    process = subprocess.Popen([sys.executable, "-c", call], start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + TIMEOUT
        while not any(name.startswith("altered") for name in part_sums(folder / "parts")):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert verify(folder)
    generate(folder, DIV_SETS, SEED, SIZE, workers=2, world=DIV.name)
    assert contents(folder) == contents(made_div())


@pytest.mark.parametrize("arguments", [["0", "--data", "DATA"], ["0", "--world", "div", "--size", "48x32"]])
def test_a_set_is_shown_with_its_videos(arguments: list[str], tmp_path: Path) -> None:
    named = [str(made_div()) if word == "DATA" else word for word in arguments]
    shown = runner.invoke(app, ["comphy", "show", *named, "-o", str(tmp_path / "set.html")])
    assert shown.exit_code == 0, shown.output
    page = (tmp_path / "set.html").read_text()
    assert page.count('<video src="data:video/mp4;base64,') == 5
    stage = open_dataset(made_div()).example(0).videos.stage
    assert stage is not None
    assert f"The floor is {stage.floor}" in page
