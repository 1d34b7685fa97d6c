"""Jobs on a Ray cluster, or on this machine if none is named; Ray on this machine listens at 127.0.0.1 only.

Ray reads the address of the cluster from `RAY_ADDRESS`. The files that jobs write must be on a disk that all nodes
share. A job that is lost, because its node or its process died, runs again; an error that a job raises is reported and
not repeated.
"""

import logging
import os
import re
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tumble import progress as bars
from tumble.jobs.job import ExecutorError, Job, JobProgressCallback, JobQueue, Jobs, Outcome, run_job

_log = logging.getLogger(__name__)

MAX_LOSSES = 3
"""How often a job may be lost before that is reported as its error: it may be the job that kills its process."""
LOCK_SECONDS = 60.0
"""How long a repeated job waits for files to be unlocked: the process that was lost may take a moment to end."""
POLL_SECONDS = 1.0
"""Between two polls of the progress of running jobs."""
NO_NODE_SECONDS = 300.0
"""How long jobs wait for a node that can run them."""
MIN_WAITING = 16
"""Jobs that are given to Ray beyond two for each core, so that nodes that join have some."""
CONNECT_SECONDS = 10.0
"""In which the address of a cluster must answer; Ray itself tries for minutes."""
OBJECT_STORE_BYTES = 100 << 20
"""On this machine: jobs return little."""


