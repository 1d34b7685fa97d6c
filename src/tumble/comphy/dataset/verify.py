"""Verifies a dataset: every file is present, every byte is as it was written, and there is nothing else."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tumble.comphy.dataset.checksums import DAMAGED, MISSING, UNLISTED, digest, is_temporary, part_sums, read_sums
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.settings import Settings, read_settings
from tumble.progress import bar

UNEXPECTED = "unexpected"
NOT_GENERATED, UNFINISHED = "not generated yet", "not finished yet"
LEFT_OVER = "partial file of a process that was killed"


def verify(root: Path) -> list[Fault]:
    """Everything that is wrong with a dataset, finished or not; an empty list if nothing is."""
    layout = Layout(root)
    try:
        settings = read_settings(root)
        finished = layout.sums.exists()
        sums = read_sums(layout.sums) if finished else part_sums(layout.parts)
    except (DataError, OSError) as error:
        return [Fault(str(root), str(error))]
    faults = [*_wrong_files(root, sums), *_unlisted(layout, settings, sums, finished)]
    return [*faults, *_unexpected(layout, settings, sums, finished)]


def _wrong_files(root: Path, sums: Mapping[str, str]) -> Iterator[Fault]:
    with bar("Verifying", len(sums)) as advance:
        for name, expected in sums.items():
            path = root / name
            if not path.is_file():
                yield Fault(name, MISSING)
            elif digest(path) != expected:
                yield Fault(name, DAMAGED)
            advance(1)


def _unlisted(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """Files that should have a checksum and have none."""
    for planned in settings.planned_sets():
        names = [_name(layout, path) for path in layout.files_of(planned.index, settings.size is not None)]
        unlisted = [name for name in names if name not in sums]
        if finished:
            yield from (Fault(name, UNLISTED) for name in unlisted)
        elif unlisted:
            started = any((layout.root / name).exists() for name in names)
            yield Fault(f"set {planned.index:05d}", UNFINISHED if started else NOT_GENERATED)
    for name in (_name(layout, path) for path in layout.question_files()):
        if not finished:
            yield Fault(name, UNFINISHED if name in sums else NOT_GENERATED)
        elif name not in sums:
            yield Fault(name, UNLISTED)


def _unexpected(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """Files that are not part of the dataset."""
    known = {*sums, _name(layout, layout.sums), _name(layout, layout.settings)}
    if not finished:
        for planned in settings.planned_sets():
            known.update(_name(layout, path) for path in layout.files_of(planned.index, settings.size is not None))
        known.update(_name(layout, path) for path in layout.question_files())
    for path in sorted(layout.root.rglob("*")):
        name = _name(layout, path)
        if path.is_dir() or name in known:
            continue
        if is_temporary(path):
            yield Fault(name, LEFT_OVER)
        elif finished or layout.parts not in path.parents:
            yield Fault(name, UNEXPECTED)


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()
