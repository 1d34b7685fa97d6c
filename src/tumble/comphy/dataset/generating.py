"""Makes a whole dataset: seeded for each set, side by side over cores or machines, gone on with after a kill.

Each set is made and written by one worker, then each block of questions; checksums come last. A set counts as
finished when its files have the checksums that were written after them, so whatever was cut off is made again.
"""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from tumble.comphy.dataset.asking_files import ask_files, block_file, blocks_of, gather
from tumble.comphy.dataset.checksums import digests, is_temporary, read_sums, write_sums
from tumble.comphy.dataset.layout import Layout, PlannedSet, Split
from tumble.comphy.dataset.making_files import is_finished, make_files, set_sums
from tumble.comphy.dataset.settings import Settings, SettingsError, settle
from tumble.comphy.dataset.verify import question_files
from tumble.comphy.physics import physics_id
from tumble.comphy.sets import Family
from tumble.progress import bar
from tumble.runs import executor as executors
from tumble.runs.executor import Executor, Job

FULL_SIZE = (480, 320)


class GenerationError(RuntimeError):
    """Some sets could not be made; the others are kept."""


def generate(
    folder: Path,
    sets: int,
    seed: int,
    size: tuple[int, int] = FULL_SIZE,
    video: bool = True,
    split: Split | None = None,
    family: Family | None = None,
    workers: int | None = None,
    executor: str = "local",
    device: str = "cpu",
) -> None:
    """Makes a dataset in a folder, or goes on with it; the same bytes whatever the workers and however often begun."""
    root = Path(folder).resolve()
    settings = Settings(sets, seed, size if video else None, split, family)
    team = executors.make(executor, workers)
    settle(root, settings, {"physics": physics_id()})
    with _alone(Layout(root)):
        _generate(root, settings, team, device)


def _generate(root: Path, settings: Settings, team: Executor, device: str) -> None:
    layout, rows = Layout(root), settings.rows()
    for path in root.rglob(".*"):
        if is_temporary(path):
            path.unlink()
    sums = read_sums(layout.sums) if layout.sums.exists() else {}
    unmade = _unfinished(layout, settings, rows, sums)
    if not unmade and is_finished(root, [layout.settings, *question_files(layout)], sums):
        rmtree(layout.parts, ignore_errors=True)
        return
    layout.sums.unlink(missing_ok=True)
    jobs = [Job(f"set {row.index:05d}", make_files, (root, settings, row, device)) for row in unmade]
    _run(team, jobs, "Making sets")
    jobs = [
        Job(f"questions about sets {own[0].index:05d} to {own[-1].index:05d}", ask_files, (root, settings, block, indices))
        for block, own in blocks_of(rows).items()
        if not block_file(layout, block).exists() and (indices := [row.index for row in own])
    ]
    _run(team, jobs, "Asking")
    gather(layout, rows)
    _finish(layout, settings, rows, sums)


def _unfinished(
    layout: Layout, settings: Settings, rows: Sequence[PlannedSet], sums: dict[str, str]
) -> list[PlannedSet]:
    """The sets that are still to be made; the checksums of the others are added."""
    found = []
    with bar("Looking for finished sets", len(rows)) as advance:
        for row in rows:
            own = set_sums(layout, row.index)
            if own.exists():
                sums.update(read_sums(own))
            if not is_finished(layout.root, layout.files_of(row.index, settings.size is not None), sums):
                found.append(row)
            advance(1)
    return found


def _run(team: Executor, jobs: Sequence[Job], label: str) -> None:
    """Does all jobs; what went wrong is told when the rest is done."""
    errors = []
    with bar(label, len(jobs)) as advance:
        for outcome in team.run(jobs):
            if outcome.error:
                errors.append(f"{outcome.job.name}: {outcome.error}")
            advance(1)
    if errors:
        raise GenerationError("\n".join([*sorted(errors), "the rest is kept; begin again to go on"]))


def _finish(layout: Layout, settings: Settings, rows: Sequence[PlannedSet], sums: dict[str, str]) -> None:
    """Writes the checksums of everything, and removes what was only needed on the way."""
    for row in rows:
        own = set_sums(layout, row.index)
        if own.exists():
            sums.update(read_sums(own))
    sums.update(digests(layout.root, [layout.settings, *question_files(layout)]))
    write_sums(layout.sums, sums)
    rmtree(layout.parts, ignore_errors=True)


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Keeps a second process from making the same dataset."""
    with layout.settings.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(f"{layout.root} is being made by another process") from None
        yield
