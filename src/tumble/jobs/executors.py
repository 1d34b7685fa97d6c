"""Executors by name, and the one that runs jobs in processes of this machine.

    for outcome in LocalExecutor(workers=4).run([Job("one", work, (1, "folder"))]):
        print(outcome.job.name, outcome.value, outcome.error)

Outcomes are yielded as jobs end, in no fixed order. A job that fails, or whose process dies, does not affect others.
Worker processes end with this one, however it ends.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait

from tumble import progress as bars
from tumble.jobs.job import Executor, ExecutorError, Job, JobProgressCallback, JobQueue, Jobs, Outcome, run_job

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a process, besides Ctrl-C, which is a KeyboardInterrupt."""
STOP_SECONDS = 5.0
"""After SIGTERM, before a process is killed."""
_NO_JOB = Job("", print)
"""Replaces the job of an outcome that a worker sends: the parent process knows it."""


class LocalExecutor:
    """Runs jobs in a number of processes, or in this one if one is enough."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, jobs: Jobs, progress: JobProgressCallback = lambda *_: None) -> Iterator[Outcome]:
        """Yields outcomes as jobs end."""
        queue = JobQueue(jobs)
        if self.workers == 1 or _has_one_job(queue):
            while job := queue.take():
                yield run_job(job, lambda done, total, job=job: progress(job, done, total))  # type: ignore[misc]
            return
        workers: list[_Worker] = []
        with _ending(workers):
            while True:
                _start_jobs(queue, workers, self.workers)
                if not any(worker.job for worker in workers):
                    break
                for connection in wait([worker.connection for worker in workers if worker.job]):
                    worker = next(worker for worker in workers if worker.connection is connection)
                    outcome = worker.receive(progress)
                    if outcome:
                        yield outcome
                    if worker.dead:
                        workers.remove(worker)


def _has_one_job(queue: JobQueue) -> bool:
    """Whether there is one job at most, which needs no process of its own."""
    first, second = queue.take(), queue.take()
    queue.give_back(*(job for job in (first, second) if job))
    return queue.exhausted and second is None


def _start_jobs(queue: JobQueue, workers: "list[_Worker]", max_workers: int) -> None:
    """Gives every worker a job, as long as there are jobs."""
    while any(not worker.job for worker in workers) or len(workers) < max_workers:
        job = queue.take()
        if job is None:
            return
        _idle_worker(workers).start(job)


def _idle_worker(workers: "list[_Worker]") -> "_Worker":
    """A worker without a job; a new one if all have one."""
    idle = next((worker for worker in workers if not worker.job), None)
    if idle is None:
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
        job, self.job = self.job, None
        outcome: Outcome = message
        return replace(outcome, job=job)

    def stop(self) -> None:
        """Waits for the end of a process that was terminated, and then kills it."""
        self.process.join(STOP_SECONDS)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.connection.close()


@contextmanager
def _ending(workers: "list[_Worker]") -> Iterator[None]:
    """Ends all workers after a block, and before a signal ends this process, which it does nevertheless."""

    def end_workers() -> None:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.stop()
        workers.clear()

    def end_all(number: int, _: object) -> None:
        end_workers()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    handled = []
    if threading.current_thread() is threading.main_thread():  # others can't handle signals
        handled = [number for number in ENDING_SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, end_all)
    try:
        yield
    finally:
        end_workers()
        with suppress(ValueError):  # the garbage collector closes this in any thread
            for number in handled:
                signal.signal(number, signal.SIG_DFL)


def _end_with_parent() -> None:
    """Ends this worker as soon as its parent has ended, even if that was killed; jobs are safe to kill."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _work(connection: Connection) -> None:
    """The main loop of a worker process; ends when the connection is closed."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    bars.silence()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # the other cores have other jobs
        os.environ.setdefault(name, "1")
    with suppress(EOFError, BrokenPipeError, ConnectionError):
        while True:
            job = connection.recv()
            outcome = run_job(job, lambda done, total: connection.send((done, total)))
            try:
                connection.send(replace(outcome, job=_NO_JOB))  # its arguments need not travel back
            except (TypeError, AttributeError, ValueError) as error:
                connection.send(Outcome(_NO_JOB, error=f"its value can't be pickled: {error}"))


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


EXECUTORS = ("local", "ray")


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_executor(name: str = "local", workers: int | None = None) -> Executor:
    """An executor by its name; by default with one worker per core."""
    if name not in EXECUTORS:
        raise ExecutorError(f"no executor {name!r}; there are {', '.join(EXECUTORS)}")
    if workers is not None and workers < 1:
        raise ExecutorError(f"workers must be 1 or more, not {workers}")
    if name == "ray":
        from tumble.jobs.ray import RayExecutor

        return RayExecutor(workers)
    return LocalExecutor(workers or cores())
