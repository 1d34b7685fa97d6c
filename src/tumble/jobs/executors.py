"""Executors by name."""

import os

from tumble.jobs.job import Executor, ExecutorError
from tumble.jobs.local import LocalExecutor

EXECUTORS = ("local", "ray")


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make(name: str = "local", workers: int | None = None) -> Executor:
    """An executor by its name; by default with one worker per core."""
    if name not in EXECUTORS:
        raise ExecutorError(f"no executor {name!r}; there are {', '.join(EXECUTORS)}")
    if workers is not None and workers < 1:
        raise ExecutorError(f"workers must be 1 or more, not {workers}")
    if name == "ray":
        from tumble.jobs.ray import RayExecutor

        return RayExecutor(workers)
    return LocalExecutor(workers or cores())
