"""Makes a whole dataset: seeded for each set, side by side over cores or machines, gone on with after a kill.

Each set is made and written by one worker, then each block of questions is asked; checksums come last. A set counts
as finished when its files have the checksums that were noted after them, so whatever was cut off is made again.
"""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import Any

from tumble.comphy.dataset.checksums import digests, is_temporary, read_sums, write_sums
from tumble.comphy.dataset.layout import Layout, PlannedSet, Split
from tumble.comphy.dataset.question_files import write_questions
from tumble.comphy.dataset.settings import Settings, SettingsError, settle
from tumble.comphy.dataset.verify import question_files
from tumble.comphy.generation.question_blocks import ask_files, block_file, blocks_of, gather
from tumble.comphy.generation.set_files import is_finished, make_files
from tumble.comphy.observation.renderer import FULL_SIZE
from tumble.comphy.observation.renderer.renderers import ANALYTIC, MITSUBA
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.video_set import Family
from tumble.jobs import executors
from tumble.jobs.job import Executor, Job
from tumble.progress import bar

MOST_NAMED = 5
"""Failures that an error names."""


class GenerationError(ValueError):
    """Some sets could not be made; the others are kept."""


def generate(
    folder: Path,
    sets: int,
    seed: int,
    size: tuple[int, int] = FULL_SIZE,
    video: bool = True,
    split: Split | None = None,
    family: Family | None = None,
    options: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    device: str = "cpu",
    renderer: str = ANALYTIC,
) -> None:
    """Makes a dataset in a folder, or goes on with it; the same bytes whatever the workers and however often begun."""
    root = Path(folder).resolve()
    settings = Settings(sets, seed, size if video else None, split, family, renderer, options)
    if video and find_spec("av") is None:
        raise SettingsError('videos need PyAV: pip install "tumble[video]"')
    if video and renderer == MITSUBA and find_spec("mitsuba") is None:
        raise SettingsError('this renderer needs Mitsuba: pip install "tumble[hq]"')
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
    make = {f"set {row.index:05d}": row for row in unmade}
    jobs = [Job(name, make_files, (root, settings, row, device)) for name, row in make.items()]
    for name, made in _done(team, jobs, "Making sets"):
        write_sums(_set_sums(layout, make[name].index), made)
    ask = {
        f"questions about sets {own[0].index:05d} to {own[-1].index:05d}": (block, [row.index for row in own])
        for block, own in blocks_of(rows).items()
        if not block_file(layout, block).exists()
    }
    jobs = [Job(name, ask_files, (root, settings, *own)) for name, own in ask.items()]
    for name, asked in _done(team, jobs, "Asking"):
        write_questions(block_file(layout, ask[name][0]), asked)
    gather(layout, rows)
    _finish(layout, rows, sums)


def _unfinished(
    layout: Layout, settings: Settings, rows: Sequence[PlannedSet], sums: dict[str, str]
) -> list[PlannedSet]:
    """The sets that are still to be made; the checksums of the others are added."""
    found = []
    with bar("Looking for finished sets", len(rows)) as advance:
        for row in rows:
            own = _set_sums(layout, row.index)
            if own.exists():
                sums.update(read_sums(own))
            if not is_finished(layout.root, layout.files_of(row.index, settings.size is not None), sums):
                found.append(row)
            advance(1)
    return found


def _done(team: Executor, jobs: Sequence[Job], label: str) -> Iterator[tuple[str, Any]]:
    """Does all jobs, and gives what they are called and what came of them; what went wrong is told at the end.

    Only this process notes what is finished: workers that outlive it can't.
    """
    errors = []
    with bar(label, len(jobs)) as advance:
        for outcome in team.run(jobs):
            if outcome.error:
                errors.append(f"{outcome.job.name}: {outcome.error}")
            else:
                yield outcome.job.name, outcome.value
            advance(1)
    if errors:
        named = sorted(errors)[:MOST_NAMED]
        more = [f"{len(errors) - MOST_NAMED} more"] if len(errors) > MOST_NAMED else []
        raise GenerationError("; ".join([*named, *more]) + "; the rest is kept, begin again to go on")


def _set_sums(layout: Layout, index: int) -> Path:
    """Where a set's checksums are until all sets are there."""
    return layout.parts / f"{index:05d}.sha256"


def _finish(layout: Layout, rows: Sequence[PlannedSet], sums: dict[str, str]) -> None:
    """Writes the checksums of everything, and removes what was only needed on the way."""
    for row in rows:
        own = _set_sums(layout, row.index)
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
