"""Forges headers of run logs: every field that a header has, set to values of its own type and of others.

The fields are read from headers, so that new ones are forged, too. Besides, whole headers are made to agree with
another agent, seed, or setting than that which made the attempts.
"""

import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from tumble.benchmark import benchmark
from tumble.leaderboard.build import runs_of
from tumble.leaderboard.check import Entry
from tumble.runs.evaluate import spec_of
from tumble.runs.header import RunHeader
from tumble.runs.log import Log

OWN_TO_FILE = ("log", "log_sha256")
"""Fields of a row that differ between any two files."""
OTHERS: dict[type, tuple[Any, ...]] = {
    str: ("forged", "", 7, None, ["forged"]),
    int: (1, -1, 10**12, "7", None, 0.5),
    float: (0.25, -1.0, "0.5", None),
    bool: (True, False, 1, "yes", None),
    type(None): (True, 1, "forged", 0),
    list: ([], ["forged"], "forged", None),
    dict: ({}, {"forged": True}, [], None),
}
"""By the type of a value: values that it may be replaced by."""
ADDED = {"forged": True}
MISSING = object()


@dataclass(frozen=True)
class Forged:
    """A log with a forged header."""

    kind: str
    log: Log
    source: Log


def forged_headers(logs: list[Log], seed: int = 0) -> Iterator[Forged]:
    """Logs with forged headers, endlessly varied fields first, each kind once; those of all fields come in turn."""
    rng = random.Random(seed)
    by_field: dict[str, list[Forged]] = {}
    for log in logs:
        for forged in [*_consistent(log), *_fields(log)]:
            by_field.setdefault(forged.kind.partition(" = ")[0], []).append(forged)
    queues = list(by_field.values())
    rng.shuffle(queues)
    for queue in queues:
        rng.shuffle(queue)
    while queues:
        for queue in queues:
            yield queue.pop()
        queues = [queue for queue in queues if queue]


def verdict(honest: Entry, forged: list[Entry]) -> str:
    """What a forged log came to: "refused"; or if it is listed, what its row says.

    "not shown": what the honest row says; "author's word": what differs is marked as what nobody checked; "proved":
    anything else.
    """
    if not forged:
        return "refused"
    (row,), (true,) = runs_of(forged), runs_of([honest])
    different = {name for name in row if row[name] != true[name] and name not in OWN_TO_FILE}
    names = {*row["spec"], *true["spec"]}
    different |= {f"spec.{name}" for name in names if row["spec"].get(name, MISSING) != true["spec"].get(name, MISSING)}
    different -= {"spec"}
    said = {"authors_word", "proof", "agent_was_run_again"} if not row["agent_was_run_again"] else set()
    if not different:
        return "not shown"
    return "author's word" if different <= {*row["authors_word"], *said} else "proved"


def _fields(log: Log) -> Iterator[Forged]:
    """The log with one field of its header changed, left out or added."""
    whole = log.header.model_dump(mode="json")
    for path, value in _leaves(whole):
        values = [other for other in OTHERS[type(value)] if other != value or type(other) is not type(value)]
        for other in [*values, MISSING]:
            changed = deepcopy(whole)
            at = changed
            for name in path[:-1]:
                at = at[name]
            if other is MISSING:
                del at[path[-1]]
            else:
                at[path[-1]] = other
            text = "nothing" if other is MISSING else repr(other)
            yield from _valid(
                log, f"{log.header.benchmark} {log.header.agent_label} {'.'.join(path)} = {text}", changed
            )
    for name in ("agent_settings", "digests", "details", "spec"):
        changed = deepcopy(whole)
        changed[name].update({"forged": "forged"} if name == "digests" else ADDED)
        yield from _valid(log, f"{log.header.benchmark} {log.header.agent_label} {name} = added", changed)


def _leaves(table: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in table.items():
        yield (*above, name), value
        if isinstance(value, dict):
            yield from _leaves(value, (*above, name))


def _valid(log: Log, kind: str, header: dict[str, Any]) -> Iterator[Forged]:
    """The log with a header that can be written; one of a wrong type is no log at all."""
    try:
        yield Forged(kind, replace(log, header=RunHeader.model_validate(header)), log)
    except ValueError:
        return


def _consistent(log: Log) -> Iterator[Forged]:
    """The log with a whole header of another run: of another agent, seed, setting, or number of attempts."""
    of = benchmark(log.header.benchmark)
    spec = spec_of(log, of.spec)
    quick = [name for name in of.agents.built_in if name != spec.agent and name in QUICK]
    others = [("agent", replace(spec, agent=name, settings={})) for name in quick]
    others += [("seed", replace(spec, seed=seed)) for seed in (1, 7)]
    others += [("limit", replace(spec, limit=count)) for count in (1, 3) if count < log.header.task_count]
    if hasattr(spec, "attempts"):
        others += [("attempts", replace(spec, attempts=count)) for count in (1, 50)]
    if "ranked" in log.header.agent_settings:
        others += [("settings", replace(spec, settings={"ranked": count})) for count in (100, 500)]
    for name, other in others:
        try:
            header = other.header().model_copy(update={"created": log.header.created, "machine": log.header.machine})
        except ValueError:
            continue
        value = getattr(other, name)
        kind = f"{spec.benchmark} {log.header.agent_label} whole header of {name} = {value}"
        yield Forged(kind, replace(log, header=header), log)


QUICK = ("rand", "mem", "optimal", "random", "pig_shooter", "datalab_style", "oracle", "shown", "frequent")
"""Built-in agents that are quick to create."""
