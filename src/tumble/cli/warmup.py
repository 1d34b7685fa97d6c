"""`tumble warmup`: compiles the kernels of all benchmarks beforehand, in parallel processes.

A file in Warp's cache lists the module folders of everything that was compiled, by a digest of all source files: what
has changed since is compiled again, and so is what was removed from the cache or is damaged.
"""

import hashlib
import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import zip_longest
from pathlib import Path

import typer
import warp as wp

from tumble.benchmark import benchmark, benchmarks
from tumble.jobs.executors import LocalExecutor, cores
from tumble.jobs.job import Job, ProgressCallback
from tumble.output import BAD_INPUT, plural, print_error, print_line, reports_errors
from tumble.progress import bar_with_note
from tumble.scene.files import whole_file
from tumble.scene.warp_setup import ModuleLoad, is_intact, module_loads, silence_warp

RECORD_FILE = "tumble-warmup.json"


class WarmupRecord:
    """The record in a cache folder, for this machine and these sources."""

    def __init__(self, cache_folder: Path) -> None:
        self._folder, self._path = cache_folder, cache_folder / RECORD_FILE
        self._machine = f"{platform.node()} {platform.machine()} {platform.python_version()}"

    def has(self, title: str, sources: Iterable[Path]) -> bool:
        """Whether a part was compiled from these sources, and all its modules are in the cache, undamaged."""
        folders = self._read().get(self._key(title, sources))
        return folders is not None and all(is_intact(self._folder / folder) for folder in folders)

    def add(self, title: str, sources: Iterable[Path], folders: Iterable[str]) -> None:
        """Records the module folders of a part."""
        content = {**self._read(), self._key(title, sources): sorted(folders)}
        with whole_file(self._path) as partial:
            partial.write_text(json.dumps(content, indent=1), encoding="utf-8")

    def _key(self, title: str, sources: Iterable[Path]) -> str:
        digests = [source_digest(path) for path in sources]
        return hashlib.sha256("\n".join([self._machine, title, *digests]).encode()).hexdigest()[:16]

    def _read(self) -> dict[str, list[str]]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # absent or damaged: everything is compiled again
        return content if isinstance(content, dict) else {}


@cache
def source_digest(path: Path) -> str:
    """A digest of a source file, or of all in a folder."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        digest.update(f"{file.relative_to(path)}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def package_of(module: str) -> Path:
    """The folder of a module's top-level package, or the module's own file where there is no such folder."""
    top = sys.modules[module.partition(".")[0]]
    if top.__file__ and Path(top.__file__).name == "__init__.py":
        return Path(top.__file__).parent
    return Path(str(sys.modules[module].__file__))


@dataclass(frozen=True)
class WarmupPart:
    """Something of a benchmark that is compiled for a device."""

    benchmark: str
    name: str
    device: str

    @cached_property
    def title(self) -> str:
        """Benchmark, part and device in words; with the kind of GPU, as each needs its own code."""
        device = wp.get_device(self.device)
        words = f"{device}" if device.is_cpu else f"{device} ({device.name})"
        return f"{benchmark(self.benchmark).title}, {self.name}, {words}"

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """What its kernels may depend on."""
        return tuple(dict.fromkeys([package_of("tumble"), package_of(type(benchmark(self.benchmark)).__module__)]))


@reports_errors
def warm_up(device: str | None, workers: int | None) -> None:
    """Compiles for a device, or for all that there are, and prints each module with its seconds."""
    start = time.monotonic()
    silence_warp()
    if device not in (None, *map(str, wp.get_devices())):
        _check_alias(device)
    devices = [device] if device else distinct_devices()
    cache = Path(wp.config.kernel_cache_dir)
    record = WarmupRecord(cache)
    parts = [part for one in devices for part in _warmup_parts(one)]
    missing = [part for part in parts if not record.has(part.title, part.sources)]
    compiled = _compile_parts(missing, min(workers or cores(), len(missing)), record) if missing else 0
    seconds = f"{time.monotonic() - start:.0f} s"
    done = f"Compiled {plural(compiled, 'module')} in {seconds}" if compiled else "Everything was compiled before"
    print_line(f"{done}; the compiled kernels for {' and '.join(devices)} are in {cache}")


def _check_alias(device: str | None) -> None:
    """Refuses a device that there is not; "cuda" is another name of one."""
    from tumble.engine.host.machine import check_device  # imported late: a repeated command shall be quick

    check_device(str(device))


def distinct_devices() -> list[str]:
    """The CPU, and one GPU of each kind."""
    kinds = {(device.is_cpu, device.name): str(device) for device in reversed(wp.get_devices())}
    return sorted(kinds.values(), key=lambda name: (name != "cpu", name))


def _warmup_parts(device: str) -> list[WarmupPart]:
    """What is compiled for a device: the first of each benchmark, then the second, as those of one share modules."""
    rows = [[WarmupPart(name, part, device) for part in one.warmups()] for name, one in benchmarks().items()]
    return [part for column in zip_longest(*rows) for part in column if part]


def _compile_parts(parts: list[WarmupPart], processes: int, record: WarmupRecord) -> int:
    """Compiles parts in parallel; returns the number of modules that were not in the cache."""
    jobs = {part.title: Job(part.title, compile_part, (part.benchmark, part.name, part.device)) for part in parts}
    of_title = {part.title: part for part in parts}
    compiled, failed = 0, False
    how = f", {processes} at a time" if processes > 1 else ""
    print_line(f"Compiling {plural(len(parts), 'part')} of {plural(len(benchmarks()), 'benchmark')}{how}")
    with bar_with_note("Compiling", len(parts)) as show:
        show(0, parts[0].title)
        for done, outcome in enumerate(LocalExecutor(processes).run(jobs.values()), 1):
            title = outcome.job.name
            show(done, title)
            if outcome.error:
                failed = True
                print_error(f"{title}: {outcome.error}")
                continue
            loads: list[ModuleLoad] = outcome.value
            record.add(title, of_title[title].sources, [load.folder for load in loads])
            compiled += sum(load.compiled for load in loads)
            for load in loads:
                time_taken = f"compiled in {load.seconds:.1f} s" if load.compiled else "was compiled before"
                print_line(f"{title}: {load.name} {time_taken}")
    if failed:
        raise typer.Exit(BAD_INPUT)
    return compiled


def compile_part(name: str, part: str, device: str, progress: ProgressCallback) -> list[ModuleLoad]:
    """Uses a part once: the modules that were loaded."""
    from tumble.engine.host.machine import without_notices

    with without_notices(), module_loads() as loads:
        benchmark(name).warmups()[part](device)
    return loads
