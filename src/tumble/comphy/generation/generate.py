"""Generates a dataset: each set seeded on its own, in parallel on cores or machines; resumable and extendable.

Each set is generated and written by one worker, then questions are asked block by block; checksums are written
last. A set counts as finished when its files exist and have checksums, which are stored after them, so interrupted
sets are generated again. While a dataset is unfinished it has no file SHA256SUMS, and the checksums are in the
folder `parts`.

Sets are planned one by one, when a worker can take one. Only this process records what is finished, since workers
may outlive it. Time and disk are estimated from the first sets; what the disk has no room for is refused.
"""

import fcntl
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from shutil import disk_usage, rmtree
from statistics import mean, median

from tumble.comphy.catalogue.video_set import Family
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.dataset.folder import (
    GrowingSums,
    Settings,
    SettingsError,
    check_folder,
    digests,
    file_digest,
    is_temporary,
    part_sums,
    prepare_folder,
    read_settings,
    read_sums,
    write_settings,
    write_sums,
)
from tumble.comphy.dataset.layout import Layout, PlannedSet, Split, sets_of_split
from tumble.comphy.dataset.question_files import write_questions
from tumble.comphy.generation.jobs import (
    Block,
    WrittenSet,
    ask_sets,
    block_file,
    block_number,
    block_of,
    generate_set_files,
    is_finished,
    keep_blocks,
    merge_blocks,
)
from tumble.comphy.observation.renderer import FULL_SIZE
from tumble.comphy.observation.renderer.renderers import ANALYTIC, MITSUBA
from tumble.comphy.questions.ask import BLOCK_SIZE
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.simulator import physics_id
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.jobs import executors
from tumble.jobs.job import Executor, Job, Outcome
from tumble.output import plural
from tumble.progress import Advance, bar, duration, note

MIN_SAMPLE, SAMPLE_PER_WORKER = 4, 3
"""Sets that are measured: the first set of each worker takes longer, which the median leaves out."""
TOLERANCE = 0.8
"""The disk is too small if it has less than this share of the estimated bytes."""
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


class DiskError(TumbleError):
    """Too little room on the disk."""


class Estimate:
    """Measures the first sets that are generated, then prints an estimate of what the others take, once."""

    def __init__(self, root: Path, workers: int | None) -> None:
        """`workers` is None where it isn't known, as on a cluster."""
        self._root, self._workers = root, workers
        self._seconds: list[float] = []
        self._bytes: list[int] = []

    def add(self, seconds: float, size: int, remaining: int) -> None:
        """Adds a set with the seconds and bytes that it took; `remaining` sets are still to be generated."""
        if len(self._bytes) == self.sample:
            return
        self._seconds.append(seconds)
        self._bytes.append(size)
        if len(self._bytes) == self.sample and remaining > 0:
            note(self.text(remaining))
            self._check_disk(remaining)

    @property
    def sample(self) -> int:
        """The number of sets that are measured."""
        return max(MIN_SAMPLE, SAMPLE_PER_WORKER * (self._workers or 1))

    def text(self, remaining: int) -> str:
        """The estimate for a number of sets."""
        size = mean(self._bytes)
        each = (
            f"{median(self._seconds):.2g} s and {byte_text(size)} a set, measured on {plural(len(self._bytes), 'set')}"
        )
        disk = byte_text(size * remaining)
        if self._workers is None:
            return f"{plural(remaining, 'set')} to generate: about {disk} on disk ({each})."
        time = duration(median(self._seconds) * remaining / self._workers)
        workers = plural(self._workers, "worker")
        return f"{plural(remaining, 'set')} to generate: about {time} with {workers}, {disk} on disk ({each})."

    def _check_disk(self, remaining: int) -> None:
        needed, free = mean(self._bytes) * remaining, disk_usage(self._root).free
        if free < TOLERANCE * needed:
            raise DiskError(
                f"{self._root}: {plural(remaining, 'more set')} would take about {byte_text(needed)}, but its disk has "
                f"{byte_text(free)} free; the sets that are finished are kept"
            )


def byte_text(size: float) -> str:
    """A number of bytes to read.

    >>> byte_text(419_000), byte_text(25e9)
    ('419 kB', '25 GB')
    """
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"


MAX_LISTED = 5
"""Failures that an error lists."""
MAX_FAILURES = 50
"""Failures after which no more sets are started."""

BlockKey = tuple[Split, int]
"""The split and number of a block."""


class GenerationError(TumbleError):
    """Some sets could not be generated; the others are kept."""


