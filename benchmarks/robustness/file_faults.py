"""Makes calls of the file system fail, one in each run of a job: nothing acknowledged may be lost.

    python benchmarks/robustness/file_faults.py
    python benchmarks/robustness/file_faults.py --jobs sweep --faults 50

Jobs (`jobs.py`) are evaluations with their logs, a study, a sweep, datasets, and training. Each open, create,
write, sync, rename, truncation, removal and new folder of a job fails in turn, in six ways: with EIO or ENOSPC, once or
from then on, or by a short write, after which the disk may be full. Of all these faults a number is drawn. After each:

- the error is in one line, without a traceback;
- a new process finds all that the job had acknowledged, and no half file that a reader takes for a whole one;
- a new process that repeats the job, without faults, gets the results of a job without faults.

Needs Linux and a C compiler. Folders of jobs that failed this are kept. The exit code is 1 if there are any.
"""

import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from fault_shim import Fault, armed, faults_of, library_of_this_process, missing, with_library
from table import Results, arguments

FAULTS = 2000
SECONDS = 300
"""After which a job hangs."""
NOT_MADE = "this call was not made"
PRINTED = os.dup(2)
"""The stream of errors, also where nothing else is shown."""


@dataclass
class Ending:
    """What a job did before and after a fault."""

    happened: bool = False
    """Whether the call was made that was to fail."""
    errors: list[str] = field(default_factory=list)
    acknowledged: list[Any] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def main() -> None:
    if problem := missing():
        sys.exit(problem)
    workers = len(os.sched_getaffinity(0))
    given = arguments(__doc__, faults=FAULTS, jobs="", workers=workers, seed=0)
    library = library_of_this_process()
    if library is None:  # it starts this program again, with the library
        environment = with_library(Path(tempfile.mkdtemp(prefix="file-faults-")))
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **environment})
    sys.exit(not survives(given.faults, given.jobs, given.workers, given.seed, library.parent))


def survives(number: int, prefix: str, workers: int, seed: int, folder: Path) -> bool:
    """Whether jobs survive a number of faults; writes a table if these are all jobs."""
    from jobs import faulted

    jobs = {job.name: job for job in faulted() if job.name.startswith(prefix)}
    references, faults = {}, {}
    for name, job in jobs.items():
        warm_up(job, folder / "warm-up")
        start = time.monotonic()
        ending, references[name] = forked(lambda job=job: undisturbed(job, folder / "reference"))
        shutil.rmtree(folder / "reference")
        faults[name] = faults_of(ending.kinds)
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(ending.kinds).items()))
        print(f"{name}: {time.monotonic() - start:.1f} s, {counts}; {len(faults[name])} faults", flush=True)
    drawn = draw(faults, {name: job.most or number for name, job in jobs.items()}, number, seed)
    results = Results("Faults of the file system")
    survived = made = 0
    for name, job in jobs.items():
        start, modes, ok = time.monotonic(), Counter[str](), 0
        lanes = [drawn[name][lane::workers] for lane in range(workers)]
        running = [started(partial(test_each, job, lane, folder, references[name])) for lane in lanes]
        for fault, problem in [pair for process in running for pair in value_of(*process)]:
            if problem == NOT_MADE:
                continue
            modes[fault.mode.name] += 1
            ok += not problem
        survived, made = survived + ok, made + modes.total()
        note = ", ".join(f"{count} {mode}" for mode, count in modes.items())
        note += f"; of {len(faults[name])} possible; {time.monotonic() - start:.0f} s"
        results.add(f"{name}: faults survived", f"{ok} of {modes.total()}", "", "", note)
    note = "nothing acknowledged lost, no half file accepted, errors in one line, the same results when repeated"
    results.add("faults survived", f"{survived:,} of {made:,}", f"{number:,} of {number:,}", "", note)
    if not prefix:
        results.finish("file-faults")
    if survived == made:
        shutil.rmtree(folder)
    return survived == made >= number


