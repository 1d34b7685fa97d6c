"""Generates a dataset: each set seeded on its own, in parallel on cores or machines; resumable and extendable.

Each set is generated and written by one worker, then questions are asked block by block; checksums are written last. A
set counts as finished when its files exist and have checksums, which are stored after them, so interrupted sets are
generated again. While a dataset is unfinished it has no file SHA256SUMS, and the checksums are in the folder `parts`.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree

from tumble.comphy.dataset.checksums import digest, digests, is_temporary, part_sums, read_sums, write_sums
from tumble.comphy.dataset.layout import Layout, Split
from tumble.comphy.dataset.settings import (
    Settings,
    SettingsError,
    check_folder,
    prepare_folder,
    read_settings,
    write_settings,
)
from tumble.comphy.generation.question_blocks import keep_blocks, merge_blocks
from tumble.comphy.generation.run import GenerationRun
from tumble.comphy.observation.renderer import FULL_SIZE
from tumble.comphy.observation.renderer.renderers import ANALYTIC, MITSUBA
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.video_set import Family
from tumble.comphy.tasks.world import PLAIN
from tumble.engine import check_device
from tumble.jobs import executors
from tumble.jobs.job import Executor


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
    world: str = PLAIN.name,
) -> None:
    """Generates a dataset in a folder, or resumes it; workers and interruptions do not change any byte."""
    settings = Settings(sets, seed, size if video else None, split, family, renderer, options, world)
    job_executor = _executor(settings, workers, executor, device)
    _generate_folder(Path(folder).resolve(), settings, job_executor, device)


def extend(folder: Path, sets: int, workers: int | None = None, executor: str = "local", device: str = "cpu") -> None:
    """Adds sets to a dataset, finished or not, until it has `sets`: the same bytes as if all were generated at once."""
    root = Path(folder).resolve()
    present = read_settings(root)
    settings = replace(present, sets=sets)
    if sets < present.sets:
        raise SettingsError(f"{root} has {present.sets} sets already; extend it to more, not to {sets}")
    job_executor = _executor(settings, workers, executor, device)
    check_folder(root, present, physics_id(present.world))
    layout = Layout(root)
    with _locked(layout):
        check_folder(root, present, physics_id(present.world))
        if sets > present.sets:
            _start_extension(layout, present, settings)
    _generate_folder(root, settings, job_executor, device)


def _executor(settings: Settings, workers: int | None, executor: str, device: str) -> Executor:
    """The executor, after a check that what the settings need is installed on this machine."""
    if settings.size is not None and find_spec("av") is None:
        raise SettingsError('videos need PyAV: pip install "tumble[video]"')
    if settings.size is not None and settings.renderer == MITSUBA and find_spec("mitsuba") is None:
        raise SettingsError('this renderer needs Mitsuba: pip install "tumble[hq]"')
    made = executors.make(executor, workers)
    if executor == "local" or not device.startswith("cuda"):  # nodes of a cluster may have GPUs that this machine lacks
        check_device(device)
    return made


def _start_extension(layout: Layout, before: Settings, after: Settings) -> None:
    """Makes a dataset an unfinished one with more sets. Killed at any moment, it is the old one or unfinished."""
    if layout.sums.exists():
        rmtree(layout.parts, ignore_errors=True)  # of a kill while it was finished
        sums = read_sums(layout.sums)
        if _is_intact(layout, layout.question_files(), sums):
            keep_blocks(layout, before, after)
        del sums[layout.settings.name]
        write_sums(_old_sums(layout), sums)
        layout.sums.unlink()
    write_settings(layout.root, after, physics_id(after.world))


def _generate_folder(root: Path, settings: Settings, executor: Executor, device: str) -> None:
    prepare_folder(root, settings, physics_id(settings.world))
    with _locked(Layout(root)):
        check_folder(root, settings, physics_id(settings.world))  # it may have been extended meanwhile
        _generate(Layout(root), settings, executor, device)


def _generate(layout: Layout, settings: Settings, executor: Executor, device: str) -> None:
    _remove_temporary(layout.root)
    stored = [layout.sums] if layout.sums.exists() else list(layout.parts.glob("*.sha256"))
    written = max((path.stat().st_mtime_ns for path in stored), default=0)
    sums = read_sums(layout.sums) if layout.sums.exists() else part_sums(layout.parts)
    with_questions = not _is_intact(layout, [layout.settings, *layout.question_files()], sums)
    run = GenerationRun(layout, settings, device, sums, written, with_questions)
    run.execute(executor)
    if with_questions:
        _forget_questions(layout)
        merge_blocks(layout, settings)
    if with_questions or run.generated:
        sums.update(digests(layout.root, [layout.settings, *layout.question_files()]))
        _remove_temporary(layout.root)  # of workers that died
        write_sums(layout.sums, sums)
    rmtree(layout.parts, ignore_errors=True)


def _forget_questions(layout: Layout) -> None:
    """Removes the checksums of the questions of a dataset that is being extended, before these are replaced."""
    if _old_sums(layout).exists():
        sums = read_sums(_old_sums(layout))
        for path in layout.question_files():
            sums.pop(path.relative_to(layout.root).as_posix(), None)
        write_sums(_old_sums(layout), sums)


def _is_intact(layout: Layout, files: list[Path], sums: dict[str, str]) -> bool:
    """Whether all files exist and have their checksums."""
    names = {path: path.relative_to(layout.root).as_posix() for path in files}
    return all(path.is_file() and digest(path) == sums.get(name) for path, name in names.items())


def _old_sums(layout: Layout) -> Path:
    """The checksums of a dataset that is being extended."""
    return layout.parts / "extended.sha256"


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
            if not os.path.samestat(os.fstat(stream.fileno()), layout.settings.stat()):
                raise BlockingIOError  # the process that had it locked has replaced it
        except BlockingIOError:
            raise SettingsError(f"{layout.root} is being generated by another process") from None
        yield
