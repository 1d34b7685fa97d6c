"""Kills jobs at random moments and resumes them: results must equal those of jobs that were never killed.

    python benchmarks/robustness/kills.py --job sweep --kills 300 --workers 16
    python benchmarks/robustness/kills.py --job all --kills 300 --workers 16

A job (`kill_cases.py`) is started as a group of processes and killed, again and again, by repeating the same command,
until it completes before it can be killed; then its results are compared with those of a job that was not killed, and
the next one starts in an empty folder. Half of the kills come at a moment that is uniform over the duration of the job,
from its start until after its end; the other half just when it has written something. 7 of 10 are SIGKILL, the others
SIGTERM and SIGINT; 1 of 5 SIGKILLs hits the first process only, whose workers must then end by themselves.

Folders of jobs with other results are kept. The exit code is 1 if there are any.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from kill_cases import CASES, FOLDER, Case
from table import Results

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SHARES = (70, 15, 15)
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

kills_left: Any = None
"""In each process of the pool: the number of kills that are still to be made."""
own_cores: set[int] = set()
"""In each process of the pool: the cores of its jobs; none for all."""


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

    case: str
    kills: Counter[str] = field(default_factory=Counter)
    problem: str = ""
    folder: str = ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--job", choices=[*CASES, "all"], default="all")
    parser.add_argument("--kills", type=int, default=300, help="of each job")
    parser.add_argument("--workers", type=int, default=1, help="jobs that run in parallel, each on its share of cores")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    names = list(CASES) if options.job == "all" else [options.job]
    failed = [name for name in names if not survives(name, options.kills, options.workers, options.seed)]
    sys.exit(bool(failed))


def survives(name: str, kills: int, workers: int, seed: int) -> bool:
    """Whether all jobs of a name survive a number of kills; writes a table of it."""
    start = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"kills-{name}-"))
    endings = list(run_jobs(name, folder, kills, workers, seed))
    happened = sum((ending.kills for ending in endings), Counter[str]())
    total = sum(sum(ending.kills.values()) for ending in endings)
    survived = sum(sum(ending.kills.values()) for ending in endings if not ending.problem)
    for ending in endings:
        if ending.problem:
            print(f"{ending.case}: {ending.problem}; kept in {ending.folder}", file=sys.stderr)
    wrong = any(ending.problem for ending in endings)
    note = ", ".join(f"{count} {kind}" for kind, count in sorted(happened.items()))
    jobs = ", ".join(f"{count} x {case}" for case, count in sorted(Counter(one.case for one in endings).items()))
    note = f"{note}; jobs: {jobs}; {time.monotonic() - start:.0f} s"
    results = Results("Jobs that are killed and resumed")
    results.add(f"{name}: kills survived, results equal", f"{survived} of {total}", f"{kills} of {kills}", "", note)
    results.finish(f"kills-{name}")
    if not wrong:
        shutil.rmtree(folder)
    return not wrong and total >= kills


def run_jobs(name: str, folder: Path, kills: int, workers: int, seed: int) -> Iterator[Ending]:
    """Runs jobs until the number of kills is reached; yields how each of them ended."""
    context = multiprocessing.get_context("spawn")
    left, lane = context.Value("i", kills), context.Value("i", 0)
    with ProcessPoolExecutor(workers, context, _start_lane, (left, lane, workers)) as pool:
        references = dict(zip(CASES[name], pool.map(unkilled, CASES[name], [folder] * len(CASES[name])), strict=True))
        for case, reference in references.items():
            print(f"{name}, {case.name}: {reference.seconds:.1f} s, {reference.writes} writes", flush=True)
        numbers = iter(range(10**9))
        running = {_next_job(pool, references, folder, seed, next(numbers)) for _ in range(workers)}
        while running:
            ended = next(as_completed(running))
            running.remove(ended)
            ending = ended.result()
            yield ending
            made = kills - left.value
            state = ending.problem or "equal"
            print(f"{name}: {made} of {kills} kills; {ending.case}, {sum(ending.kills.values())}: {state}", flush=True)
            if left.value > 0:
                running.add(_next_job(pool, references, folder, seed, next(numbers)))


def _next_job(
    pool: ProcessPoolExecutor, references: dict[Case, Reference], folder: Path, seed: int, number: int
) -> Any:
    case = list(references)[number % len(references)]
    return pool.submit(killed, case, references[case], folder / f"{number:05d}", f"{seed} {number}")


def _start_lane(left: Any, lane: Any, workers: int) -> None:
    """Gives the jobs of a process of the pool their share of the cores."""
    global kills_left, own_cores
    kills_left = left
    with lane.get_lock():
        number, lane.value = lane.value, lane.value + 1
    if workers > 1 and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        own_cores = set(cores[number % len(cores) :: workers])


def unkilled(case: Case, folder: Path) -> Reference:
    """Runs a job to its end, twice: the first time, kernels may have to be compiled."""
    for attempt in ("warm-up", "reference"):
        own = folder / f"{attempt} {case.name}"
        own.mkdir(parents=True)
        start, writes, before = time.monotonic(), 0, signature(own)
        with start_job(case, own) as process:
            while process.poll() is None:
                now = signature(own)
                writes, before = writes + (now != before), now
                time.sleep(POLL_SECONDS)
        if process.returncode:
            raise SystemExit(f"{case.name}: {printed(own)}")
    return Reference(time.monotonic() - start, writes, case.read(own))


def killed(case: Case, reference: Reference, folder: Path, seed: str) -> Ending:
    """Runs a job with kills until it completes, and compares its results."""
    draw = random.Random(seed)
    ending = Ending(case.name, folder=str(folder))
    folder.mkdir()
    while not ending.problem:
        kill = ending.kills.total() < MOST_KILLS and _take_kill()
        with start_job(case, folder) as process:
            if not kill:
                process.wait()
            elif not wait_for_moment(process, reference, folder, draw):
                _give_back_kill()
            else:
                kind, ending.problem = kill_job(process, draw)
                ending.kills[kind] += 1
                continue
        if process.returncode:
            ending.problem = f"exit code {process.returncode}: {printed(folder)}"
            break
        try:
            results = case.read(folder)
        except Exception as error:
            ending.problem = f"results can't be read: {type(error).__name__}: {error}"
            break
        differing = sorted(
            name for name in {*results, *reference.results} if results.get(name) != reference.results.get(name)
        )
        ending.problem = f"different: {', '.join(differing)}" if differing else ""
        break
    if not ending.problem:
        shutil.rmtree(folder)
        output_of(folder).unlink()
    return ending


def _take_kill() -> bool:
    with kills_left.get_lock():
        kills_left.value -= 1
        if kills_left.value < 0:
            kills_left.value += 1
            return False
    return True


def _give_back_kill() -> None:
    with kills_left.get_lock():
        kills_left.value += 1


def start_job(case: Case, folder: Path) -> "subprocess.Popen[bytes]":
    """Starts a job as a group of processes."""
    arguments = [argument.replace(FOLDER, str(folder)) for argument in case.arguments]
    with output_of(folder).open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-c", case.program, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            preexec_fn=_prepare_job,
        )


def _prepare_job() -> None:
    """Called in the new process: restores Ctrl-C, which programs in the background ignore, and sets its cores."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if own_cores:
        os.sched_setaffinity(0, own_cores)


def output_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.txt")


def printed(folder: Path) -> str:
    """The end of what a job has printed last, in one line."""
    return " ".join(output_of(folder).read_text(errors="replace").split())[-600:]


def wait_for_moment(
    process: "subprocess.Popen[bytes]", reference: Reference, folder: Path, draw: random.Random
) -> bool:
    """Waits until a job is to be killed; False if it has ended before."""
    end = time.monotonic() + draw.uniform(0.0, LATEST * reference.seconds)
    at_write = draw.random() < AT_A_WRITE
    writes = draw.randint(1, max(1, reference.writes))
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


def kill_job(process: "subprocess.Popen[bytes]", draw: random.Random) -> tuple[str, str]:
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


if __name__ == "__main__":
    main()
