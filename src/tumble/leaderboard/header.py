"""What a log's header says, compared with the header that follows from its specification.

A header is made from a specification and an agent's class. Where the agent is run again, all of it must be as it is
rebuilt; where it is not, that which the class of a built-in agent tells. What can't be rebuilt is `SAID`, the author's
word, and marked so wherever it is shown.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tumble.benchmark import Benchmark
from tumble.errors import TumbleError, visible
from tumble.runs.agent_registry import AgentError, settings_of
from tumble.runs.header import LONGEST_LABEL, RunHeader
from tumble.runs.language_model import LANGUAGE_MODEL
from tumble.runs.log import Log, LogError
from tumble.runs.people import PEOPLE
from tumble.runs.run import spec_of
from tumble.runs.run_spec import AGENT_DIGEST, RunSpec, names_place

SAID = ("tumble_version", "created", "machine")
"""Fields that nothing but the log tells."""
NOT_AGENTS = (PEOPLE, LANGUAGE_MODEL)
"""Participants whose logs have further details, such as the tokens of a model."""
LATEST = timedelta(days=1)
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
    _check_name(header.agent)
    if header.task_count != len(ids := spec.task_ids()):
        raise LogError(f"its header says {header.task_count} tasks, but its run has {len(ids)}")
    agent, left_out = _agent_of(benchmark, spec, run_again)
    if agent is None:
        _compare("digests", header.digests, {AGENT_DIGEST: header.digests.get(AGENT_DIGEST), **spec.task_digests()})
        for name, value in _details_of_tasks(spec).items():
            _compare(f"details.{name}", header.details.get(name), value)
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
        _compare(name, own, value)


def _check_said(header: RunHeader) -> None:
    """Raises LogError for what can't be true of a field that can't be checked."""
    if not _VERSION.fullmatch(header.tumble_version):
        raise LogError(f"its header says tumble_version {_text(header.tumble_version)}, which is no version")
    if header.created > datetime.now(timezone.utc) + LATEST:
        raise LogError(f"its header says created {header.created.isoformat()}, which is in the future")


def _check_name(agent: str) -> None:
    """Raises LogError for a name that no agent has: it is not seen as it is, or no class has it."""
    file, _, name = agent.rpartition(":")
    is_name = name.isidentifier() if file.endswith(".py") else bool(name.strip()) and name == name.strip()
    if not is_name or visible(agent) != agent or len(name) > LONGEST_LABEL:
        raise LogError(f"its header says agent {_text(agent)}, which no agent is named")


def _agent_of(benchmark: Benchmark, spec: RunSpec, run_again: bool) -> tuple[Any, list[str]]:
    """A new agent of a built-in class, and the names of settings that it was created without; None where none can be.

    No file is opened that a log names, so that settings of files are left out.
    """
    if spec.agent not in benchmark.agents.built_in and spec.agent not in NOT_AGENTS:
        return None, []
    trusted = run_again or spec.agent in NOT_AGENTS  # the latter open nothing
    left_out = [] if trusted else [name for name, value in spec.settings.items() if names_place(name, value)]
    try:
        benchmark.agents.class_of(spec.agent)
    except AgentError:  # it needs a package that is not installed
        return None, []
    safe = replace(spec, settings={name: value for name, value in spec.settings.items() if name not in left_out})
    try:
        return safe.make_agent(), left_out
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


def _compare(field: str, logged: Any, rebuilt: Any) -> None:
    for where, own, other in _differences(field, logged, rebuilt):
        raise LogError(f"its header says {where} {own}; rebuilt from its specification: {other}")


def _differences(field: str, logged: Any, rebuilt: Any) -> Iterator[tuple[str, str, str]]:
    """Names and values of what differs in two values of JSON, also by type."""
    if isinstance(logged, Mapping) and isinstance(rebuilt, Mapping):
        for name in [*rebuilt, *(name for name in logged if name not in rebuilt)]:
            if name not in logged or name not in rebuilt:
                own, other = (_text(part[name]) if name in part else "nothing" for part in (logged, rebuilt))
                yield f"{field}.{name}", own, other
            else:
                yield from _differences(f"{field}.{name}", logged[name], rebuilt[name])
    elif json.dumps(logged, sort_keys=True) != json.dumps(rebuilt, sort_keys=True):
        yield field, _text(logged), _text(rebuilt)


def _text(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
