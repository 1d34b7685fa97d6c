"""Which run logs may be listed: those that are finished, complete, and replay bit for bit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from tumble.benchmark import Benchmark, benchmark
from tumble.errors import TumbleError, printable
from tumble.leaderboard.run_again import run_again
from tumble.output import file_error
from tumble.progress import Advance, bar
from tumble.runs.log import Log, LogError, logs_in, read
from tumble.runs.result import Result
from tumble.runs.run import spec_of
from tumble.runs.run_spec import AGENT_DIGEST


@dataclass(frozen=True)
class Entry:
    """A run whose log was replayed."""

    benchmark: Benchmark
    log: Log
    result: Result
    attempts: int
    digest: str
    """SHA-256 of the log's file."""
    repeated: bool = False
    """Whether the agent was run again too, and chose the same actions."""


@dataclass(frozen=True)
class Refusal:
    """A file that is not listed, and why."""

    path: Path
    reason: str

    @property
    def text(self) -> str:
        return self.reason if str(self.path) in self.reason else f"{self.path}: {self.reason}"


def check_logs(places: Sequence[Path], rerun: bool = True) -> tuple[list[Entry], list[Refusal]]:
    """Replays the run logs among files and in folders: those that may be listed, and those that are refused.

    With `rerun`, built-in agents that are repeatable also attempt their tasks again, and must choose the same actions.
    """
    logs, refusals = _read_all(places)
    entries = []
    with bar("Replaying attempts", sum(_attempts(log) for log in logs)) as advance:
        for brief in logs:
            try:
                entries.append(_checked(brief.path, rerun, advance))
            except TumbleError as error:
                refusals.append(Refusal(brief.path, str(error)))
            except OSError as error:
                refusals.append(Refusal(brief.path, file_error(error)))
            except Exception as error:  # a log may say anything; one must not keep the others from being listed
                reason = printable(f"it can't be replayed: {type(error).__name__}: {error}")
                refusals.append(Refusal(brief.path, reason))
    return entries, refusals


def _read_all(places: Iterable[Path]) -> tuple[list[Log], list[Refusal]]:
    """All logs, and files that can't be read as one."""
    logs: dict[Path, Log] = {}
    refusals = []
    for place in places:
        if not place.exists():
            raise LogError(f"{place}: no such file or folder")
        try:
            found, problems = logs_in([place], brief=True)
        except LogError as error:
            refusals.append(Refusal(place, str(error)))
        else:
            logs.update((log.path.resolve(), log) for log in found)
            refusals += [Refusal(place, problem) for problem in problems]
    return list(logs.values()), refusals


def _attempts(log: Log) -> int:
    """The number of attempts of a log, of which only the last one at each task may have been read."""
    return sum(int(rows[-1]["attempt"]) for rows in log.tasks.values() if rows)


def _checked(path: Path, rerun: bool, advance: Advance) -> Entry:
    """A log that may be listed; a TumbleError says why it may not."""
    content = path.read_bytes()
    log = read(path)
    of = benchmark(log.header.benchmark)
    _check_complete(of, log)
    difference = of.replay(_without_effectless(of, log), advance)
    if difference:
        raise LogError(f"it does not replay: {difference}")
    repeated = rerun and log.header.agent in of.agents.built_in and of.agents.class_of(log.header.agent).repeatable
    if repeated:
        run_again(of, _without_effectless(of, log))
    result = of.result(log)
    kept = log if of.needs_all_attempts else read(path, brief=True)
    return Entry(of, kept, result, _attempts(log), sha256(content).hexdigest(), repeated)


def _check_complete(of: Benchmark, log: Log) -> None:
    """Refuses logs that lack tasks: leaving out the hard ones would raise a score."""
    spec = spec_of(log, of.spec)
    ids = spec.task_ids()
    missing = [task for task in ids if task not in log.tasks]
    if not log.finished or missing:
        raise LogError(f"it is not finished: {len(log.tasks)} of {len(ids)} tasks")
    if log.header.task_count != len(ids):
        raise LogError(f"its header says {log.header.task_count} tasks, but its run has {len(ids)}")
    if log.header.digests.get(AGENT_DIGEST) is None and log.header.agent.partition(":")[0].endswith(".py"):
        raise LogError(f"its header has no digest of the agent's file {Path(log.header.agent).name}")


def _without_effectless(of: Benchmark, log: Log) -> Log:
    """The log with defaults for fields that never change a result, such as a device that this machine may lack."""
    known = {name: value for name, value in of.spec.no_effect.items() if name in log.header.spec}
    return replace(log, header=log.header.model_copy(update={"spec": {**log.header.spec, **known}}))