class GenerationRun:
    """Generates the sets of a dataset that are not finished, and asks questions about all."""

    def __init__(
        self,
        layout: Layout,
        settings: Settings,
        device: str,
        sums: dict[str, str],
        written: int,
        with_questions: bool,
    ) -> None:
        """`sums` are the checksums of what is finished, which are added to; `written` (ns) is when they were stored."""
        self.layout, self.settings, self.device = layout, settings, device
        self.sums, self.written, self.with_questions = sums, written, with_questions
        self.generated = 0
        self._remaining = settings.sets
        self._running: dict[str, PlannedSet | Block] = {}
        self._ready: deque[Block] = deque()
        """Blocks whose sets are finished and about which no questions have been asked yet."""
        self._finished: Counter[BlockKey] = Counter()
        """The number of finished sets of each block."""
        self._scenes: dict[BlockKey, dict[int, SymbolicScene]] = {}
        """Those of the sets that were generated in this run, until questions are asked about them."""
        self._failed: set[BlockKey] = set()
        """Blocks that lack a set, whose scenes need not be kept."""
        self._errors: list[str] = []
        self._advance: Advance = lambda done: None

    def execute(self, executor: Executor) -> None:
        """Runs all jobs; failures are raised at the end, in one error."""
        estimate, growing = Estimate(self.layout.root, executor.workers), GrowingSums(self.layout.parts / "sets.sha256")
        outcomes = executor.run(self._jobs())
        with bar("Generating sets", self.settings.sets) as self._advance, closing(growing), closing(outcomes):  # type: ignore[type-var]
            for outcome in outcomes:
                started = self._running.pop(outcome.job.name)
                if outcome.error:
                    self._fail(outcome, started)
                elif isinstance(started, Block):
                    write_questions(block_file(self.layout, started), outcome.value)
                else:
                    growing.append(outcome.value.sums)
                    self._add_set(started, outcome.value)
                    estimate.add(outcome.value.seconds, outcome.value.size, self._remaining)
        if self._errors:
            listed = sorted(self._errors)[:MAX_LISTED]
            more = [f"{len(self._errors) - MAX_LISTED} more"] if len(self._errors) > MAX_LISTED else []
            raise GenerationError("; ".join([*listed, *more]) + "; the rest is kept, repeat the command to resume")

    def _jobs(self) -> Iterator[Job | None]:
        """Set by set, then the questions of the last blocks; None while these wait for sets that are running."""
        for planned in self.settings.planned_sets():
            while self._ready:
                yield from self._ask(self._ready.popleft())
            if len(self._errors) >= MAX_FAILURES:
                return
            files = self.layout.files_of(planned.index, self.settings.size is not None)
            if is_finished(self.layout.root, files, self.sums, self.written):
                self._count(planned)
            else:
                arguments = (self.layout.root, self.settings, planned, self.device)
                yield self._started(planned, Job(f"set {planned.index:05d}", generate_set_files, arguments))
        while self._running or self._ready:
            if self._ready:
                yield from self._ask(self._ready.popleft())
            else:
                yield None

    def _ask(self, block: Block) -> Iterator[Job]:
        """The job of asking questions about a block, unless that has been done."""
        scenes = self._scenes.pop((block.split, block.number), {})
        if not block_file(self.layout, block).exists():
            sums = self._annotation_sums(index for index in block.indices if index not in scenes)
            yield self._started(
                block, Job(block.name, ask_sets, (self.layout.root, self.settings, block, scenes, sums))
            )

    def _started(self, what: PlannedSet | Block, job: Job) -> Job:
        self._running[job.name] = what
        return job

    def _annotation_sums(self, indices: Iterator[int]) -> Mapping[str, str]:
        paths = (path for index in indices for path in self.layout.files_of(index, with_videos=False))
        names = (path.relative_to(self.layout.root).as_posix() for path in paths)
        return {name: self.sums[name] for name in names}

    def _add_set(self, planned: PlannedSet, made: WrittenSet) -> None:
        self.sums.update(made.sums)
        self.generated += 1
        if self.with_questions and self._key(planned) not in self._failed:
            self._scenes.setdefault(self._key(planned), {})[planned.index] = made.scene
        self._count(planned)

    def _count(self, planned: PlannedSet) -> None:
        """Counts a finished set; a block is ready when all its sets are finished."""
        self._remaining -= 1
        self._advance(1)
        if not self.with_questions:
            return
        key = self._key(planned)
        self._finished[key] += 1
        if self._finished[key] == _block_length(self.settings, *key):
            self._ready.append(block_of(self.settings, *key))

    def _fail(self, outcome: Outcome, failed: PlannedSet | Block) -> None:
        self._errors.append(f"{outcome.job.name}: {outcome.error}")
        if isinstance(failed, PlannedSet):
            self._failed.add(self._key(failed))
            self._scenes.pop(self._key(failed), None)

    def _key(self, planned: PlannedSet) -> BlockKey:
        return planned.split, block_number(self.settings, planned)


def _block_length(settings: Settings, split: Split, number: int) -> int:
    return min(BLOCK_SIZE, sets_of_split(settings.sets, split, settings.split) - number * BLOCK_SIZE)


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
    made = executors.make_executor(executor, workers)
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
    return all(path.is_file() and file_digest(path) == sums.get(name) for path, name in names.items())


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
