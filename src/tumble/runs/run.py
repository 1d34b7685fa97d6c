"""Makes a run: starts or resumes its log, evaluates the missing tasks, finishes the log."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from tumble.jobs.job import ProgressCallback as ProgressCallback
from tumble.runs import log as run_log
from tumble.runs.log import Log, LogError
from tumble.runs.run_spec import AGENT_DIGEST, RunSpec, RunSpecError

S = TypeVar("S", bound=RunSpec)

Evaluate = Callable[[S, Log, ProgressCallback, int], None]
"""Attempts the tasks of a specification that are not yet in a log, with a number of CPU threads (0: all cores)."""


def run(evaluate: Evaluate[S], spec: S, folder: str | Path, progress: ProgressCallback, threads: int = 0) -> Log:
    """Makes a run, resumes it, or reads its log if it is finished."""
    return _complete(evaluate, spec, Path(folder) / spec.file_name(), progress, threads)


def resume(evaluate: Evaluate[S], spec: S, path: str | Path, progress: ProgressCallback, threads: int = 0) -> Log:
    """Resumes the run of a log, with the specification that `resumable` makes of it."""
    return _complete(evaluate, spec, Path(path), progress, threads)


def resumable(log: Log, kind: type[S], agent: str | None = None, settings: Mapping[str, Any] | None = None) -> S:
    """The specification with which a log's run is resumed; a LogError if anything that it depends on has changed.

    A log names no code to run and no file or address to open, so whoever resumes it gives the `agent` of a file again,
    and those `settings` that name files or addresses.
    """
    spec = check_unchanged(log, kind)
    try:
        resumed = spec.resumed(agent, settings or {})
    except RunSpecError as error:
        raise LogError(f"{log.path}: {error}") from None
    if resumed.digests().get(AGENT_DIGEST) != log.header.digests.get(AGENT_DIGEST):
        raise LogError(f"{log.path}: {resumed.agent}: changed since the run was started; start a new run")
    return resumed


def _complete(evaluate: Evaluate[S], spec: S, path: Path, progress: ProgressCallback, threads: int) -> Log:
    finished = run_log.finished_path(path)
    if finished is not None:
        log = run_log.read(finished)
        progress(len(log.tasks), len(log.tasks))
        return log
    with run_log.open_log(path, spec.header()) as log:
        if not log.finished:
            spec.write_tasks(path.parent)
            evaluate(spec, log, progress, threads)
            log.finish()
    return log


def check_unchanged(log: Log, kind: type[S]) -> S:
    """The specification of a log; raises LogError if physics or tasks have changed."""
    spec = spec_of(log, kind)
    if log.header.physics != spec.physics():
        current = spec.physics()
        raise LogError(f"{log.path} was made with physics {log.header.physics}; the current physics is {current}")
    for name, digest in spec.task_digests().items():
        if log.header.digests.get(name) != digest:
            raise LogError(
                f"{log.path}: {name.removesuffix('_sha256')}: changed since the run was started; start a new run"
            )
    return spec


def spec_of(log: Log, kind: type[S]) -> S:
    """The specification of a log; error messages include the file."""
    try:
        return kind.from_header(log.header)
    except (LogError, RunSpecError) as error:
        raise LogError(f"{log.path}: {error}") from None
