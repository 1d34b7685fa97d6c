"""Jobs in processes of this machine.

    for outcome in LocalExecutor(workers=4).run([Job("one", work, (1, "folder"))]):
        print(outcome.job.name, outcome.value, outcome.error)

Outcomes come as jobs end, in no fixed order. A job that fails, or whose process dies, costs no other job its outcome.
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
from tumble.jobs.job import Job, Outcome, Progress, run_job

STOP_SECONDS = 5.0
"""How long a process may take to end after it was terminated, before it is killed."""


class LocalExecutor:
    """Runs jobs in a number of processes, or in this one where a single process would do."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, jobs: Sequence[Job], progress: Progress = lambda *_: None) -> Iterator[Outcome]:
        """Outcomes as jobs end."""
        most = min(self.workers, len(jobs))
        if most <= 1:
            for job in jobs:
                yield run_job(job, lambda done, total, job=job: progress(job, done, total))  # type: ignore[misc]
            return
        queue = deque(jobs)
        workers: list[_Worker] = []
        try:
            while queue or any(worker.job for worker in workers):
                while queue and (idle := _idle(workers, most)):
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


def _idle(workers: "list[_Worker]", most: int) -> "_Worker | None":
    """A worker without a job, a new one if there are fewer than `most`."""
    found = next((worker for worker in workers if not worker.job), None)
    if found is None and len(workers) < most:
        found = _Worker()
        workers.append(found)
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

    def start(self, job: Job) -> None:
        self.job = job
        with suppress(BrokenPipeError):  # it is dead, which `receive` will notice
            self.connection.send(job)

    def receive(self, progress: Progress) -> Outcome | None:
        """Takes its next message: an outcome, or its progress."""
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
    """What a worker process does until its connection is closed."""
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
                connection.send(Outcome(job, error=f"its value can't be sent: {error}"))


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes that start now ignore Ctrl-C: their parent gets it, and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
