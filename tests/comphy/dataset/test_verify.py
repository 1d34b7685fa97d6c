"""Every damaged, missing or unexpected file of a dataset is named, and nothing else."""

import subprocess
from pathlib import Path
from shutil import rmtree, which

import pytest
from generated_dataset import copied, made

from tumble.comphy.dataset.folder import (
    DAMAGED,
    LEFT_OVER,
    MISSING,
    NOT_GENERATED,
    UNEXPECTED,
    UNLISTED,
    read_sums,
    verify,
    write_sums,
)
from tumble.comphy.dataset.json_files import Fault
from tumble.comphy.dataset.layout import Layout


def named(folder: Path) -> dict[str, str]:
    return {fault.where: fault.what for fault in verify(folder)}


def test_a_whole_dataset_has_no_faults() -> None:
    assert verify(made()) == []


@pytest.mark.skipif(which("sha256sum") is None, reason="needs sha256sum")
def test_checksums_are_those_of_sha256sum() -> None:
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=made(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_each_fault_is_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    flipped = bytearray(layout.video(3, 2).read_bytes())
    flipped[len(flipped) // 2] ^= 1
    layout.video(3, 2).write_bytes(flipped)
    layout.annotation(1).unlink()
    layout.answers().write_text("[]")
    (folder / "target" / "notes.txt").write_text("?")
    (folder / "target" / f".{'0' * 32}.mp4").write_text("?")
    assert named(folder) == {
        "reference/video_00000_01000/sim_00003_2.mp4": DAMAGED,
        "target_annotation/annotation_00000_01000/00001.json": MISSING,
        "questions/test_answers.json": DAMAGED,
        "target/notes.txt": UNEXPECTED,
        f"target/.{'0' * 32}.mp4": LEFT_OVER,
    }


def test_a_file_without_a_checksum_is_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    sums = read_sums(Layout(folder).sums)
    del sums["target/video_00000_01000/sim_00004.mp4"]
    write_sums(Layout(folder).sums, sums)
    assert verify(folder) == [
        Fault("target/video_00000_01000/sim_00004.mp4", UNLISTED),
        Fault("target/video_00000_01000/sim_00004.mp4", UNEXPECTED),
    ]


def test_an_unfinished_dataset_says_what_is_not_finished(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    sums = read_sums(layout.sums)
    layout.sums.unlink()
    rmtree(folder / "questions")
    for path in layout.files_of(5, True):
        path.unlink()
    for index in range(4):  # 4 is complete, but was never recorded as finished
        names = [path.relative_to(folder).as_posix() for path in layout.files_of(index, True)]
        write_sums(layout.parts / f"{index:05d}.sha256", {name: sums[name] for name in names})
    layout.video(0).write_bytes(b"broken")
    assert named(folder) == {
        "target/video_00000_01000/sim_00000.mp4": DAMAGED,
        "set 00004": "not finished yet",
        "set 00005": NOT_GENERATED,
        **{f"questions/{name}.json": NOT_GENERATED for name in ("train", "val", "test", "test_answers")},
    }


def test_what_is_no_dataset_is_said_so(tmp_path: Path) -> None:
    (fault,) = verify(tmp_path)
    assert "dataset.json: there is no such file" in fault.what


def test_damaged_checksums_and_settings_are_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    with Layout(folder).sums.open("a") as stream:
        stream.write("nonsense\n")
    (fault,) = verify(folder)
    assert "SHA256SUMS: line" in fault.what
    Layout(folder).settings.write_text('{"format": "else"}')
    (fault,) = verify(folder)
    assert "format must be 'tumble-comphy-2'" in fault.what
