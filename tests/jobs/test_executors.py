"""Jobs in parallel: outcomes as jobs end, errors belong to their job, and no process is left behind."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import job_samples as samples
import pytest

from tumble.jobs import executors
from tumble.jobs.executors import make_executor
from tumble.jobs.job import ExecutorError, Job, Outcome

MIXED = [
    Job("four", samples.square, (2,)),
    Job("user error", samples.raise_user_error, ("ball",)),
    Job("bug", samples.raise_bug),
    Job("killed", samples.kill_itself),
    Job("unpicklable", samples.return_a_function),
    Job("nine", samples.square, (3,)),
    Job("sixteen", samples.square, (4,)),
]


def outcomes_by_name(jobs: list[Job], workers: int) -> dict[str, Outcome]:
    return {outcome.job.name: outcome for outcome in make_executor(workers=workers).run(jobs)}


def test_an_error_belongs_to_its_job_and_affects_no_other() -> None:
    outcomes = outcomes_by_name(MIXED, workers=2)
    assert set(outcomes) == {job.name for job in MIXED}
    values = {name: outcomes[name].value for name in ("four", "nine", "sixteen")}
    assert values == {"four": 4, "nine": 9, "sixteen": 16}
    assert outcomes["user error"].error == "no ball here"
    assert outcomes["user error"].trace == ""
    assert outcomes["bug"].error == "KeyError: 'surprise'"
    assert "raise_bug" in outcomes["bug"].trace
    assert outcomes["killed"].error == f"its process died, exit code {-signal.SIGKILL}"
    assert "can't be pickled" in outcomes["unpicklable"].error


def test_an_exit_and_a_lock_are_errors_of_the_job(tmp_path: Path) -> None:
    (exited,) = make_executor(workers=1).run([Job("exit", samples.leave)])
    assert exited.error == "SystemExit: 3"
    with (tmp_path / "locked").open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        (refused,) = make_executor(workers=1).run([Job("lock", samples.lock_at_first, (tmp_path, "lock"))])
    assert (refused.error, refused.locked) == ("written by another process", True)
    assert not exited.locked


def test_one_worker_is_this_process() -> None:
    jobs = [job for job in MIXED if job.name not in ("killed", "unpicklable")]
    outcomes = outcomes_by_name(jobs, workers=1)
    assert [outcome.value for outcome in outcomes.values()] == [4, None, None, 9, 16]
    assert outcomes["user error"].error == "no ball here"
    assert next(iter(make_executor(workers=8).run([Job("one", samples.square, (5,))]))).value == 25


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_reported_for_each_job(workers: int) -> None:
    reported: list[tuple[str, int, int]] = []
    jobs = [Job(str(number), samples.square, (number,)) for number in range(3)]
    run = make_executor(workers=workers).run(jobs, lambda job, done, total: reported.append((job.name, done, total)))
    assert sorted(outcome.value for outcome in run) == [0, 1, 4]
    assert sorted(reported) == [(str(number), done, 2) for number in range(3) for done in (1, 2)]


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_are_taken_when_they_can_be_started(workers: int) -> None:
    taken = 0

    def endless() -> Iterator[Job]:
        nonlocal taken
        while True:
            taken += 1
            yield Job(str(taken), samples.square, (taken,))

    run = make_executor(workers=workers).run(endless())
    for ended in range(1, 4):
        next(run)
        assert taken <= ended + workers + 1
    run.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_job_can_wait_for_the_outcomes_of_others(workers: int) -> None:
    squares: list[int] = []

    def jobs() -> Iterator[Job | None]:
        yield from (Job(str(number), samples.square, (number,)) for number in range(1, 5))
        while len(squares) < 4:
            yield None
        yield Job("square of the sum", samples.square, (sum(squares),))

    for outcome in make_executor(workers=workers).run(jobs()):
        squares.append(outcome.value)
    assert sorted(squares) == [1, 4, 9, 16, 900]


def test_workers_use_one_thread() -> None:
    outcomes = outcomes_by_name([Job(name, samples.thread_limit) for name in "ab"], workers=2)
    assert {outcome.value for outcome in outcomes.values()} == {os.environ.get("OMP_NUM_THREADS", "1")}


def test_closing_the_iterator_ends_the_processes(tmp_path: Path) -> None:
    jobs = [Job("quick", samples.square, (2,)), *(Job(name, samples.sleep_long, (tmp_path, name)) for name in "ab")]
    run = make_executor(workers=3).run(jobs)
    assert next(run).value == 4
    wait_for_files(tmp_path, 2)
    run.close()  # type: ignore[attr-defined]
    assert not any(is_alive(int(file.read_text())) for file in tmp_path.iterdir())


def wait_for_files(folder: Path, files: int) -> None:
    for _ in range(600):
        if sum(1 for file in folder.iterdir() if file.read_text()) >= files:
            return
        time.sleep(0.05)
    pytest.fail("the jobs did not start")


def is_alive(process: int) -> bool:
    """Whether a process has not ended; nobody may have asked yet how it did."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not state.exists() or state.read_text().rpartition(") ")[2][0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def restore_interrupts() -> None:
    """Tests that run in the background ignore Ctrl-C, and the processes they start inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


PROGRAM = f"""
import sys
from pathlib import Path
sys.path.append({str(Path(__file__).parent)!r})
import job_samples as samples
from tumble.jobs.executors import make_executor
from tumble.jobs.job import Job
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    jobs = [Job(name, samples.sleep_long, (folder, name)) for name in "abc"]
    try:
        list(make_executor(workers=2).run(jobs))
    except KeyboardInterrupt:
        sys.exit("stopped")
"""


def started(folder: Path) -> "subprocess.Popen[str]":
    """A process whose two workers write the numbers of their processes into a folder."""
    folder.mkdir()
    program = folder.with_suffix(".py")
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(folder)]
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=restore_interrupts
    )


def test_ctrl_c_stops_all_processes_silently(tmp_path: Path) -> None:
    folder = tmp_path / "started"
    process = started(folder)
    wait_for_files(folder, 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
    assert process.communicate(timeout=30)[1] == "stopped\n"
    assert process.returncode == 1
    assert not any(is_alive(int(file.read_text())) for file in folder.iterdir())


def test_workers_end_with_their_parent_whichever_signal_ends_it(tmp_path: Path) -> None:
    signals = {"terminated": signal.SIGTERM, "hung up": signal.SIGHUP, "killed": signal.SIGKILL}
    processes = {name: started(tmp_path / name) for name in signals}
    for name, process in processes.items():
        wait_for_files(tmp_path / name, 2)
        process.send_signal(signals[name])  # to the parent only
        assert process.communicate(timeout=30)[1] == ""
        assert process.returncode == -signals[name]
        workers = [int(file.read_text()) for file in (tmp_path / name).iterdir()]
        if name != "killed":
            assert not any(map(is_alive, workers)), "the parent has waited for them"
        end = time.monotonic() + 30.0
        while any(map(is_alive, workers)):
            assert time.monotonic() < end, f"still alive after their parent was {name}"
            time.sleep(0.01)


def test_unknown_executors_and_worker_counts_are_refused() -> None:
    with pytest.raises(ExecutorError, match="no executor 'slurm'; there are local, ray"):
        make_executor("slurm")
    with pytest.raises(ExecutorError, match="workers must be 1 or more, not 0"):
        make_executor(workers=0)


def test_without_ray_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExecutorError, match=r'needs Ray: pip install "tumble\[cluster\]"'):
        make_executor("ray")


def test_cores_are_those_that_this_process_may_use() -> None:
    assert 1 <= executors.cores() <= (os.cpu_count() or 1)
