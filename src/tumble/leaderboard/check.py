"""Which run logs may be listed: those that are complete, replay bit for bit, and say what can be rebuilt of them."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.benchmark import Benchmark, benchmark
from tumble.errors import TumbleError, printable
from tumble.leaderboard.header import NOT_AGENTS, SAID, check_header, is_run_again, takes_seed
from tumble.leaderboard.run_again import run_again
from tumble.output import file_error
from tumble.progress import Advance, bar
from tumble.runs.copies import without_copies
from tumble.runs.log import Log, LogError, logs_in, read
from tumble.runs.public import public_log
from tumble.runs.result import Result
from tumble.runs.run import spec_of
from tumble.runs.run_spec import AGENT_DIGEST

RUN_AGAIN = "agent run again"
NOT_RUN_AGAIN = "not run again: its name, settings and what it was given are the author's word"
AUTHORS_WORD = ("agent", "settings", "given", "is_oracle", "seed", "agent_sha256")
"""What of a row nobody checked where the agent is not run again."""


@dataclass(frozen=True)
class Entry:
    """A run whose log was replayed."""

    benchmark: Benchmark
    log: Log
    """As it may be shown."""
    result: Result
    """Of the log as it may be shown."""
    attempts: int
    digest: str
    """SHA-256 of the log's file."""
    repeated: bool = False
    """Whether the agent was run again too, did the same, and its header is that of its specification."""
    seed: int | None = None
    """None where it has no effect."""
    conditions: Hashable = None
    """Runs are in one table where these are equal."""
    key: str = ""
    """Of the runs of one agent with the same settings: equal but for the seed."""
    places: dict[str, str | None] = field(default_factory=dict)
    """Fields of the specification that are labels of the author's, and the digest of what was there."""

    @property
    def proof(self) -> str:
        """How it was checked who made the attempts."""
        return RUN_AGAIN if self.repeated else NOT_RUN_AGAIN

    @property
    def authors_word(self) -> list[str]:
        """The fields of the row that nobody checked."""
        return [*(() if self.repeated else AUTHORS_WORD), *(f"spec.{name}" for name in self.places), SAID[0]]


@dataclass(frozen=True)
class Refusal:
    """A file that is not listed, and why."""

    path: Path
    reason: str

    @property
    def text(self) -> str:
        return printable(self.reason if str(self.path) in self.reason else f"{self.path}: {self.reason}")


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
            except Exception as error:  # a log may say anything; one must not keep the others from being listed
                refusals.append(Refusal(brief.path, reason_of(error)))
    return entries, refusals


def reason_of(error: Exception) -> str:
    """Why a log can't be used, in one line."""
    if isinstance(error, TumbleError):
        return str(error)
    if isinstance(error, OSError):
        return printable(file_error(error))
    return printable(f"it can't be used: {type(error).__name__}: {error}")


def single_entries(entries: Sequence[Entry]) -> tuple[list[Entry], list[Refusal]]:
    """The entries without copies of a run, which are refused; a run whose agent was run again is never the copy."""
    kept: set[Path] = set()
    refusals = []
    for name in dict.fromkeys(entry.benchmark.name for entry in entries):
        own = [entry for entry in entries if entry.benchmark.name == name]
        proved = {entry.log.path for entry in own if entry.repeated}
        logs, copies = without_copies([_seeded(entry) for entry in own], own[0].benchmark.spec.no_effect, proved)
        kept |= {log.path for log in logs}
        refusals += [Refusal(copy.path, f"the same run as {copy.used.name}, which is listed") for copy in copies]
    return [entry for entry in entries if entry.log.path in kept], refusals


def _seeded(entry: Entry) -> Log:
    """The log with its seed where that has an effect."""
    header = entry.log.header
    return replace(entry.log, header=header.model_copy(update={"spec": {**header.spec, "seed": entry.seed}}))


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
            for log in found:
                logs.setdefault(log.path.resolve(), log)
            refusals += [Refusal(place, problem) for problem in problems]
    return list(logs.values()), refusals


def _attempts(log: Log) -> int:
    """The number of attempts of a log, of which only the last one at each task may have been read."""
    return sum(int(rows[-1]["attempt"]) for rows in log.tasks.values() if rows)


def _checked(path: Path, rerun: bool, advance: Advance) -> Entry:
    """A log that may be listed; an error says why it may not."""
    content = path.read_bytes()
    read_log = read(path)
    of = benchmark(read_log.header.benchmark)
    log = _without_effectless(of, read_log)
    _check_complete(of, log)
    repeated = rerun and is_run_again(of, log)
    check_header(of, log, repeated)
    difference = of.replay(log, advance)
    if difference:
        raise LogError(f"it does not replay: {difference}")
    if repeated:
        run_again(of, log)
    shown = public_log(log)
    result = of.result(shown)
    return Entry(
        of,
        shown if of.needs_all_attempts else replace(public_log(read(path, brief=True)), header=shown.header),
        result,
        _attempts(log),
        sha256(content).hexdigest(),
        repeated,
        _seed_of(of, log),
        # Conditions of a benchmark may span several sets of tasks (folds), whose scores can't be ranked together.
        (of.conditions(result), Benchmark.conditions(of, result)),
        _key_of(log),
        _places_of(of, log),
    )


def _check_complete(of: Benchmark, log: Log) -> None:
    """Refuses logs that lack tasks: leaving out the hard ones would raise a score."""
    ids = spec_of(log, of.spec).task_ids()
    missing = [task for task in ids if task not in log.tasks]
    if not ids or not log.finished or missing:
        raise LogError(f"it is not finished: {len(log.tasks)} of {len(ids)} tasks")
    if log.header.digests.get(AGENT_DIGEST) is None and log.header.agent.partition(":")[0].endswith(".py"):
        raise LogError(f"its header has no digest of the agent's file {Path(log.header.agent).name}")


def _without_effectless(of: Benchmark, log: Log) -> Log:
    """The log with all fields of its specification, those that were added later and those that never change a result
    with their defaults: this machine may lack a device."""
    known = {name: value for name, value in of.spec.no_effect.items() if name in log.header.spec}
    log = replace(log, header=log.header.model_copy(update={"spec": {**log.header.spec, **known}}))
    spec = {**asdict(spec_of(log, of.spec)), **log.header.spec}
    return replace(log, header=log.header.model_copy(update={"spec": spec}))


def _seed_of(of: Benchmark, log: Log) -> int | None:
    """The seed that had an effect; None where there is none."""
    if not takes_seed(of, log):
        return None
    own = None if log.header.agent in NOT_AGENTS else log.header.agent_settings.get("seed")
    return own if type(own) is int else int(log.header.spec["seed"])


def _key_of(log: Log) -> str:
    header = log.header
    settings = {name: value for name, value in header.given_settings.items() if name != "seed"}
    agent = Path(header.agent).name if header.digests.get(AGENT_DIGEST) else header.agent
    return repr([agent, header.digests.get(AGENT_DIGEST), sorted(settings.items(), key=repr)])


def _places_of(of: Benchmark, log: Log) -> dict[str, Any]:
    """The fields of the specification that name the author's files, with the digest of the tasks in them."""
    spec = spec_of(log, of.spec)
    digests = {name: value for name, value in log.header.digests.items() if name != AGENT_DIGEST and value}
    names = [name for name in spec.places() if getattr(spec, name)]
    return {name: digests.get(f"{name}_sha256", next(reversed(digests.values()), None)) for name in names}
