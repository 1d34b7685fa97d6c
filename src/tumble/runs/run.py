"""Runs: begun, resumed, finished."""

from collections.abc import Callable
from pathlib import Path

from tumble.runs import log as run_log
from tumble.runs.log import Log, Row
from tumble.runs.run_spec import Told


def go_on(path: Path, header: Callable[[], Row], evaluate: Callable[[Log], None], advance: Told) -> Log:
    """The log of this name, finished: as it is, or by evaluating what it lacks; `header` is for a new one."""
    target = run_log.finished_at(path)
    if target is not None:
        log = run_log.read(target)
        advance(len(log.tasks), len(log.tasks))
        return log
    with run_log.opened(path, header()) as log:
        if not log.finished:
            evaluate(log)
    return log
