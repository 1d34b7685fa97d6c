"""Kills jobs at random moments and resumes them: results must equal those of jobs that were never killed.

    python benchmarks/robustness/kills.py [--jobs sweep] [--kills 300] [--workers 16]

A job (`jobs.py`) is started as a group of processes and killed, again and again, by repeating the same command,
until it completes before it can be killed; then its results are compared with those of a job that was not killed, and
the next one starts in an empty folder. Half of the kills come at a moment that is uniform over the duration of the job,
from its start until after its end; the other half just when it has written something. 7 of 10 are SIGKILL, the others
SIGTERM and SIGINT; 1 of 5 SIGKILLs hits the first process only, whose workers must then end by themselves.

Folders of jobs with other results are kept. The exit code is 1 if there are any.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from table import Results, arguments

from jobs import Job, killed

SIGNALS, SHARES = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT), (70, 15, 15)
ONLY_FIRST = 0.2
"""Of the SIGKILLs, those that hit the first process of the group only."""
AT_A_WRITE = 0.5
LATEST = 1.1
"""The latest random moment, in durations of an unkilled job."""
STOP_SECONDS = 60.0
"""In which a job must end after a signal, and its workers after their parent."""
MOST_KILLS = 30
"""Of one job, which then runs to its end."""
POLL_SECONDS = 0.003
Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Reference:
    """A job that was not killed."""

    seconds: float
    writes: int
    """Changes of its folder."""
    results: dict[str, Any]


@dataclass
class Ending:
    """How a job ended: its kills, and what is wrong with it."""

    job: str
    kills: Counter[str] = field(default_factory=Counter)
    problem: str = ""


class Purse:
    """The kills that are still to be made, by all jobs together."""

    def __init__(self, kills: int) -> None:
        self.left, self._lock = kills, Lock()

    def take(self) -> bool:
        """Whether there was another one."""
        with self._lock:
            self.left -= 1
            if self.left < 0:
                self.left = 0
                return False
            return True

    def give_back(self) -> None:
        with self._lock:
            self.left += 1


def survives(name: str, given: Any) -> bool:
    """Whether all jobs of a name survive a number of kills; writes a table of it."""
    start, folder = time.monotonic(), Path(tempfile.mkdtemp(prefix=f"kills-{name}-"))
    references = {job: unkilled(job, folder) for job in killed()[name]}
    jobs, purse, endings = list(references), Purse(given.kills), list[Ending]()

    def work(lane: int) -> None:
        for number in range(lane, 10**9, given.workers):
            if purse.left <= 0:
                return
            job = jobs[number % len(jobs)]
            ending = attacked(job, references[job], folder / f"{number:05d}", f"{given.seed} {number}", purse)
            endings.append(ending)
            state = ending.problem or "equal"
            print(f"{name}: {purse.left} kills left; {job.name}, {ending.kills.total()}: {state}", flush=True)

    with ThreadPoolExecutor(given.workers) as pool:
        list(pool.map(work, range(given.workers)))
    happened = sum((ending.kills for ending in endings), Counter[str]())
    survived = sum(ending.kills.total() for ending in endings if not ending.problem)
    note = ", ".join(f"{count} {kind}" for kind, count in sorted(happened.items()))
    made = ", ".join(f"{count} x {job}" for job, count in sorted(Counter(one.job for one in endings).items()))
    note = f"{note}; jobs: {made}; {time.monotonic() - start:.0f} s"
    results = Results("Jobs that are killed and resumed")
    value, must = f"{survived} of {happened.total()}", f"{given.kills} of {given.kills}"
    results.add(f"{name}: kills survived, results equal", value, must, "", note)
    results.finish(f"kills-{name}")
    wrong = any(ending.problem for ending in endings)
    if not wrong:
        shutil.rmtree(folder)
    return not wrong and happened.total() >= given.kills


def unkilled(job: Job, folder: Path) -> Reference:
    """Runs a job to its end, twice: the first time, kernels may have to be compiled."""
    for attempt in ("warm-up", "reference"):
        own = folder / f"{attempt} {job.name}"
        own.mkdir(parents=True)
        start, writes, before = time.monotonic(), 0, signature(own)
        with start_job(job, own) as process:
            while process.poll() is None:
                now = signature(own)
                writes, before = writes + (now != before), now
                time.sleep(POLL_SECONDS)
        if process.returncode:
            raise SystemExit(f"{job.name}: {printed(own)}")
    return Reference(time.monotonic() - start, writes, job.results(own))


def attacked(job: Job, reference: Reference, folder: Path, seed: str, purse: Purse) -> Ending:
    """Runs a job with kills until it completes, and compares its results."""
    draw, ending = random.Random(seed), Ending(job.name)
    folder.mkdir()
    while not ending.problem:
        kill = ending.kills.total() < MOST_KILLS and purse.take()
        with start_job(job, folder) as process:
            if not kill:
                process.wait()
            elif wait_for_moment(process, reference, folder, draw):
                kind, ending.problem = kill_job(process, draw)
                ending.kills[kind] += 1
                continue
            else:
                purse.give_back()
        ending.problem = compared(job, reference, folder, process.returncode)
        break
    if ending.problem:
        print(f"{job.name}: {ending.problem}; kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder)
        output_of(folder).unlink()
    return ending


def compared(job: Job, reference: Reference, folder: Path, code: int) -> str:
    """What is wrong with a job that has ended; empty if its results are those of the reference."""
    if code:
        return f"exit code {code}: {printed(folder)}"
    try:
        found = job.results(folder)
    except Exception as error:
        return f"results can't be read: {type(error).__name__}: {error}"
    names = {*found, *reference.results}
    differing = sorted(name for name in names if found.get(name) != reference.results.get(name))
    return f"different: {', '.join(differing)}" if differing else ""


def start_job(job: Job, folder: Path) -> Process:
    """Starts a job as a group of processes."""
    with output_of(folder).open("wb") as output:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("jobs.py")), job.name, str(folder)],
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # programs in the background ignore it
        )


def output_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.txt")


def printed(folder: Path) -> str:
    """The end of what a job has printed last, in one line."""
    return " ".join(output_of(folder).read_text(errors="replace").split())[-600:]


def wait_for_moment(process: Process, reference: Reference, folder: Path, draw: random.Random) -> bool:
    """Waits until a job is to be killed; False if it has ended before."""
    end = time.monotonic() + draw.uniform(0.0, LATEST * reference.seconds)
    at_write, writes = draw.random() < AT_A_WRITE, draw.randint(1, max(1, reference.writes))
    before = signature(folder)
    while process.poll() is None:
        if at_write:
            now = signature(folder)
            writes, before = writes - (now != before), now
            if writes <= 0:
                return process.poll() is None
        elif time.monotonic() >= end:
            return True
        time.sleep(POLL_SECONDS)
    return False


def signature(folder: Path) -> set[tuple[str, int, int]]:
    """Names, sizes and times of all files of a folder, temporary ones too."""
    found = set()
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                state = os.stat(os.path.join(path, name))  # noqa: PTH116, PTH118 (thousands of times a second)
            except FileNotFoundError:
                continue
            found.add((name, state.st_size, state.st_mtime_ns))
    return found


def kill_job(process: Process, draw: random.Random) -> tuple[str, str]:
    """Ends a job by a random signal: the name of the kill, and what went wrong if it did not end."""
    (number,) = draw.choices(SIGNALS, SHARES)
    only_first = number == signal.SIGKILL and draw.random() < ONLY_FIRST
    if only_first:
        process.kill()
    else:
        os.killpg(process.pid, number)
    kind = signal.Signals(number).name + (" of the first process" if only_first else "")
    end = time.monotonic() + STOP_SECONDS
    while (process.poll() is None or group_is_alive(process.pid)) and time.monotonic() < end:
        time.sleep(0.01)
    if process.poll() is not None and not group_is_alive(process.pid):
        return kind, ""
    os.killpg(process.pid, signal.SIGKILL)
    return kind, f"still running {STOP_SECONDS:g} s after {kind}"


def group_is_alive(group: int) -> bool:
    """Whether a group has processes that have not ended."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, owner = entry.read_text().rpartition(") ")[2].split()[:3]
        except OSError:  # it has just ended
            continue
        if int(owner) == group and state not in "ZX":
            return True
    return False


def main() -> None:
    given = arguments(__doc__, jobs=tuple(killed()), kills=300, workers=1, seed=0)
    survived = [survives(name, given) for name in given.jobs]
    sys.exit(not all(survived))


if __name__ == "__main__":
    main()
