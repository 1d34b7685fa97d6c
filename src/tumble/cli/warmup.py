"""`tumble warmup`: compiles the kernels of all benchmarks beforehand, in parallel processes."""

import time
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import typer
import warp as wp

from tumble.benchmark import benchmark, benchmarks
from tumble.cli.warmup_record import WarmupRecord, package_of
from tumble.jobs.executors import cores
from tumble.jobs.job import Job, ProgressCallback
from tumble.jobs.local import LocalExecutor
from tumble.output import BAD_INPUT, plural, print_error, print_line, reports_errors
from tumble.progress import bar_with_note
from tumble.scene.warp_setup import ModuleLoad, module_loads, silence_warp


@dataclass(frozen=True)
class Part:
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
    parts = [part for one in devices for part in _parts(one)]
    missing = [part for part in parts if not record.has(part.title, part.sources)]
    compiled = _compile(missing, min(workers or cores(), len(missing)), record) if missing else 0
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


def _parts(device: str) -> list[Part]:
    """What is compiled for a device: the first of each benchmark, then the second, as those of one share modules."""
    rows = [[Part(name, part, device) for part in one.warmups()] for name, one in benchmarks().items()]
    return [part for column in zip_longest(*rows) for part in column if part]


def _compile(parts: list[Part], processes: int, record: WarmupRecord) -> int:
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
