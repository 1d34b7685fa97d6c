"""Functions that tests run in other processes, which import them by name."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from tumble.errors import TumbleError
from tumble.jobs.job import ProgressCallback
from tumble.runs.header import RunHeader
from tumble.runs.log import open_log


def square(number: int, progress: ProgressCallback) -> int:
    progress(1, 2)
    progress(2, 2)
    return number * number


def raise_user_error(what: str, progress: ProgressCallback) -> None:
    raise TumbleError(f"no {what} here")


def raise_bug(progress: ProgressCallback) -> None:
    raise KeyError("surprise")


def leave(progress: ProgressCallback) -> None:
    raise SystemExit(3)


def kill_itself(progress: ProgressCallback) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def return_a_function(progress: ProgressCallback) -> object:
    return lambda: None


def return_a_lock(progress: ProgressCallback) -> object:
    """Not even Ray can pickle it."""
    return threading.Lock()


def thread_limit(progress: ProgressCallback) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def sleep_long(folder: Path, name: str, progress: ProgressCallback) -> None:
    (folder / name).write_text(str(os.getpid()))
    time.sleep(60)


def hold_log(path: Path, header: RunHeader, ready: Event, release: Event) -> None:
    with open_log(path, header):
        ready.set()
        release.wait(30)


def record_start(folder: Path, name: str) -> int:
    """How often a job of this name has been started before; its process is written to a file."""
    before = len(list(folder.glob(f"{name}.*")))
    (folder / f"{name}.{before}").write_text(str(os.getpid()))
    return before


def sleep_at_first(folder: Path, name: str, seconds: float, progress: ProgressCallback) -> int:
    """Sleeps when it is run for the first time; returns how often it was run before."""
    before = record_start(folder, name)
    progress(1, 2)
    if not before:
        time.sleep(seconds)
    progress(2, 2)
    return before


def fail(folder: Path, name: str, progress: ProgressCallback) -> None:
    record_start(folder, name)
    raise TumbleError("no ball here")


def die(folder: Path, name: str, progress: ProgressCallback) -> None:
    record_start(folder, name)
    os.kill(os.getpid(), signal.SIGKILL)


def lock_at_first(folder: Path, name: str, progress: ProgressCallback) -> int:
    """Locks a file; the first time, it dies and leaves a process that holds the lock until the job runs again."""
    before = record_start(folder, name)
    with (folder / "locked").open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TumbleError("written by another process") from None
        if not before:
            wait = f"while not os.path.exists({str(folder / name)!r} + '.1'): time.sleep(0.1)"
            program = f"import os, time\n{wait}\ntime.sleep(0.2)"
            subprocess.Popen([sys.executable, "-S", "-c", program], pass_fds=[stream.fileno()], start_new_session=True)
            os.kill(os.getpid(), signal.SIGKILL)
    return before
