"""Reads random and mutated inputs of all formats: no crash, no endless loop, no NaN, and errors in one line.

    python benchmarks/robustness/fuzz.py --count 1000000 --workers 2          the figure of docs/reference/figures.md
    python benchmarks/robustness/fuzz.py --formats phyq-xml worlds --count 5000
    python benchmarks/robustness/fuzz.py --formats phyq-xml --only 1234       one input again, with its traceback

An input is refused with a TumbleError of one line, or accepted, and then its use must give finite, valid results.
Everything else is a finding, whose files are saved below --save. A seed and a number make the same input again. Batches
are checked by other processes, so that a crash or an endless loop is found and costs only its batch.
"""

import faulthandler
import multiprocessing
import queue
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "fuzzing"))

from all_formats import chosen
from formats import Finding, Format, Tally, write
from names import make_canary
from table import Results, arguments

from tumble.progress import silence

SAVED = 3
"""Inputs that are saved of findings with the same problem."""
REPORT_SECONDS = 20.0
MEMORY = 6 << 30
"""Bytes that a process may allocate."""
PREPARATION, SECONDS, INPUT_SECONDS = 300.0, 300.0, 30.0
"""The longest time until samples are made, of a batch, which may compile kernels, and of a single input."""
HANG = "hang"


@dataclass(frozen=True)
class Batch:
    """Some successive inputs of a format."""

    format: Format
    first: int
    count: int

    def halves(self) -> "list[Batch]":
        """The batch in two parts."""
        half = self.count // 2
        return [Batch(self.format, self.first, half), Batch(self.format, self.first + half, self.count - half)]


def batches_of(formats: list[Format], count: int) -> list[Batch]:
    """The inputs of all formats in batches, the formats in turn; each has its share, and at least one input."""
    total = sum(one.share for one in formats)
    counts = {one.name: max(1, round(count * one.share / total)) for one in formats}
    rest = dict.fromkeys(counts, 0)
    batches = []
    while any(rest[name] < counts[name] for name in counts):
        own = min(formats, key=lambda one: rest[one.name] / counts[one.name])
        size = min(own.batch, counts[own.name] - rest[own.name])
        batches.append(Batch(own, rest[own.name], size))
        rest[own.name] += size
    return batches


def serve(connection: Any, seed: int) -> None:
    """Checks the batches that arrive until None does."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    make_canary()
    silence()
    prepared: dict[str, Format] = {}
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        folder = Path(name) / "input"
        folder.mkdir()
        while (batch := connection.recv()) is not None:
            own = prepared.get(batch.format.name)
            if own is None:
                own = prepared[batch.format.name] = batch.format
                samples = Path(name) / f"samples-{own.name}"
                samples.mkdir()
                own.prepare(samples)
            connection.send(None)
            try:
                connection.send(own.verify(seed, batch.first, batch.count, folder))
            except Exception:
                connection.send(traceback.format_exc())


class Worker:
    """A process that checks batches; it is started again after a crash or a time-out."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._connection, other = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(other, self._seed), daemon=True)
        self._process.start()
        other.close()

    def check(self, batch: Batch) -> Tally | str:
        """The tally of a batch, or what went wrong with the process."""
        try:
            self._connection.send(batch)
            for seconds in (PREPARATION, INPUT_SECONDS if batch.count == 1 else SECONDS):
                if not self._connection.poll(seconds):
                    self._restart()
                    return f"{HANG}: no result after {seconds:.0f} s"
                result = self._connection.recv()
        except (EOFError, OSError):
            self._process.join(10.0)
            code = self._process.exitcode
            self._restart()
            return f"crash: the process ended with code {code}"
        if isinstance(result, str):
            raise RuntimeError(f"the fuzzer itself failed on {batch}:\n{result}")
        return result

    def _restart(self) -> None:
        self.stop(polite=False)
        self._start()

    def stop(self, polite: bool = True) -> None:
        """Ends the process."""
        if polite and self._process.is_alive():
            self._connection.send(None)
            self._process.join(5.0)
        self._process.kill()
        self._process.join()
        self._connection.close()


