"""Generates a dataset: each set seeded on its own, in parallel on cores or machines, resumable.

Each set is generated and written by one worker, then questions are asked block by block; checksums are written last. A
set counts as finished when its files match the checksums that were stored after them, so interrupted ones are generated
again.
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
from tumble.comphy.dataset.settings import Settings, SettingsError, prepare_folder
from tumble.comphy.generation.question_blocks import ask_stored_block, block_file, blocks_of, merge_blocks
from tumble.comphy.generation.set_files import generate_set_files, is_finished
from tumble.comphy.observation.renderer import FULL_SIZE
from tumble.comphy.observation.renderer.renderers import ANALYTIC, MITSUBA
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.video_set import Family
from tumble.errors import TumbleError
from tumble.jobs import executors
from tumble.jobs.job import Executor, Job
from tumble.progress import bar

MAX_LISTED = 5
"""Failures that an error lists."""


class GenerationError(TumbleError):
    """Some sets could not be generated; the others are kept."""


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
    """Generates a dataset in a folder, or resumes it; workers and interruptions do not change any byte."""
    root = Path(folder).resolve()
    settings = Settings(sets, seed, size if video else None, split, family, renderer, options)
    if video and find_spec("av") is None:
        raise SettingsError('videos need PyAV: pip install "tumble[video]"')
    if video and renderer == MITSUBA and find_spec("mitsuba") is None:
        raise SettingsError('this renderer needs Mitsuba: pip install "tumble[hq]"')
    job_executor = executors.make(executor, workers)
    prepare_folder(root, settings, physics_id())
    with _locked(Layout(root)):
        _generate(root, settings, job_executor, device)


def _generate(root: Path, settings: Settings, executor: Executor, device: str) -> None:
    layout, planned_sets = Layout(root), settings.planned_sets()
    _remove_temporary(root)
    sums = read_sums(layout.sums) if layout.sums.exists() else {}
    unfinished = _unfinished(layout, settings, planned_sets, sums)
    if not unfinished and is_finished(root, [layout.settings, *layout.question_files()], sums):
        rmtree(layout.parts, ignore_errors=True)
        return
    sets = {f"set {planned.index:05d}": planned for planned in unfinished}
    jobs = [Job(name, generate_set_files, (root, settings, planned, device)) for name, planned in sets.items()]
    for name, set_sums in _run_jobs(executor, jobs, "Generating sets"):
        write_sums(_set_sums(layout, sets[name].index), set_sums)
    blocks = {
        f"questions about sets {members[0].index:05d} to {members[-1].index:05d}": (block, members)
        for block, members in blocks_of(planned_sets).items()
        if not block_file(layout, block).exists()
    }
    jobs = [
        Job(name, ask_stored_block, (root, settings, block, [planned.index for planned in members]))
        for name, (block, members) in blocks.items()
    ]
    for name, questions in _run_jobs(executor, jobs, "Asking questions"):
        write_questions(block_file(layout, blocks[name][0]), questions)
    merge_blocks(layout, planned_sets)
    _finish(layout, planned_sets, sums)


def _unfinished(
    layout: Layout, settings: Settings, planned_sets: Sequence[PlannedSet], sums: dict[str, str]
) -> list[PlannedSet]:
    """The sets that are not finished; adds the checksums of the others to `sums`."""
    unfinished = []
    with bar("Checking finished sets", len(planned_sets)) as advance:
        for planned in planned_sets:
            set_sums = _set_sums(layout, planned.index)
            if set_sums.exists():
                sums.update(read_sums(set_sums))
            if not is_finished(layout.root, layout.files_of(planned.index, settings.size is not None), sums):
                unfinished.append(planned)
            advance(1)
    return unfinished


def _run_jobs(executor: Executor, jobs: Sequence[Job], label: str) -> Iterator[tuple[str, Any]]:
    """Runs all jobs and yields their names and results; failures are raised at the end, in one error.

    Only this process records what is finished, since workers may outlive it.
    """
    errors = []
    with bar(label, len(jobs)) as advance:
        for outcome in executor.run(jobs):
            if outcome.error:
                errors.append(f"{outcome.job.name}: {outcome.error}")
            else:
                yield outcome.job.name, outcome.value
            advance(1)
    if errors:
        listed = sorted(errors)[:MAX_LISTED]
        more = [f"{len(errors) - MAX_LISTED} more"] if len(errors) > MAX_LISTED else []
        raise GenerationError("; ".join([*listed, *more]) + "; the rest is kept, generate again to resume")


def _set_sums(layout: Layout, index: int) -> Path:
    """The file of a set's checksums until all sets are finished."""
    return layout.parts / f"{index:05d}.sha256"


def _finish(layout: Layout, planned_sets: Sequence[PlannedSet], sums: dict[str, str]) -> None:
    """Writes the checksums of all files, and removes the intermediate files."""
    for planned in planned_sets:
        set_sums = _set_sums(layout, planned.index)
        if set_sums.exists():
            sums.update(read_sums(set_sums))
    sums.update(digests(layout.root, [layout.settings, *layout.question_files()]))
    _remove_temporary(layout.root)  # of workers that died
    write_sums(layout.sums, sums)
    rmtree(layout.parts, ignore_errors=True)


def _remove_temporary(root: Path) -> None:
    """Removes the partial files of processes that were killed while they wrote."""
    for path in root.rglob(".*"):
        if is_temporary(path):
            path.unlink(missing_ok=True)


@contextmanager
def _locked(layout: Layout) -> Iterator[None]:
    """Keeps other processes from generating the same dataset."""
    with layout.settings.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(f"{layout.root} is being generated by another process") from None
        yield
