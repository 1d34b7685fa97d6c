"""Jobs in processes of this machine.

    for outcome in LocalExecutor(workers=4).run([Job("one", work, (1, "folder"))]):
        print(outcome.job.name, outcome.value, outcome.error)

Outcomes are yielded as jobs end, in no fixed order. A job that fails, or whose process dies, does not affect others.
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
from tumble.jobs.job import Job, JobProgressCallback, Outcome, run_job

STOP_SECONDS = 5.0
"""After SIGTERM, before a process is killed."""


class LocalExecutor:
    """Runs jobs in a number of processes, or in this one if one is enough."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, jobs: Sequence[Job], progress: JobProgressCallback = lambda *_: None) -> Iterator[Outcome]:
        """Yields outcomes as jobs end."""
        max_workers = min(self.workers, len(jobs))
        if max_workers <= 1:
            for job in jobs:
                yield run_job(job, lambda done, total, job=job: progress(job, done, total))  # type: ignore[misc]
            return
        queue = deque(jobs)
        workers: list[_Worker] = []
        try:
            while queue or any(worker.job for worker in workers):
                while queue and (idle := _idle_worker(workers, max_workers)):
                    idle.start(queue.popleft())
                for connection in wait([worker.connection for worker in workers if worker.job]):
                    worker = next(worker for worker in workers if worker.connection is connection)
                    outcome = worker.receive(progress)
                    if outcome:
                        yield outcome
                    if worker.dead:
                        workers.remove(worker)
        finally:
            for worker in workers:
                worker.stop()


def _idle_worker(workers: "list[_Worker]", max_workers: int) -> "_Worker | None":
    """A worker without a job; starts a new one if there are fewer than `max_workers`."""
    idle = next((worker for worker in workers if not worker.job), None)
    if idle is None and len(workers) < max_workers:
        idle = _Worker()
        workers.append(idle)
    return idle


class _Worker:
    """A process that runs one job after the other."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, worker_end = context.Pipe()
        self.process = context.Process(target=_work, args=(worker_end,), daemon=True)
        with _interrupts_ignored():
            self.process.start()
        worker_end.close()
        self.job: Job | None = None
        self.dead = False

    def start(self, job: Job) -> None:
        self.job = job
        with suppress(BrokenPipeError):  # the process is dead, which `receive` will notice
            self.connection.send(job)

    def receive(self, progress: JobProgressCallback) -> Outcome | None:
        """Handles the next message of the process: returns an outcome, or passes progress on."""
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
        self.process.join(STOP_SECONDS)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.connection.close()


def _work(connection: Connection) -> None:
    """The main loop of a worker process; ends when the connection is closed."""
    bars.silence()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # the other cores have other jobs
        os.environ.setdefault(name, "1")
    with suppress(EOFError, BrokenPipeError, ConnectionError):
        while True:
            job = connection.recv()
            outcome = run_job(job, lambda done, total: connection.send((done, total)))
            try:
                connection.send(outcome)
            except (TypeError, AttributeError, ValueError) as error:
                connection.send(Outcome(job, error=f"its value can't be pickled: {error}"))


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C: their parent handles it and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