def draw(faults: dict[str, list[Fault]], most: dict[str, int], number: int, seed: int) -> dict[str, list[Fault]]:
    """A number of faults, as evenly over jobs as these may have; some more, as not each of them may happen."""
    drawn: dict[str, list[Fault]] = {}
    left = round(1.01 * number)
    sizes = {name: min(len(faults[name]), most[name]) for name in faults}
    by_size = sorted(faults, key=lambda name: sizes[name])
    for place, name in enumerate(by_size):
        share = min(sizes[name], -(-left // (len(by_size) - place)))
        drawn[name] = sorted(random.Random(f"{seed} {name}").sample(faults[name], share), key=str)
        left -= share
    return drawn


def warm_up(job: Any, folder: Path) -> None:
    """Runs a job in this process, so that those it forks have loaded all that it needs."""
    with quiet():
        folder.mkdir()
        forked(lambda: job.run(folder, lambda _: None))  # compiles kernels where they are not in the cache
        shutil.rmtree(folder)
        folder.mkdir()
        job.run(folder, lambda _: None)
    shutil.rmtree(folder)


def undisturbed(job: Any, folder: Path) -> tuple[Ending, Any]:
    """A job without faults, and its results."""
    folder.mkdir()
    ending = attempt(job, folder, None)
    if ending.errors or ending.problems:
        raise RuntimeError(f"{job.name}: {ending.errors} {ending.problems}")
    return ending, job.results(folder)


def test_each(job: Any, faults: list[Fault], folder: Path, reference: Any) -> list[tuple[Fault, str]]:
    """Faults with what was wrong after each; folders are kept where anything was."""
    reports = []
    for fault in faults:
        own = folder / f"{job.name} {fault}"
        ending = test(job, fault, own, reference)
        problem = "; ".join(ending.problems) if ending.happened else NOT_MADE
        reports.append((fault, problem))
        if ending.problems:
            os.write(PRINTED, f"{job.name}: {fault}: {problem}; kept in {own}\n".encode())
        else:
            shutil.rmtree(own)
    return reports


def test(job: Any, fault: Fault, folder: Path, reference: Any) -> Ending:
    """Runs a job with a fault, in a process, and checks what it left, in two others."""
    folder.mkdir()
    ending = Ending(happened=True)
    try:
        ending = forked(lambda: attempt(job, folder, fault))
        ending.problems += forked(lambda: reported(lambda: job.lost(folder, ending.acknowledged)))
        ending.problems += forked(lambda: reported(lambda: differences(job, folder, reference)))
    except EndedError as error:
        ending.problems.append(str(error))
    return ending


def attempt(job: Any, folder: Path, fault: Fault | None) -> Ending:
    """Runs a job, and notes what it acknowledged and how it ended."""
    ending = Ending()
    with armed(folder, fault) as kinds:
        ending.problems = reported(lambda: ending.errors.extend(job.run(folder, ending.acknowledged.append)) or [])
    ending.kinds = kinds
    ending.happened = fault is None or len(kinds) >= fault.call
    ending.problems += [f"an error of several lines: {line!r}" for line in ending.errors if not is_one_line(line)]
    return ending


def is_one_line(error: str) -> bool:
    """Whether an error says what is wrong, without Python's words for it."""
    return bool(error.strip()) and "Traceback" not in error and "\n" not in error and not error.startswith(" ")


def differences(job: Any, folder: Path, reference: Any) -> list[str]:
    """Repeats a job without faults; what of its results differs from those of a job without faults."""
    errors = job.run(folder, lambda _: None)
    if errors:
        return [f"repeated: {' '.join(errors)}"]
    results = job.results(folder)
    names = sorted(name for name in {*results, *reference} if results.get(name) != reference.get(name))
    return [f"different when repeated: {', '.join(names)}"] if names else []


def reported(function: Callable[[], list[str]]) -> list[str]:
    """What a function returns, or its exception as a problem."""
    try:
        return list(function())
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = next((frame for frame in reversed(frames) if "tumble" in frame.filename), frames[-1])
        return [f"{type(error).__name__}: {str(error)[-600:]} ({Path(place.filename).name}:{place.lineno})"]


def forked(function: Callable[[], Any]) -> Any:
    """The value of a function that is called in a copy of this process."""
    return value_of(*started(function, SECONDS))


def started(function: Callable[[], Any], seconds: int = 0) -> tuple[int, int]:
    """A copy of this process that calls a function, within some seconds, and where its value can be read."""
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, reader
    signal.alarm(seconds)
    try:
        os.close(reader)
        silence()
        value = pickle.dumps((True, function()))
    except BaseException:
        value = pickle.dumps((False, traceback.format_exc()))
    with os.fdopen(writer, "wb") as stream:
        stream.write(value)
    os._exit(0)


def value_of(process: int, reader: int) -> Any:
    """The value of the function that a process calls."""
    with os.fdopen(reader, "rb") as stream:
        value = stream.read()
    _, status = os.waitpid(process, 0)
    if not value:
        raise EndedError(f"its process ended with {os.waitstatus_to_exitcode(status)}")
    is_value, result = pickle.loads(value)
    if not is_value:
        raise RuntimeError(result)
    return result


def silence() -> None:
    """Nothing that this process or its libraries print is shown."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


class EndedError(Exception):
    """A process that ended before its function returned."""


class quiet:  # noqa: N801
    """Nothing is shown meanwhile."""

    def __enter__(self) -> None:
        sys.stdout.flush()
        self._streams = [os.dup(number) for number in (1, 2)]
        silence()

    def __exit__(self, *_: object) -> None:
        for number, stream in zip((1, 2), self._streams, strict=True):
            os.dup2(stream, number)
            os.close(stream)


if __name__ == "__main__":
    main()
