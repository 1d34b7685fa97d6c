"""Files of at most 1 MB that ask for as much memory and time as they can, for every reader of what others wrote.

    python benchmarks/robustness/bombs.py                    the figure of docs/figures.md
    python benchmarks/robustness/bombs.py --readers run-archives,masks --verbose

Each file is read by a process of its own, after everything that reading needs was imported and an honest file was
read: what counts is the memory beyond that, and the processor's time. A reader may take at most the smaller of
512 MiB, 5 s, and twice what the largest honest file takes, but 64 MiB and 2 s in any case.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import comphy_bombs
import phyq_bombs
import phyre_bombs
import run_log_bombs
import text_bombs
from bomb_files import Content
from reader import Reader
from table import Results

READERS: tuple[Reader, ...] = (
    *run_log_bombs.READERS,
    *phyre_bombs.READERS,
    *phyq_bombs.READERS,
    *comphy_bombs.READERS,
    *text_bombs.READERS,
)
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


def status(field: str) -> float:
    """A figure of this process in MiB: VmRSS for the memory it has, VmHWM for the most that it had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024.0


def measured(reader: Reader, name: str, content: Content, folder: Path) -> Measured:
    """Reads a file in a process of its own, which is a copy of this one."""
    if isinstance(content, dict):
        path = folder / "input"
        for part, raw in content.items():
            (path / part).parent.mkdir(parents=True, exist_ok=True)
            (path / part).write_bytes(raw)
    else:
        path = folder / reader.file
        path.write_bytes(content)
    answer, code = in_a_copy(lambda: _read(reader, path))
    if not answer:
        return Measured(name, ENOUGH_MEMORY / 2**20, float(ENOUGH_SECONDS), f"the process ended with code {code}")
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


def _read(reader: Reader, path: Path) -> str:
    """Reads a file; returns as JSON what that took, and how it was refused."""
    resource.setrlimit(resource.RLIMIT_DATA, (ENOUGH_MEMORY, ENOUGH_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (ENOUGH_SECONDS, ENOUGH_SECONDS))
    Path("/proc/self/clear_refs").write_text("5")  # the most memory that this process had, from here on
    before, start = status("VmRSS"), time.process_time()
    outcome = ""
    try:
        reader.read(path)
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"[:200]
    seconds, memory = time.process_time() - start, status("VmHWM") - before
    return json.dumps([memory, seconds, outcome])


def limits(honest: Measured) -> tuple[float, float]:
    """The most memory and time of a reader, by those of its largest honest file."""
    return (
        min(MEMORY, max(FLOOR_MEMORY, 2.0 * honest.memory)),
        min(SECONDS, max(FLOOR_SECONDS, 2.0 * honest.seconds)),
    )


def check(reader: Reader, verbose: bool) -> str:
    """Measures all files of a reader; returns as JSON a row of the table, and whether the reader kept to its limits."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        honest_file = reader.honest(folder)
        warm = folder / "warm"
        warm.mkdir()
        small = measured(reader, "honest", honest_file, warm)  # in a process of its own: it takes memory
        if small.outcome:
            raise SystemExit(f"{reader.name}: its honest file can't be read: {small.outcome}")
        reader.load()
        honest = measured(reader, "honest", honest_file, folder)
        most_memory, most_seconds = limits(honest)
        taken = []
        for trick, content in reader.bombs():
            size = sum(map(len, content.values())) if isinstance(content, dict) else len(content)
            if size > 1.1e6:
                continue
            own = measured(reader, trick, content, folder)
            taken.append(own)
            if verbose:
                print(
                    f"    {trick}: {size:,} bytes, {own.memory:.0f} MiB, {own.seconds:.2f} s  {own.outcome}", flush=True
                )
    memory, seconds = (max(taken, key=lambda own, by=by: getattr(own, by)) for by in ("memory", "seconds"))
    odd = [own for own in taken if own.outcome and not reader.is_refusal(own.outcome)]
    kept = memory.memory <= most_memory and seconds.seconds <= most_seconds and not odd
    for own in odd:
        print(f"    {own.name} ended with {own.outcome}", flush=True)
    row = (
        reader.name,
        f"{memory.memory:.0f} MiB, {seconds.seconds:.2f} s",
        f"{most_memory:.0f} MiB, {most_seconds:.1f} s",
        "",
        f"{len(taken)} files; most memory: {memory.name}; most time: {seconds.name}; "
        f"honest: {honest.memory:.0f} MiB, {honest.seconds:.2f} s" + ("" if kept else f"; {NOT_KEPT}"),
    )
    return json.dumps([row, kept])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", default="", help=", ".join(reader.name for reader in READERS))
    parser.add_argument("--verbose", action="store_true", help="print what each file took")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted = [reader for reader in READERS if not options.readers or reader.name in options.readers.split(",")]
    results = Results("Memory and time of files of 1 MB, beyond imports")
    kept = []
    for reader in wanted:
        if reader.missing():
            print(f"{reader.name}: {reader.missing()} is not installed")
            continue
        answer, _ = in_a_copy(lambda reader=reader: check(reader, options.verbose))
        row, is_kept = json.loads(answer) if answer else ((reader.name, "failed", "", "", ""), False)
        results.add(*row)
        kept.append(is_kept)
    if options.readers:
        results.keep_others("bombs", (TOTAL,))
    rows = results.all_rows
    good = sum(row[1] != "failed" and NOT_KEPT not in row[4] for row in rows)
    results.add(TOTAL, f"{good} of {len(rows)}", f"{len(rows)}")
    results.finish("bombs")
    raise SystemExit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
