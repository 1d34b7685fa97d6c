"""Which run logs are listed: those that are complete, replay bit for bit, and say what can be rebuilt.

A header is compared with the one that follows from its specification and the agent's class. Quick agents are run
again, and have to choose the same actions; then all of the header must be as it is rebuilt. Where they are not, only
that is compared which the class of a built-in agent tells. What can't be rebuilt is `SAID`, the author's word, and
marked so wherever it is shown.
"""

import json
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.benchmark import Benchmark, benchmark, no_progress
from tumble.errors import TumbleError, printable, visible
from tumble.output import file_error
from tumble.progress import Advance, bar
from tumble.runs.evaluate import Result, spec_of
from tumble.runs.header import LONGEST_LABEL, RunHeader
from tumble.runs.log import Log, LogError, Row, TaskUpdate, logs_in, read
from tumble.runs.participant import NOT_AGENTS, AgentError, settings_of
from tumble.runs.public import public_log
from tumble.runs.replay import without_copies
from tumble.runs.spec import AGENT_DIGEST, RunSpec, names_place

SAID = ("tumble_version", "created", "machine")
"""Fields that nothing but the log tells."""
LATEST_CREATED = timedelta(days=1)
"""Clocks may be wrong by this."""
MOST_COST = 1_000_000
"""Agents with settings whose product is larger are not run again: it would take hours, or all memory."""
_VERSION = re.compile(r"\d{1,4}(\.\d{1,5}){1,3}((a|b|rc|\.dev|\.post)\d{1,5}){0,2}(\+[a-z0-9.]{1,20})?")
_LONGEST_VALUE = 60


def is_run_again(benchmark: Benchmark, log: Log) -> bool:
    """Whether the agent of a log is built in, quick, and does the same on every machine."""
    header = log.header
    if header.agent not in benchmark.agents.built_in or not benchmark.agents.class_of(header.agent).repeatable:
        return False
    cost = 1
    for name, value in header.given_settings.items():
        cost *= 1 if name == "seed" or type(value) is not int else max(1, value + 1)
    return cost <= MOST_COST


def takes_seed(benchmark: Benchmark, log: Log) -> bool:
    """Whether the seed of a log's specification has an effect: of a user's agent, whether it has such a setting."""
    if log.header.agent in benchmark.agents.built_in:
        return "seed" in settings_of(benchmark.agents.class_of(log.header.agent))
    return log.header.agent in NOT_AGENTS or "seed" in log.header.agent_settings


def check_header(benchmark: Benchmark, log: Log, run_again: bool) -> None:
    """Raises LogError for a header that differs from what can be rebuilt of it, or that can't be true."""
    header, spec = log.header, spec_of(log, benchmark.spec)
    try:
        logged = header.model_dump(mode="json")
        json.dumps(logged)
    except (UnicodeError, RecursionError) as error:
        raise LogError(f"its header can't be written as JSON: {type(error).__name__}") from None
    _check_said(header)
    _check_agent_name(header.agent)
    if header.task_count != len(ids := spec.task_ids()):
        raise LogError(f"its header says {header.task_count} tasks, but its run has {len(ids)}")
    agent, left_out = _agent_of(benchmark, spec, run_again)
    if agent is None:
        _compare_field(
            "digests", header.digests, {AGENT_DIGEST: header.digests.get(AGENT_DIGEST), **spec.task_digests()}
        )
        for name, value in _details_of_tasks(spec).items():
            _compare_field(f"details.{name}", header.details.get(name), value)
        return
    rebuilt = spec.header_with(agent).model_dump(mode="json")
    for name, value in rebuilt.items():
        own = logged[name]
        if name in SAID or name == "spec":  # of the specification all else is made: replaying and running it prove it
            continue
        if not run_again and name == "agent_settings":
            value = {key: part for key, part in value.items() if key in own and key not in left_out}
            own = {key: part for key, part in own.items() if key not in left_out}
        if not run_again and name == "details" and header.agent in NOT_AGENTS:
            own = {key: part for key, part in own.items() if key in value}
        _compare_field(name, own, value)


def _check_said(header: RunHeader) -> None:
    """Raises LogError for what can't be true of a field that can't be checked."""
    if not _VERSION.fullmatch(header.tumble_version):
        raise LogError(f"its header says tumble_version {_short_text(header.tumble_version)}, which is no version")
    if header.created > datetime.now(timezone.utc) + LATEST_CREATED:
        raise LogError(f"its header says created {header.created.isoformat()}, which is in the future")


def _check_agent_name(agent: str) -> None:
    """Raises LogError for a name that no agent has: it is not seen as it is, or no class has it."""
    file, _, name = agent.rpartition(":")
    is_name = name.isidentifier() if file.endswith(".py") else bool(name.strip()) and name == name.strip()
    if not is_name or visible(agent) != agent or len(name) > LONGEST_LABEL:
        raise LogError(f"its header says agent {_short_text(agent)}, which no agent is named")


