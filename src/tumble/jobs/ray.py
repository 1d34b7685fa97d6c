"""Jobs on a Ray cluster, or on this machine if none is configured; the files they write must be on a shared disk.

Ray reads the address of the cluster from `RAY_ADDRESS`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tumble import progress as bars
from tumble.jobs.job import ExecutorError, Job, JobProgressCallback, Outcome, run_job


class RayExecutor:
    """Runs each job as a Ray task with one core; the progress of a job is reported only when it has ended."""

    def __init__(self, workers: int | None) -> None:
        try:
            import ray
        except ImportError:
            raise ExecutorError('the executor "ray" needs Ray: pip install "tumble[cluster]"') from None
        self._ray: Any = ray
        self.workers = workers

    def run(self, jobs: Sequence[Job], progress: JobProgressCallback = lambda *_: None) -> Iterator[Outcome]:
        """Yields outcomes as jobs end."""
        ray = self._ray
        started = not ray.is_initialized()
        if started:
            ray.init(log_to_driver=False)
        call = ray.remote(max_retries=0)(_run_on_node)
        queue = list(jobs)
        running: dict[Any, Job] = {}
        try:
            while queue or running:
                while queue and (self.workers is None or len(running) < self.workers):
                    job = queue.pop(0)
                    running[call.remote(job)] = job
                (ended, *_), _ = ray.wait(list(running), num_returns=1)
                job = running.pop(ended)
                try:
                    outcome, last_progress = ray.get(ended)
                except ray.exceptions.RayError as error:
                    yield Outcome(job, error=" ".join(str(error).split()))
                    continue
                progress(job, *last_progress)
                yield outcome
        finally:
            for task in running:
                ray.cancel(task, force=True)
            if started:
                ray.shutdown()


def _run_on_node(job: Job) -> tuple[Outcome, tuple[int, int]]:
    """Runs one job on a node of the cluster: its outcome, and its last progress."""
    bars.silence()
    last = (0, 0)

    def progress(done: int, total: int) -> None:
        nonlocal last
        last = (done, total)

    return run_job(job, progress), last
