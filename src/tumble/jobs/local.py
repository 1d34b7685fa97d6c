"""Many independent jobs side by side: in processes over the cores of this machine, or over a Ray cluster.

    for outcome in executor.make(workers=4).run([Job("one", work, (1, "folder"))]):
        print(outcome.job.name, outcome.value, outcome.error)

Outcomes come as jobs end, in no fixed order. A job that fails, or whose process dies, costs no other job its result.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from tumble import progress as bars
from tumble.jobs.job import Job, Outcome, Progress, attempted

PATIENCE = 5.0
"""Seconds that a process has to end after it was told to."""


class LocalExecutor:
    """Runs jobs in so many processes, or in this one where a single process would do."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, jobs: Sequence[Job], progress: Progress = lambda *_: None) -> Iterator[Outcome]:
        """Outcomes as they come."""
        workers = min(self.workers, len(jobs))
        if workers <= 1:
            for job in jobs:
                yield attempted(job, lambda done, total, job=job: progress(job, done, total))  # type: ignore[misc]
            return
        waiting = deque(jobs)
        team: list[_Worker] = []
        try:
            while waiting or any(worker.job for worker in team):
                while waiting and (idle := _idle(team, workers)):
                    idle.begin(waiting.popleft())
                for connection in wait([worker.connection for worker in team if worker.job]):
                    worker = next(worker for worker in team if worker.connection is connection)
                    outcome = worker.heard(progress)
                    if outcome:
                        yield outcome
                    if worker.dead:
                        team.remove(worker)
        finally:
            for worker in team:
                worker.stop()


def _idle(team: "list[_Worker]", most: int) -> "_Worker | None":
    """A worker without a job, a new one if there may be more."""
    found = next((worker for worker in team if not worker.job), None)
    if found is None and len(team) < most:
        found = _Worker()
        team.append(found)
    return found


class _Worker:
    """A process that does one job after the other."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _interrupts_ignored():
            self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.dead = False

    def begin(self, job: Job) -> None:
        self.job = job
        with suppress(BrokenPipeError):  # it is dead, which will be heard
            self.connection.send(job)

    def heard(self, progress: Progress) -> Outcome | None:
        """Takes its next message: an outcome, or how far it is."""
        assert self.job is not None
        try:
            message = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            job, self.job, self.dead = self.job, None, True
            return Outcome(job, error=f"its process died, exit code {self.process.exitcode}")
        if isinstance(message, tuple):
            progress(self.job, *message)
            return None
        self.job = None
        return message if isinstance(message, Outcome) else None

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.connection.close()


def _work(connection: Connection) -> None:
    """What a process of the team does until nobody listens any more."""
    bars.hush()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # the other cores have other jobs
        os.environ.setdefault(name, "1")
    with suppress(EOFError, BrokenPipeError, ConnectionError):
        while True:
            job = connection.recv()
            outcome = attempted(job, lambda done, total: connection.send((done, total)))
            try:
                connection.send(outcome)
            except (TypeError, AttributeError, ValueError) as error:
                connection.send(Outcome(job, error=f"its result can't be sent: {error}"))


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes that start now don't hear Ctrl-C: the one that started them does, and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
