"""A store that several workers fill has the bytes of one that one process fills."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.jobs.executors import LocalExecutor
from tumble.jobs.job import Job, JobProgressCallback, Outcome, run_job
from tumble.phyre.simulation import sweep_files
from tumble.phyre.simulation.sweep_files import StoreError, SweepStore, fill_in_parallel

TASKS = [phyre.task(f"00002:{number:03d}") for number in range(7)]
ACTIONS = phyre.actions.fixed_set(phyre.TIERS["B"], 12)


class LastFirst:
    """Runs jobs in this process, the last one first; jobs whose name contains `failing` fail."""

    def __init__(self, failing: str = "nothing", trace: str = "") -> None:
        self.failing, self.trace = failing, trace
        self.sizes: list[int] = []

    def run(self, jobs: Sequence[Job], progress: JobProgressCallback = lambda *_: None) -> Iterator[Outcome]:
        for job in reversed(jobs):
            self.sizes.append(len(job.arguments[0]))
            if self.failing in job.name:
                yield Outcome(job, error="out of memory", trace=self.trace)
            else:
                yield run_job(job, lambda done, total, job=job: progress(job, done, total))  # type: ignore[misc]


def created(folder: Path) -> SweepStore:
    return sweep_files.create_store(folder, TASKS, "B", ACTIONS, tasks_per_shard=3)


def contents(swept: SweepStore) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in swept.path.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    swept = created(tmp_path_factory.mktemp("expected"))
    swept.fill(phyre.Simulator(TASKS, "B"))
    return contents(swept)


@pytest.mark.parametrize(("statuses", "sizes"), [(24, [1, 2, 2, 2]), (60, [2, 5]), (1, [1] * 7), (10**6, [7])])
def test_the_size_of_jobs_changes_nothing(
    statuses: int, sizes: list[int], expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_files, "STATUSES_PER_JOB", statuses)
    executor = LastFirst()
    swept = created(tmp_path)
    fill_in_parallel(swept, TASKS, executor)
    assert executor.sizes == sizes
    assert contents(swept) == expected


def test_two_processes_write_the_same_bytes(expected: dict[str, bytes], tmp_path: Path) -> None:
    swept = created(tmp_path)
    fill_in_parallel(swept, TASKS, LocalExecutor(2), at_once=1)
    assert contents(swept) == expected


def test_failed_jobs_are_reported_at_the_end_and_swept_later(expected: dict[str, bytes], tmp_path: Path) -> None:
    swept = created(tmp_path)
    with pytest.raises(StoreError, match="tasks 00002:003 to 00002:005: out of memory; the other shards are kept"):
        fill_in_parallel(swept, TASKS, LastFirst(failing="00002:003"), at_once=1)
    assert swept.missing() == [task.id for task in TASKS[3:6]]
    executor = LastFirst()
    fill_in_parallel(swept, TASKS, executor, at_once=1)
    assert executor.sizes == [3]
    assert contents(swept) == expected
    (tmp_path / "shard-00000.bin").unlink()
    with pytest.raises(RuntimeError, match="line 7"):
        fill_in_parallel(swept, TASKS, LastFirst(failing="00002", trace="line 7"))


def test_every_status_is_counted_once() -> None:
    reported: list[tuple[int, int]] = []
    statuses = sweep_files.sweep_tasks(TASKS[:2], ACTIONS, "cpu", lambda done, total: reported.append((done, total)))
    np.testing.assert_array_equal(statuses, phyre.Simulator(TASKS, "B").sweep(ACTIONS)[:2])
    assert reported[-1] == (24, 24)
    assert reported == sorted(reported)


def test_other_tasks_and_sizes_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="at_once must be 1 or more, not 0"):
        fill_in_parallel(created(tmp_path), TASKS, LastFirst(), at_once=0)
    with pytest.raises(StoreError, match="does not have task 00002:006"):
        fill_in_parallel(created(tmp_path), TASKS[:-1], LastFirst())
