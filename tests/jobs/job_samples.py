"""Functions that tests run in other processes, which import them by name."""

import os
import signal
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


def kill_itself(progress: ProgressCallback) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def return_a_function(progress: ProgressCallback) -> object:
    return lambda: None


def thread_limit(progress: ProgressCallback) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def sleep_long(folder: Path, name: str, progress: ProgressCallback) -> None:
    (folder / name).write_text(str(os.getpid()))
    time.sleep(60)


def hold_log(path: Path, header: RunHeader, ready: Event, release: Event) -> None:
    with open_log(path, header):
        ready.set()
        release.wait(30)
