"""Every reader of a dataset notices a changed bit in the files that it reads, and names the file."""

import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from generated_dataset import copied, made

from tumble.comphy.cli.browse import find_set
from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.export.parquet import write_parquet
from tumble.comphy.dataset.folder import GrowingSums, read_sums
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.torch_dataset import TorchDataset
from tumble.comphy.evaluation.answer_key import read_key, training_tasks

LAYOUT = Layout(Path())
ANNOTATIONS = [LAYOUT.annotation(0), LAYOUT.annotation(1, 2), LAYOUT.altered(3)]
"""Of three sets of the train split."""
OTHERS = [LAYOUT.settings, LAYOUT.questions("train"), LAYOUT.answers()]
FIRST = 0


def flip_bit(path: Path, seed: int = 0) -> None:
    """Changes a random bit of a file."""
    raw = bytearray(path.read_bytes())
    draws = Random(f"{seed} {path.name}")
    raw[draws.randrange(len(raw))] ^= 1 << draws.randrange(8)
    path.write_bytes(raw)


def read_all(folder: Path) -> list[str]:
    """Reads annotations and questions; returns what was skipped."""
    data = open_dataset(folder)
    list(data.examples())
    return [str(fault) for fault in data.faults]


def export_parquet(folder: Path) -> list[str]:
    data = open_dataset(folder)
    write_parquet(data, folder.parent / "tables")
    return [str(fault) for fault in data.faults]


def export_clevrer(folder: Path) -> list[str]:
    data = open_dataset(folder)
    write_clevrer(data, folder.parent / "clevrer")
    return [str(fault) for fault in data.faults]


def load_tensors(folder: Path) -> list[str]:
    pytest.importorskip("torch")
    dataset = TorchDataset(open_dataset(folder), with_frames=False, with_masks=False)
    for k in range(len(dataset)):
        dataset[k]
    return [str(fault) for fault in dataset.faults]


def evaluate(folder: Path) -> list[str]:
    """What evaluations on all splits read; a split of which all sets are damaged can't be evaluated."""
    reported = []
    for split in sorted(set(open_dataset(folder).splits.values())):
        try:
            key = read_key(folder, split)
        except DataError as error:
            reported.append(str(error))
            continue
        for task in training_tasks(folder, key.sets, allows_truth=True):
            task.truth()
        reported += key.faults
    return reported


def messages_of(read: Callable[[Path], list[str]], folder: Path) -> str:
    """What a reader reports: what it skips, or the error that it raises."""
    try:
        return "\n".join(read(folder))
    except DataError as error:
        return str(error)


@pytest.mark.parametrize(
    "read", [read_all, export_parquet, export_clevrer, load_tensors, evaluate], ids=lambda read: read.__name__
)
def test_a_reader_names_changed_files(read: Callable[[Path], list[str]], tmp_path: Path) -> None:
    folder = copied(tmp_path)
    for path in ANNOTATIONS:
        flip_bit(folder / path)
    reported = messages_of(read, folder)
    named = [path for path in ANNOTATIONS if f"{folder / path}: damaged: its checksum differs" in reported]
    assert named == ANNOTATIONS
    for path in OTHERS:
        flip_bit(folder / path)
        assert f"{folder / path}: damaged: its checksum differs" in messages_of(read, folder)
        flip_bit(folder / path)


def test_a_set_that_is_shown_is_checked(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    flip_bit(folder / ANNOTATIONS[0])
    with pytest.raises(DataError, match=r"00000\.json: damaged: its checksum differs"):
        find_set("00000", folder, 0, None)


@pytest.mark.parametrize("kind", ["video", "masks", "tracks"])
def test_pictures_are_checked_when_they_are_read(kind: str, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    layout = Layout(folder)
    example = open_dataset(folder).example(FIRST)
    path = getattr(layout, kind)(FIRST, 1)
    read = {"video": example.frames, "masks": example.masks, "tracks": example.tracks}[kind]
    read(1)
    flip_bit(path)
    with pytest.raises(DataError, match=f"{path.name}: damaged: its checksum differs"):
        read(1)
    path.unlink()
    with pytest.raises(DataError, match=f"{path.name}: missing"):
        read(1)


def test_pages_have_no_changed_videos(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    loaded = find_set("00000", folder, 0, None)
    assert len(loaded.mp4_files()) == 5
    flip_bit(Layout(folder).video(FIRST, 3))
    with pytest.raises(DataError, match=r"sim_00000_3\.mp4: damaged"):
        loaded.mp4_files()


def test_changed_checksums_are_noticed(tmp_path: Path) -> None:
    """Every bit flip in the list of checksums names a file or a line."""
    folder = copied(tmp_path)
    original, expected = Layout(folder).sums.read_bytes(), read_sums(Layout(folder).sums)
    for seed in range(60):
        Layout(folder).sums.write_bytes(original)
        flip_bit(Layout(folder).sums, seed)
        changed = Layout(folder).sums.read_bytes()
        name = next(one for one in original.splitlines() if one not in changed.splitlines()).split()[1].decode()
        try:
            if read_sums(Layout(folder).sums) == expected:  # another line break
                continue
            data = open_dataset(folder)
        except DataError:
            continue
        with pytest.raises(DataError):
            data.files.check(folder / name)


def test_a_dataset_without_checksums_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    Layout(folder).sums.unlink()
    with pytest.raises(DataError, match="SHA256SUMS: there is no such file; generate the dataset again"):
        open_dataset(folder)


def test_unchanged_files_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = open_dataset(made())
    data.example(FIRST)
    monkeypatch.setattr("tumble.comphy.dataset.folder.file_digest", lambda path: pytest.fail(f"{path} is read again"))
    data.example(FIRST)


def test_a_short_write_of_checksums_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class ShortWrites(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(data[: max(1, len(data) // 2)])

    path = tmp_path / "sets.sha256"
    growing = GrowingSums(path)
    growing.append({"a.json": "0" * 64})
    growing.close()
    growing._stream = ShortWrites(path, "ab")
    growing.append({"b.json": "1" * 64})
    growing.append({"c.json": "2" * 64})
    growing.close()
    assert read_sums(path, is_growing=True) == {"a.json": "0" * 64, "b.json": "1" * 64, "c.json": "2" * 64}
