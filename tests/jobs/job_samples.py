"""What tests have other processes do, which import it by name."""

import os
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from tumble.errors import TumbleError
from tumble.jobs.job import Report
from tumble.runs.header import RunHeader
from tumble.runs.log import opened


def square(number: int, report: Report) -> int:
    report(1, 2)
    report(2, 2)
    return number * number


def refuse(what: str, report: Report) -> None:
    raise TumbleError(f"no {what} here")


def stumble(report: Report) -> None:
    raise KeyError("surprise")


def die(report: Report) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def give_a_function(report: Report) -> object:
    return lambda: None


def threads(report: Report) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def sleep_long(folder: Path, name: str, report: Report) -> None:
    (folder / name).write_text(str(os.getpid()))
    time.sleep(60)


def hold_log(path: Path, header: RunHeader, ready: Event, let_go: Event) -> None:
    with opened(path, header):
        ready.set()
        let_go.wait(30)
