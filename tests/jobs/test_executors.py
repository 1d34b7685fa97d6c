"""Jobs side by side: results as they come, errors that name their job, and an end that leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import job_samples as samples
import pytest

from tumble.jobs import executors
from tumble.jobs.executors import make
from tumble.jobs.job import ExecutorError, Job, Outcome

MIXED = [
    Job("four", samples.square, (2,)),
    Job("refused", samples.refuse, ("ball",)),
    Job("stumbled", samples.stumble),
    Job("died", samples.die),
    Job("odd", samples.give_a_function),
    Job("nine", samples.square, (3,)),
    Job("sixteen", samples.square, (4,)),
]


def outcomes(jobs: list[Job], workers: int) -> dict[str, Outcome]:
    return {outcome.job.name: outcome for outcome in make(workers=workers).run(jobs)}


def test_errors_name_their_job_and_cost_no_other_its_result() -> None:
    found = outcomes(MIXED, workers=2)
    assert set(found) == {job.name for job in MIXED}
    assert {name: found[name].value for name in ("four", "nine", "sixteen")} == {"four": 4, "nine": 9, "sixteen": 16}
    assert found["refused"].error == "no ball here"
    assert found["refused"].trace == ""
    assert found["stumbled"].error == "KeyError: 'surprise'"
    assert "stumble" in found["stumbled"].trace
    assert found["died"].error == f"its process died, exit code {-signal.SIGKILL}"
    assert "can't be sent" in found["odd"].error


def test_one_worker_is_this_process() -> None:
    jobs = [job for job in MIXED if job.name not in ("died", "odd")]
    here = outcomes(jobs, workers=1)
    assert [outcome.value for outcome in here.values()] == [4, None, None, 9, 16]
    assert here["refused"].error == "no ball here"
    assert next(iter(make(workers=8).run([Job("one", samples.square, (5,))]))).value == 25


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_told_for_each_job(workers: int) -> None:
    told: list[tuple[str, int, int]] = []
    jobs = [Job(str(number), samples.square, (number,)) for number in range(3)]
    run = make(workers=workers).run(jobs, lambda job, done, total: told.append((job.name, done, total)))
    assert sorted(outcome.value for outcome in run) == [0, 1, 4]
    assert sorted(told) == [(str(number), done, 2) for number in range(3) for done in (1, 2)]


def test_workers_leave_the_other_cores_alone() -> None:
    found = outcomes([Job(name, samples.threads) for name in "ab"], workers=2)
    assert {outcome.value for outcome in found.values()} == {os.environ.get("OMP_NUM_THREADS", "1")}


def test_who_stops_listening_ends_the_processes(tmp_path: Path) -> None:
    jobs = [Job("quick", samples.square, (2,)), *(Job(name, samples.sleep_long, (tmp_path, name)) for name in "ab")]
    run = make(workers=3).run(jobs)
    assert next(run).value == 4
    waited_for(tmp_path, 2)
    run.close()  # type: ignore[attr-defined]
    assert not any(alive(int(file.read_text())) for file in tmp_path.iterdir())


def waited_for(folder: Path, files: int) -> None:
    for _ in range(600):
        if sum(1 for file in folder.iterdir() if file.read_text()) >= files:
            return
        time.sleep(0.05)
    pytest.fail("the jobs did not begin")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def hear_interrupts() -> None:
    """Tests that run in the background are started with a deaf ear to Ctrl-C, which processes inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_stops_everything_without_noise(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\n"
        f"sys.path.append({str(Path(__file__).parent)!r})\n"
        "import job_samples as samples\nfrom tumble.jobs.executors import make\nfrom tumble.jobs.job import Job\n"
        "if __name__ == '__main__':\n"
        "    folder = Path(sys.argv[1])\n"
        "    jobs = [Job(name, samples.sleep_long, (folder, name)) for name in 'abc']\n"
        "    try:\n"
        "        list(make(workers=2).run(jobs))\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit('stopped')\n"
    )
    folder = tmp_path / "begun"
    folder.mkdir()
    command = [sys.executable, str(program), str(folder)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear_interrupts
    )
    waited_for(folder, 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
    assert process.communicate(timeout=30)[1] == "stopped\n"
    assert process.returncode == 1
    assert not any(alive(int(file.read_text())) for file in folder.iterdir())


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(ExecutorError, match="no executor 'slurm'; there are local, ray"):
        make("slurm")
    with pytest.raises(ExecutorError, match="workers must be 1 or more, not 0"):
        make(workers=0)


def test_without_ray_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExecutorError, match=r'needs Ray: pip install "tumble\[cluster\]"'):
        make("ray")


def test_ray_is_asked_for_each_job_and_left_alone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in that runs jobs at once, in the way Ray is called."""
    calls: list[str] = []
    ray = ModuleType("ray")
    lost = type("RayError", (Exception,), {})

    def get(reference: Job) -> object:
        if reference.name == "died":
            raise lost("the worker\ndied")
        return ray_task(reference)

    def remote(**options: object) -> object:
        def decorate(function: object) -> object:
            nonlocal ray_task
            ray_task = function
            return SimpleNamespace(remote=lambda job: job)

        assert options == {"max_retries": 0}
        return decorate

    ray_task: object = None
    stand_in = {
        "is_initialized": lambda: False,
        "init": lambda **_: calls.append("init"),
        "shutdown": lambda: calls.append("shutdown"),
        "cancel": lambda *_, **__: calls.append("cancel"),
        "remote": remote,
        "wait": lambda references, num_returns: (references[:num_returns], references[num_returns:]),
        "get": get,
        "exceptions": SimpleNamespace(RayError=lost),
    }
    for name, value in stand_in.items():
        setattr(ray, name, value)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr("tumble.progress._silent", False)
    told: list[tuple[str, int, int]] = []
    jobs = [job for job in MIXED if job.name in ("four", "refused", "died", "nine")]
    run = make("ray", 2).run(jobs, lambda job, done, total: told.append((job.name, done, total)))
    found = {outcome.job.name: outcome for outcome in run}
    assert (found["four"].value, found["nine"].value) == (4, 9)
    assert found["refused"].error == "no ball here"
    assert found["died"].error == "the worker died"
    assert ("four", 2, 2) in told
    assert calls == ["init", "shutdown"]


def test_cores_are_those_that_this_process_may_use() -> None:
    assert 1 <= executors.cores() <= (os.cpu_count() or 1)
