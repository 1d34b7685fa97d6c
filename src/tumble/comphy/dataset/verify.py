"""Whether a dataset is whole: every file there, every byte as it was written, and nothing else."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tumble.comphy.dataset.checksums import digest, is_temporary, read_sums
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import SPLITS, Layout
from tumble.comphy.dataset.settings import Settings, read_settings
from tumble.progress import bar

MISSING, DAMAGED, UNEXPECTED = "missing", "damaged: its checksum is another", "unexpected"
UNLISTED = "it has no checksum"
UNMADE, UNFINISHED = "not made yet", "not finished yet"
LEFT_OVER = "left over from a run that was killed"


def verify(root: Path) -> list[Fault]:
    """Everything that is wrong with a dataset, finished or not; nothing where it is whole."""
    layout = Layout(root)
    try:
        settings = read_settings(root)
        finished = layout.sums.exists()
        sums = read_sums(layout.sums) if finished else _part_sums(layout)
    except (DataError, OSError) as error:
        return [Fault(str(root), str(error))]
    faults = [*_wrong_files(root, sums), *_unlisted(layout, settings, sums, finished)]
    return [*faults, *_unexpected(layout, settings, sums, finished)]


def question_files(layout: Layout) -> list[Path]:
    """Every file of questions and answers."""
    return [*(layout.questions(split) for split in SPLITS), layout.answers()]


def _part_sums(layout: Layout) -> dict[str, str]:
    """The checksums of the sets that are finished while others are not."""
    found: dict[str, str] = {}
    for path in sorted(layout.parts.glob("*.sha256")):
        if not is_temporary(path):
            found.update(read_sums(path))
    return found


def _wrong_files(root: Path, sums: Mapping[str, str]) -> Iterator[Fault]:
    with bar("Checking", len(sums)) as advance:
        for name, wanted in sums.items():
            path = root / name
            if not path.is_file():
                yield Fault(name, MISSING)
            elif digest(path) != wanted:
                yield Fault(name, DAMAGED)
            advance(1)


def _unlisted(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """What should have a checksum and has none."""
    for row in settings.rows():
        names = [_name(layout, path) for path in layout.files_of(row.index, settings.size is not None)]
        lacking = [name for name in names if name not in sums]
        if finished:
            yield from (Fault(name, UNLISTED) for name in lacking)
        elif lacking:
            begun = any((layout.root / name).exists() for name in names)
            yield Fault(f"set {row.index:05d}", UNFINISHED if begun else UNMADE)
    for path in question_files(layout):
        if _name(layout, path) not in sums:
            yield Fault(_name(layout, path), UNLISTED if finished else UNMADE)


def _unexpected(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """Files that belong to nothing."""
    known = {*sums, _name(layout, layout.sums), _name(layout, layout.settings)}
    if not finished:
        for row in settings.rows():
            known.update(_name(layout, path) for path in layout.files_of(row.index, settings.size is not None))
        known.update(_name(layout, path) for path in question_files(layout))
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
