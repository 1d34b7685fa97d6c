"""A dataset that is extended has the bytes of one generated at once, even if it is killed meanwhile."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from generated_dataset import contents

from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.dataset.folder import SettingsError, read_settings, verify
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation import jobs
from tumble.comphy.generation.generate import GenerationError, extend, generate

FEW, MANY, SEED = 6, 12, 1
TIMEOUT = 120.0


@pytest.fixture(scope="module", autouse=True)
def _sets_are_simulated_once() -> Iterator[None]:
    """What is generated in this process; processes that are started generate theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "make_set", cache(jobs.make_set))
        yield


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six sets without videos; not to be changed."""
    folder = tmp_path_factory.mktemp("extend") / "few"
    generate(folder, FEW, SEED, video=False, workers=1)
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve sets, generated at once; not to be changed."""
    folder = tmp_path_factory.mktemp("extend") / "many"
    generate(folder, MANY, SEED, video=False, workers=1)
    return folder


def copy(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target / "data"))


def test_an_extended_dataset_has_the_bytes_of_one_generated_at_once(few: Path, many: Path, tmp_path: Path) -> None:
    folder = copy(few, tmp_path)
    annotations = [path for path in folder.rglob("*") if path.is_file() and "annotation" in path.parts[-3]]
    written = {path: path.stat().st_mtime_ns for path in annotations}
    extend(folder, MANY, workers=1)
    assert contents(folder) == contents(many)
    assert {path: path.stat().st_mtime_ns for path in annotations} == written  # not generated again


def test_extending_to_the_same_number_changes_nothing(few: Path, tmp_path: Path) -> None:
    folder = copy(few, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    extend(folder, FEW, workers=1)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before


def test_a_failed_extension_is_unfinished_and_keeps_the_old_sets(
    few: Path, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy(few, tmp_path)
    old = open_dataset(few)

    def failing(index: int, family: Family, seed: int, world: str) -> VideoSet:
        raise SettingsError("no more sets")

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "make_set", failing)
        with pytest.raises(GenerationError, match="set 00006: no more sets; set 00007"):
            extend(folder, MANY, workers=1)
    data = open_dataset(folder)
    assert not data.is_finished
    assert data.generated_sets() == FEW
    assert data.questions == old.questions
    assert [example.index for example in data.examples()] == list(range(FEW))
    faults = {fault.where: fault.what for fault in verify(folder)}
    assert faults["set 00006"] == "not generated yet"
    assert faults["questions/train.json"] == "not finished yet"
    assert len(faults) == MANY - FEW + 4
    with pytest.raises(SettingsError, match="was started with sets 12, not 6; extend the dataset to add sets"):
        generate(folder, FEW, SEED, video=False, workers=1)
    generate(folder, MANY, SEED, video=False, workers=1)  # resumes it as well
    assert contents(folder) == contents(many)


def test_an_unfinished_dataset_can_be_extended(few: Path, many: Path, tmp_path: Path) -> None:
    folder = copy(few, tmp_path)
    layout = Layout(folder)
    layout.parts.mkdir()
    layout.sums.rename(layout.parts / "sets.sha256")
    shutil.rmtree(folder / "questions")
    with (layout.parts / "sets.sha256").open("a") as stream:
        stream.write("0123456789abc")  # killed while a line was written
    extend(folder, MANY, workers=1)
    assert contents(folder) == contents(many)


@pytest.mark.parametrize("size", [1, 2])
def test_blocks_that_do_not_change_are_not_asked_again(
    size: int, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With blocks of one or two sets, the first six sets have four train sets, a test set and a validation set."""
    for module in ("questions.ask", "generation.jobs", "generation.generate"):
        monkeypatch.setattr(f"tumble.comphy.{module}.BLOCK_SIZE", size)
    asked: list[int] = []
    real = jobs.ask_block

    def counting(scenes: dict[int, object], *rest: object) -> object:
        asked.extend(scenes)
        return real(scenes, *rest)  # type: ignore[arg-type]

    folder = tmp_path / "data"
    generate(folder, FEW, SEED, video=False, workers=1)
    monkeypatch.setattr(jobs, "ask_block", counting)
    extend(folder, 8, workers=1)
    assert sorted(asked) == ([6, 7] if size == 1 else [1, 6, 7])
    monkeypatch.setattr(jobs, "ask_block", real)
    generate(tmp_path / "at-once", 8, SEED, video=False, workers=1)
    assert contents(folder) == contents(tmp_path / "at-once")


def test_a_damaged_annotation_is_not_asked_about(few: Path, many: Path, tmp_path: Path) -> None:
    folder = copy(few, tmp_path)
    path = Layout(folder).annotation(3)
    times = path.stat()
    path.write_bytes(path.read_bytes()[:-100])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # damage that no time shows
    with pytest.raises(GenerationError, match=r"00003\.json: damaged: its checksum differs; it was removed"):
        extend(folder, MANY, workers=1)
    extend(folder, MANY, workers=1)
    assert contents(folder) == contents(many)


def test_fewer_sets_and_other_physics_are_refused(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copy(few, tmp_path)
    with pytest.raises(SettingsError, match="has 6 sets already; extend it to more, not to 5"):
        extend(folder, 5)
    with pytest.raises(SettingsError, match="sets must be a whole number"):
        extend(folder, 10**12)
    settings = Layout(folder).settings
    settings.write_text(settings.read_text().replace('"physics":"', '"physics":"older '))
    with pytest.raises(SettingsError, match="was started with physics"):
        extend(folder, MANY)
    assert read_settings(folder).sets == FEW
    assert Layout(folder).sums.exists()


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("parts/extended.sha256", marks=pytest.mark.slow),
        "sets 12",
        pytest.param("parts/questions_test_00000_00002.json", marks=pytest.mark.slow),
    ],
)
def test_a_killed_extension_is_resumed(moment: str, few: Path, many: Path, tmp_path: Path) -> None:
    """Killed when the extension has begun, when it has its new settings, and when questions are being written."""
    folder = copy(few, tmp_path)
    call = f"from tumble.comphy.generation.generate import extend; extend({str(folder)!r}, {MANY}, workers=1)"
    process = subprocess.Popen([sys.executable, "-c", call], start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + TIMEOUT
        while not _has_come(folder, moment):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < end
            time.sleep(0.001)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    data = open_dataset(folder)
    assert data.example(0).videos.index == 0
    assert data.generated_sets() >= FEW
    extend(folder, MANY, workers=1)
    assert contents(folder) == contents(many)
    assert verify(folder) == []


def _has_come(folder: Path, moment: str) -> bool:
    if moment.startswith("sets "):
        return read_settings(folder).sets == int(moment[5:])
    return (folder / moment).exists()
