"""Jobs over a Ray cluster, or over this machine where none is named; the files they write must be on a shared disk.

`RAY_ADDRESS` names a cluster, as Ray itself has it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tumble import progress as bars
from tumble.jobs.job import ExecutorError, Job, Outcome, Progress, attempted


class RayExecutor:
    """Runs each job as a task of Ray with one core; Ray tells how far a job is only when it has ended."""

    def __init__(self, workers: int | None) -> None:
        try:
            import ray
        except ImportError:
            raise ExecutorError('the executor "ray" needs Ray: pip install "tumble[cluster]"') from None
        self._ray: Any = ray
        self.workers = workers

    def run(self, jobs: Sequence[Job], progress: Progress = lambda *_: None) -> Iterator[Outcome]:
        """Outcomes as they come."""
        ray = self._ray
        begun = not ray.is_initialized()
        if begun:
            ray.init(log_to_driver=False)
        call = ray.remote(max_retries=0)(_on_a_node)
        waiting = list(jobs)
        running: dict[Any, Job] = {}
        try:
            while waiting or running:
                while waiting and (self.workers is None or len(running) < self.workers):
                    job = waiting.pop(0)
                    running[call.remote(job)] = job
                (ended, *_), _ = ray.wait(list(running), num_returns=1)
                job = running.pop(ended)
                try:
                    outcome, how_far = ray.get(ended)
                except ray.exceptions.RayError as error:
                    yield Outcome(job, error=" ".join(str(error).split()))
                    continue
                progress(job, *how_far)
                yield outcome
        finally:
            for task in running:
                ray.cancel(task, force=True)
            if begun:
                ray.shutdown()


def _on_a_node(job: Job) -> tuple[Outcome, tuple[int, int]]:
    """One job where Ray wants it done, and how far it came."""
    bars.hush()
    last = (0, 0)

    def report(done: int, total: int) -> None:
        nonlocal last
        last = (done, total)

    return attempted(job, report), last
