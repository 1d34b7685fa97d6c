"""Files of at most 1 MB that ask for as much memory and time as they can, for every reader of what others wrote.

    python benchmarks/robustness/bombs.py                                    the figure of docs/reference/figures.md
    python benchmarks/robustness/bombs.py --formats finished-run-logs comphy-masks --verbose

Each file is read by a process of its own, after everything that reading needs was imported and an honest file was
read: what counts is the memory beyond that, and the processor's time. A reader may take at most the smaller of
512 MiB, 5 s, and twice what the largest honest file takes, but 64 MiB and 2 s in any case.
"""

import json
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "fuzzing"))

from all_formats import chosen
from bomb_files import MOST, bombs_of
from formats import Format, clear, write
from table import Results, arguments

from tumble.errors import TumbleError

MEMORY, SECONDS = 512.0, 5.0
"""MiB, and seconds of processor time, that no file may take …"""
FLOOR_MEMORY, FLOOR_SECONDS = 64.0, 2.0
"""… and that every file may take, however little an honest one does."""
TOTAL, NOT_KEPT = "readers that keep to their limits", "NOT KEPT"
ENOUGH_MEMORY, ENOUGH_SECONDS = 8 << 30, 60
"""Bytes and seconds at which a process is ended."""


@dataclass(frozen=True)
class Measured:
    """What reading a file took."""

    name: str
    memory: float
    """MiB."""
    seconds: float
    outcome: str
    """How the file was refused; empty if it was read."""
    is_refusal: bool
    """Whether that was an error in one line, for the person who gave the file."""


def status(field: str) -> float:
    """A figure of this process in MiB: VmRSS for the memory it has, VmHWM for the most that it had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024.0


def measured(own: Format, name: str, files: dict[str, bytes], folder: Path) -> Measured:
    """Reads an input in a process of its own, which is a copy of this one."""
    clear(folder)
    write(folder, dict(files))
    path = folder / own.file if own.file in files else folder if not own.file else folder / next(iter(files))
    answer, code = in_a_copy(lambda: _read(own, path))
    if not answer:
        return Measured(name, ENOUGH_MEMORY / 2**20, ENOUGH_SECONDS, f"the process ended with code {code}", False)
    return Measured(name, *json.loads(answer))


def in_a_copy(work: Callable[[], str]) -> tuple[str, int]:
    """What work returns in a copy of this process, and the code with which that ended; empty if it did not return."""
    source, target = os.pipe()
    process = os.fork()
    if not process:
        code = 1
        try:
            os.write(target, work().encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    os.close(target)
    with os.fdopen(source, encoding="utf-8") as stream:
        answer = stream.read()
    return answer, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _read(own: Format, path: Path) -> str:
    """Reads a file; returns as JSON what that took, and how it was refused."""
    resource.setrlimit(resource.RLIMIT_DATA, (ENOUGH_MEMORY, ENOUGH_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (ENOUGH_SECONDS, ENOUGH_SECONDS))
    Path("/proc/self/clear_refs").write_text("5")  # the most memory that this process had, from here on
    before, start = status("VmRSS"), time.process_time()
    outcome, is_refusal = "", True
    try:
        own.read(path)
    except BaseException as error:
        outcome, is_refusal = f"{type(error).__name__}: {error}"[:200], isinstance(error, TumbleError | OSError)
    seconds, memory = time.process_time() - start, status("VmHWM") - before
    return json.dumps([memory, seconds, outcome, is_refusal])


def check(own: Format, verbose: bool) -> str:
    """Measures all files of a reader; returns as JSON a row of the table, and whether the reader kept to its limits."""
    assert own.largest
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder, samples = Path(name) / "input", Path(name) / "samples"
        folder.mkdir()
        samples.mkdir()
        largest = own.largest(samples)
        first = measured(own, "honest", largest, folder)  # in a process of its own: it takes memory
        if first.outcome:
            raise SystemExit(f"{own.name}: its honest file can't be read: {first.outcome}")
        own.prepare(samples)
        sample = {name: bytes(content) for name, content in own.made[0].items()} if own.made else {}  # type: ignore[arg-type]
        clear(folder)
        write(folder, dict.fromkeys(sample or largest, b"[]"))
        with suppress(Exception):  # refused: it has imported nearly everything
            own.read(folder / own.file if own.file else folder)
        honest = measured(own, "honest", largest, folder)
        taken = []
        for trick, files in chain(bombs_of(sample), own.bombs(sample) if own.bombs else ()):
            sealed = own.resealed(dict(files))
            size = sum(len(content) for content in sealed.values() if isinstance(content, bytes))
            if size > 1.1 * MOST:
                continue
            taken.append(measured(own, trick, sealed, folder))  # type: ignore[arg-type]
            if verbose:
                last = taken[-1]
                print(f"    {trick}: {size:,} bytes, {last.memory:.0f} MiB, {last.seconds:.2f} s  {last.outcome}")
    most_memory = min(MEMORY, max(FLOOR_MEMORY, 2.0 * honest.memory))
    most_seconds = min(SECONDS, max(FLOOR_SECONDS, 2.0 * honest.seconds))
    memory, seconds = max(taken, key=lambda one: one.memory), max(taken, key=lambda one: one.seconds)
    odd = [one for one in taken if not one.is_refusal]
    kept = memory.memory <= most_memory and seconds.seconds <= most_seconds and not odd
    for one in odd:
        print(f"    {one.name} ended with {one.outcome}", flush=True)
    note = f"{len(taken)} files; most memory: {memory.name}; most time: {seconds.name}; "
    note += f"honest: {honest.memory:.0f} MiB, {honest.seconds:.2f} s" + ("" if kept else f"; {NOT_KEPT}")
    limits = f"{most_memory:.0f} MiB, {most_seconds:.1f} s"
    return json.dumps([(own.name, f"{memory.memory:.0f} MiB, {seconds.seconds:.2f} s", limits, "", note), kept])


def main() -> None:
    given = arguments(__doc__, formats=(), verbose=False)
    warnings.simplefilter("ignore")
    results, kept = Results("Memory and time of files of 1 MB, beyond imports"), []
    for own in chosen(given.formats):
        if own.largest is None or own.missing():
            continue
        answer, _ = in_a_copy(lambda own=own: check(own, given.verbose))
        row, is_kept = json.loads(answer) if answer else ((own.name, "failed", "", "", NOT_KEPT), False)
        results.add(*row)
        kept.append(is_kept)
    if given.formats:
        results.keep_others("bombs", (TOTAL,))
    rows = results.all_rows
    results.add(TOTAL, f"{sum(NOT_KEPT not in row[4] for row in rows)} of {len(rows)}", f"{len(rows)}")
    results.finish("bombs")
    raise SystemExit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
