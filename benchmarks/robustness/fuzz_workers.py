"""Checks batches in other processes, so that a crash or an endless loop is found and costs only its batch."""

import faulthandler
import multiprocessing
import os
import queue
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz_kind import Finding, Kind, Tally
from names import make_canary

from tumble.progress import silence

MEMORY = 6 << 30
"""Bytes that a process may allocate."""
SECONDS = 300.0
"""The longest time of a batch, which may compile kernels, on a busy machine …"""
INPUT_SECONDS = 30.0
"""… and of a single input."""
HANG = "hang"
PREPARATION = 300.0
"""Seconds until a process has started and made its samples."""


@dataclass(frozen=True)
class Batch:
    """Some successive inputs of a kind."""

    kind: Kind
    first: int
    count: int

    def halves(self) -> "list[Batch]":
        """The batch in two parts."""
        half = self.count // 2
        return [Batch(self.kind, self.first, half), Batch(self.kind, self.first + half, self.count - half)]


def serve(connection: Any, seed: int) -> None:
    """Checks the batches that arrive until None does."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    make_canary()
    silence()
    prepared: dict[str, Kind] = {}
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        while (batch := connection.recv()) is not None:
            kind = prepared.get(batch.kind.name)
            if kind is None:
                kind = prepared[batch.kind.name] = batch.kind
                samples = Path(name) / f"samples-{kind.name}"
                samples.mkdir()
                kind.prepare(samples)
            connection.send(None)
            folder = Path(name) / "input"
            folder.mkdir(exist_ok=True)
            try:
                connection.send(kind.check(seed, batch.first, batch.count, folder))
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
    end = time.monotonic() + 60.0 * minutes
    lock = threading.Lock()

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
        return Tally(findings=[Finding(batch.kind.name, batch.first, result)])
    tally = Tally()
    for half in batch.halves():
        tally.add(_checked(worker, half))
    if not tally.findings and not result.startswith(HANG):  # a batch that is only slow is no finding
        tally.findings.append(Finding(batch.kind.name, batch.first, f"{result}, but not for its single inputs"))
        tally.accepted -= 1
    return tally


def source_path() -> None:
    """Lets the processes find this package."""
    folder = str(Path(__file__).resolve().parent.parent)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folder not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, paths)])
    if folder not in sys.path:
        sys.path.insert(0, folder)