def _agent_of(benchmark: Benchmark, spec: RunSpec, run_again: bool) -> tuple[Any, list[str]]:
    """A new agent of a built-in class, and the names of settings that it was created without; None where none can be.

    No file is opened that a log names, so that settings of files are left out.
    """
    if spec.agent not in benchmark.agents.built_in and spec.agent not in NOT_AGENTS:
        return None, []
    trusted = run_again or spec.agent in NOT_AGENTS  # the latter open nothing
    left_out = [] if trusted else [name for name, value in spec.settings.items() if names_place(name, value)]
    try:
        benchmark.agents.participant_class(spec.agent)
    except AgentError:  # it needs a package that is not installed
        return None, []
    safe = replace(spec, settings={name: value for name, value in spec.settings.items() if name not in left_out})
    try:
        return safe.make_participant(), left_out
    except TumbleError:
        if left_out:  # other settings may need them
            return None, []
        raise


class _AnyAgent:
    """Stands for an agent whose class is not known: all that is asked of it has one answer."""

    def __init__(self, answer: bool) -> None:
        self._answer = answer

    def __getattr__(self, _: str) -> bool:
        return self._answer


def _details_of_tasks(spec: RunSpec) -> dict[str, Any]:
    """The details of a header that are the same for all agents, such as the number of questions."""
    some, other = (spec.details(_AnyAgent(answer)) for answer in (True, False))
    return {name: value for name, value in some.items() if other.get(name, ...) == value}


def _compare_field(field: str, logged: Any, rebuilt: Any) -> None:
    for where, own, other in _differences(field, logged, rebuilt):
        raise LogError(f"its header says {where} {own}; rebuilt from its specification: {other}")


def _differences(field: str, logged: Any, rebuilt: Any) -> Iterator[tuple[str, str, str]]:
    """Names and values of what differs in two values of JSON, also by type."""
    if isinstance(logged, Mapping) and isinstance(rebuilt, Mapping):
        for name in [*rebuilt, *(name for name in logged if name not in rebuilt)]:
            if name not in logged or name not in rebuilt:
                own, other = (_short_text(part[name]) if name in part else "nothing" for part in (logged, rebuilt))
                yield f"{field}.{name}", own, other
            else:
                yield from _differences(f"{field}.{name}", logged[name], rebuilt[name])
    elif json.dumps(logged, sort_keys=True) != json.dumps(rebuilt, sort_keys=True):
        yield field, _short_text(logged), _short_text(rebuilt)


def _short_text(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


SAME_NUMBER = 1e-13
"""Relative difference of equal numbers of actions: functions like atan2 differ in the last bit between machines."""


@dataclass
class _ComparedLog(Log):
    """A log in memory that takes only what another log has."""

    expected: dict[str, list[Row]] = field(default_factory=dict)

    def append(self, updates: Iterable[TaskUpdate]) -> None:
        for update in updates:
            expected = {row["attempt"]: row for row in self.expected.get(update.task, [])}
            for row in update.rows:  # in the order in which they ended
                logged = expected.get(row["attempt"])
                if logged is None or not all(
                    _is_same_value(row.get(name), logged[name])
                    for name, kind in self.header.columns.items()
                    if "whole" not in kind  # what came of an action was replayed
                ):
                    raise self._other(f"task {update.task}, attempt {row['attempt']}")
            super().append([update])
            if update.done and len(self.tasks[update.task]) < len(expected):
                raise self._other(f"task {update.task}: {len(self.tasks[update.task])} attempts, not {len(expected)}")

    def _other(self, where: str) -> LogError:
        return LogError(f"it replays, but {self.header.agent} does something else when it is run again: {where}")

    def _write(self, rows: Iterable[Row]) -> None:
        """Nothing is written."""


def run_again(benchmark: Benchmark, log: Log) -> None:
    """Raises LogError unless the agent of a log chooses the same actions when it is run again."""
    again = _ComparedLog(Path(), log.header, expected=log.tasks)
    benchmark.evaluate(spec_of(log, benchmark.spec), again, no_progress, 0)
    if again.given_up != log.given_up:
        raise LogError(f"its {log.header.agent} gives up other tasks, or for other reasons, when it is run again")


def _is_same_value(value: Any, other: Any) -> bool:
    """Whether two values of a column are equal, numbers of an action but for their last bit."""
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_is_same_value, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, rel_tol=SAME_NUMBER)
    return bool(value == other)


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
    with bar("Replaying attempts", sum(_count_attempts(log) for log in logs)) as advance:
        for brief in logs:
            try:
                entries.append(_checked_entry(brief.path, rerun, advance))
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


def _count_attempts(log: Log) -> int:
    """The number of attempts of a log, of which only the last one at each task may have been read."""
    return sum(int(rows[-1]["attempt"]) for rows in log.tasks.values() if rows)


def _checked_entry(path: Path, rerun: bool, advance: Advance) -> Entry:
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
        _count_attempts(log),
        sha256(content).hexdigest(),
        repeated,
        _seed_of(of, log),
        # Conditions of a benchmark may span several sets of tasks (folds), whose scores can't be ranked together.
        (of.conditions(result), Benchmark.conditions(of, result)),
        _key_of(log),
        _public_places(of, log),
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
    spec = {**spec_of(log, of.spec).plain(), **log.header.spec}
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


def _public_places(of: Benchmark, log: Log) -> dict[str, Any]:
    """The fields of the specification that name the author's files, with the digest of the tasks in them."""
    spec = spec_of(log, of.spec)
    digests = {name: value for name, value in log.header.digests.items() if name != AGENT_DIGEST and value}
    names = [name for name in spec.places() if getattr(spec, name)]
    return {name: digests.get(f"{name}_sha256", next(reversed(digests.values()), None)) for name in names}