def check_all(
    batches: Sequence[Batch], seed: int, workers: int, minutes: float, done: Callable[[Batch, Tally, float], None]
) -> None:
    """Checks batches until all are done or the time is over; a batch that ends its process is divided."""
    waiting: queue.SimpleQueue[Batch] = queue.SimpleQueue()
    for batch in batches:
        waiting.put(batch)
    end, lock = time.monotonic() + 60.0 * minutes, threading.Lock()

    def work() -> None:
        worker = Worker(seed)
        try:
            while time.monotonic() < end:
                try:
                    batch = waiting.get_nowait()
                except queue.Empty:
                    return
                start = time.monotonic()
                tally = _checked(worker, batch)
                with lock:
                    done(batch, tally, time.monotonic() - start)
        finally:
            worker.stop()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _checked(worker: Worker, batch: Batch) -> Tally:
    """The tally of a batch; where the process crashes or hangs, its single inputs are found by halving."""
    result = worker.check(batch)
    if isinstance(result, Tally):
        return result
    if batch.count == 1:
        return Tally(findings=[Finding(batch.format.name, batch.first, result)])
    tally = Tally()
    for half in batch.halves():
        tally.add(_checked(worker, half))
    if not tally.findings and not result.startswith(HANG):  # a batch that is only slow is no finding
        tally.findings.append(Finding(batch.format.name, batch.first, f"{result}, but not for its single inputs"))
        tally.accepted -= 1
    return tally


def save(own: Format, tally: Tally, seed: int, folder: Path, saved: Counter[str]) -> None:
    """Prints new findings and saves their inputs."""
    for finding in tally.findings:
        key = f"{finding.kind} {finding.group}"
        saved[key] += 1
        if saved[key] > SAVED:
            continue
        print(f"FOUND {finding}", flush=True)
        target = folder / f"{finding.kind}-{finding.number}"
        target.mkdir(parents=True, exist_ok=True)
        (target / "finding.txt").write_text(f"{finding}\n\n{finding.detail}", encoding="utf-8")
        if saved[key] == 1:
            with tempfile.TemporaryDirectory() as samples:
                own.prepare(Path(samples))
                write(target, own.input(seed, finding.number))


def once(own: Format, seed: int, number: int) -> None:
    """Checks one input in this process and prints what is found."""
    with tempfile.TemporaryDirectory() as samples, tempfile.TemporaryDirectory() as folder:
        own.prepare(Path(samples))
        tally = own.verify(seed, number, 1, Path(folder))
        for finding in tally.findings:
            print(finding, finding.detail, sep="\n")
        print(f"refused {tally.refused}, accepted {tally.accepted}, findings {len(tally.findings)}")


def main() -> None:
    given = arguments(
        __doc__,
        formats=(),
        count=20_000,
        seed=0,
        workers=1,
        minutes=120.0,
        save=Path("fuzz-findings"),
        only=int,
        no_csv=False,
    )
    wanted = chosen(given.formats)
    if given.only is not None:
        once(wanted[0], given.seed, given.only)
        return
    present = [one for one in wanted if not one.missing()]
    tallies = {one.name: Tally() for one in present}
    seconds: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    start = last = time.monotonic()

    def done(batch: Batch, tally: Tally, taken: float) -> None:
        nonlocal last
        tallies[batch.format.name].add(tally)
        seconds[batch.format.name] += taken
        save(batch.format, tally, given.seed, given.save, saved)
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            inputs = sum(own.inputs for own in tallies.values())
            print(f"{inputs:,} inputs, {inputs / (last - start):.0f}/s, {sum(saved.values())} findings", flush=True)

    check_all(batches_of(present, given.count), given.seed, given.workers, given.minutes, done)
    results, total = Results(f"Fuzzed inputs, seed {given.seed}"), Tally()
    for one in wanted:
        if one.missing():
            results.add(one.name, "skipped", note=f"{one.missing()} is not installed")
            continue
        own = tallies[one.name]
        total.add(own)
        rate = own.inputs / max(seconds[one.name], 1e-9)
        note = f"{own.refused:,} refused, {own.accepted:,} accepted, {len(own.findings)} findings; {rate:,.0f}/s"
        results.add(one.name, f"{own.inputs:,}", note=note)
    note = f"{total.refused:,} refused, {total.accepted:,} accepted; {(time.monotonic() - start) / 60.0:.0f} minutes, "
    results.add("inputs of all formats", f"{total.inputs:,}", "1,000,000", note=f"{note}{given.workers} workers")
    results.add("crashes, hangs, NaN and other findings", f"{len(total.findings)}", "0")
    if not given.no_csv:
        results.finish("fuzz")


if __name__ == "__main__":
    main()