class RayExecutor:
    """Runs each job as a Ray task with one core, whose process is reused; `workers` limits how many run together."""

    def __init__(self, workers: int | None) -> None:
        try:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its errors are raised, too
            import ray
        except ImportError:
            raise ExecutorError('the executor "ray" needs Ray: pip install "tumble[cluster]"') from None
        self._ray: Any = ray
        self.workers = workers

    def run(self, jobs: Jobs, progress: JobProgressCallback | None = None) -> Iterator[Outcome]:
        """Yields outcomes as jobs end."""
        started = not self._ray.is_initialized()
        if started:
            self.connect()
        try:
            yield from _Run(self._ray, jobs, self.workers, progress).outcomes()
        finally:
            if started:
                self._ray.shutdown()

    def connect(self) -> None:
        """Connects to the cluster of `RAY_ADDRESS`, or starts Ray on this machine."""
        address, quiet = os.environ.get("RAY_ADDRESS"), {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if address:
                _check_address(address)
                self._ray.init(address, **quiet)
                return
            with _on_loopback():
                self._ray.init(
                    "local",
                    num_cpus=self.workers,
                    include_dashboard=False,
                    object_store_memory=OBJECT_STORE_BYTES,
                    **quiet,
                )
        except Exception as error:  # Ray raises many kinds
            raise ExecutorError(f"can't use Ray at {address or 'this machine'}: {_one_line(error)}") from None


def _check_address(address: str) -> None:
    """Raises an OSError if nothing listens at an address of the form host:port."""
    found = re.fullmatch(r"(?:ray://)?\[?([^/\s]+?)\]?:([0-9]{1,5})", address)
    if found:
        try:
            socket.create_connection((found[1], int(found[2])), CONNECT_SECONDS).close()
        except TimeoutError:
            raise TimeoutError(f"no answer within {CONNECT_SECONDS:g} s") from None


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Ray that is started meanwhile listens at 127.0.0.1 only, as it does by itself on macOS."""
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


class _Run:
    """The jobs of one call of `RayExecutor.run`, numbered as they are started."""

    def __init__(self, ray: Any, jobs: Jobs, workers: int | None, progress: JobProgressCallback | None) -> None:
        self.ray = ray
        self.queue = JobQueue(jobs)
        self.workers = workers
        self.progress = progress
        self.started = 0
        self.lost: deque[int] = deque()
        """Jobs that run again."""
        self.tasks: dict[Any, int] = {}
        """The number of each running task's job."""
        self.jobs: dict[int, Job] = {}
        """Jobs that have no outcome yet."""
        self.losses: Counter[int] = Counter()
        self.call = ray.remote(max_retries=0)(_run_on_node)
        self.board = None if progress is None else _progress_board(ray)

    def outcomes(self) -> Iterator[Outcome]:
        """Yields outcomes as jobs end."""
        useful = time.monotonic()
        try:
            while True:
                self._start_jobs()
                if not self.tasks:
                    break
                ended, _ = self.ray.wait(list(self.tasks), num_returns=1, timeout=POLL_SECONDS)
                self._report_progress()
                if ended or self.ray.cluster_resources().get("CPU", 0) >= 1:
                    useful = time.monotonic()
                elif time.monotonic() - useful > NO_NODE_SECONDS:
                    raise ExecutorError(f"no node of the Ray cluster has had a core for {NO_NODE_SECONDS:g} s")
                for task in ended:
                    outcome = self._outcome(task, self.tasks.pop(task))
                    if outcome is not None:
                        yield outcome
        finally:
            for task in self.tasks:
                self.ray.cancel(task, force=True)
            if self.board is not None:
                self.ray.kill(self.board)

    def _start_jobs(self) -> None:
        most = self.workers or MIN_WAITING + 2 * int(self.ray.cluster_resources().get("CPU", 0))
        while len(self.tasks) < most:
            if self.lost:
                index = self.lost.popleft()
            elif job := self.queue.take():
                index, self.started = self.started, self.started + 1
                self.jobs[index] = job
            else:
                return
            lock_seconds = LOCK_SECONDS if self.losses[index] else 0.0
            self.tasks[self.call.remote(self.jobs[index], index, lock_seconds, self.board)] = index

    def _outcome(self, task: Any, index: int) -> Outcome | None:
        """The outcome of a task that has ended; None if the job was lost and will run again."""
        job = self.jobs.pop(index)
        try:
            (value, error, trace), last_progress = self.ray.get(task)
        except self.ray.exceptions.RayTaskError as failure:  # when the job's value was pickled
            return Outcome(job, error=f"its value can't be pickled: {_one_line(failure.cause or failure)}")
        except self.ray.exceptions.RayError as failure:
            self.losses[index] += 1
            if self.losses[index] < MAX_LOSSES:
                _log.warning("%s: lost, because its node or its process died; it runs again", job.name)
                self.jobs[index] = job
                self.lost.append(index)
                return None
            return Outcome(job, error=f"lost {MAX_LOSSES} times: {_one_line(failure)}")
        if self.progress is not None:
            self.progress(job, *last_progress)
        return Outcome(job, value, error, trace)

    def _report_progress(self) -> None:
        if self.board is None or self.progress is None:
            return
        running = set(self.tasks.values())
        try:
            news = self.ray.get(self.board.take.remote(), timeout=POLL_SECONDS)
        except self.ray.exceptions.RayError:  # still starting, or lost: jobs report their progress when they end
            return
        for index, (done, total) in news.items():
            if index in running:
                self.progress(self.jobs[index], done, total)


class _ProgressBoard:
    """The latest progress of running jobs, by index; an actor, to which jobs write and which the driver reads."""

    def __init__(self) -> None:
        self.latest: dict[int, tuple[int, int]] = {}

    def put(self, index: int, done: int, total: int) -> None:
        self.latest[index] = done, total

    def take(self) -> dict[int, tuple[int, int]]:
        latest, self.latest = self.latest, {}
        return latest


def _progress_board(ray: Any) -> Any:
    """A new progress board on the node of this process, where no lost node can take it away."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(num_cpus=0, scheduling_strategy=here)(_ProgressBoard).remote()


def _run_on_node(job: Job, index: int, lock_seconds: float, board: Any) -> tuple[tuple[Any, str, str], tuple[int, int]]:
    """Runs one job on a node of the cluster: value, error and traceback of its outcome, and its last progress.

    As long as another process holds a lock that it needs, it is repeated for `lock_seconds` seconds.
    """
    bars.silence()
    progress = _Progress(index, board)
    end = time.monotonic() + lock_seconds
    while (outcome := run_job(job, progress)).locked and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return (outcome.value, outcome.error, outcome.trace), progress.last


class _Progress:
    """A progress callback that writes to the board, at most once in `POLL_SECONDS`."""

    def __init__(self, index: int, board: Any) -> None:
        self.index, self.board = index, board
        self.last = (0, 0)
        self.written = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        self.last = done, total
        now = time.monotonic()
        if self.board is not None and now - self.written >= POLL_SECONDS:
            self.written = now
            self.board.put.remote(self.index, done, total)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
