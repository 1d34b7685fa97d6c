"""The page of a leaderboard: runs under equal conditions in one table, what each agent was given, and the details."""

import json
import math
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

from tumble.benchmark import Benchmark
from tumble.leaderboard.check import Entry, Refusal
from tumble.output import plural
from tumble.report.cells import Cell, number_cell
from tumble.report.document import Document, Heading
from tumble.report.variants import setting_text
from tumble.runs.run_spec import AGENT_DIGEST

SHOWN_DIGITS = 12
"""Of a digest."""
INTRODUCTION = (
    "Every run on this page was checked: all attempts of its log were simulated again, and their results are the same "
    "to the last bit as those that the log has. Logs that differ anywhere were refused. Runs are in one table only if "
    "they were made under the same conditions: tasks, attempts allowed and physics. A replay shows that an agent's "
    "actions have the results that its log says; which agent chose them is what the log's author says, except where "
    "it is marked that the agent was run again. Agents that were given the answers come last, in grey."
)
COLUMNS = ("agent", "score", "given", "seed", "digest", "physics", "version", "checked", "result", "log")


def compose(entries: Sequence[Entry], refusals: Sequence[Refusal], details: bool = True) -> Document:
    """The page as a document; with `details`, each benchmark's report of the runs follows its tables."""
    document = Document("Tumble: leaderboard")
    document.text(INTRODUCTION)
    attempts = plural(sum(entry.attempts for entry in entries), "attempt")
    document.text(f"{plural(len(entries), 'run')} with {attempts}, replayed bit for bit.")
    benchmarks = {entry.benchmark.name: entry.benchmark for entry in entries}
    for of in sorted(benchmarks.values(), key=lambda one: (one.position, one.name)):
        own = [entry for entry in entries if entry.benchmark is of]
        document.heading(of.title)
        groups = comparable(of, own)
        for number, group in enumerate(groups, start=1):
            _add_group(document, of, group, number, groups)
        if details:
            _add_details(document, of, own)
    if refusals:
        document.heading("Refused")
        for refusal in refusals:
            document.text(f"{refusal.path.name}: {_without_folder(refusal)}")
    return document


def comparable(of: Benchmark, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Runs under equal conditions, and with the same tasks; the best first, without a score by name, oracles last."""
    groups: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        # Conditions of a benchmark may span several sets of tasks (folds), whose scores can't be ranked together.
        key = (of.conditions(entry.result), Benchmark.conditions(of, entry.result))
        groups.setdefault(key, []).append(entry)
    return [sorted(group, key=_rank) for group in groups.values()]


def rows_of(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The runs as plain data, for other programs."""
    return [
        {
            "benchmark": entry.benchmark.name,
            "agent": entry.result.agent,
            "settings": entry.log.header.agent_settings,
            "given": entry.result.agent_was_given,
            "is_oracle": entry.result.is_oracle,
            "agent_sha256": entry.log.header.digests.get(AGENT_DIGEST),
            "spec": {name: _shown(value) for name, value in entry.log.header.spec.items() if name != "agent"},
            "score": _finite(entry.result.score),
            "result": entry.result.summary,
            "tasks": entry.result.task_count,
            "attempts": entry.attempts,
            "physics": entry.log.header.physics,
            "tumble_version": entry.log.header.tumble_version,
            "log": entry.log.path.name,
            "log_sha256": entry.digest,
            "agent_was_run_again": entry.repeated,
        }
        for entry in entries
    ]


def _rank(entry: Entry) -> tuple[bool, float, str, int]:
    score, seed = _finite(entry.result.score), int(entry.log.header.spec["seed"])
    return entry.result.is_oracle, -score if score is not None else math.inf, entry.result.agent, seed


def _finite(score: float | None) -> float | None:
    return None if score is None or not math.isfinite(score) else score


def _add_group(
    document: Document, of: Benchmark, group: Sequence[Entry], number: int, groups: Sequence[Sequence[Entry]]
) -> None:
    caption = f"{group[0].result.task_count:,} tasks: {_conditions_text(of, group[0], [one[0] for one in groups])}"
    rows = [_row(entry) for entry in group]
    oracles = [k for k, entry in enumerate(group) if entry.result.is_oracle]
    document.table(caption if len(groups) == 1 else f"{number}. {caption}", COLUMNS, rows, dimmed=oracles)


def _conditions_text(of: Benchmark, entry: Entry, others: Sequence[Entry]) -> str:
    """The fields of the run specification that are not the agent's own; all that differ between groups, or are set."""
    own = {"agent", "settings", "seed", *of.spec.no_effect}
    fields = {name: value for name, value in entry.log.header.spec.items() if name not in own}
    texts = [
        setting_text(name.replace("_", " "), _text(value) if isinstance(value, list) else _shown(value))
        for name, value in fields.items()
        if value not in (None, [], "") or any(json.dumps(other.log.header.spec[name]) != "null" for other in others)
    ]
    return ", ".join(texts) or "all"


def _text(values: Sequence[object]) -> str:
    return ", ".join(str(_shown(value)) for value in values)


def _shown(value: object) -> object:
    """A value without the folders of a file on the author's machine."""
    if isinstance(value, list):
        return [_shown(part) for part in value]
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value


def _row(entry: Entry) -> list[str | Cell]:
    header = entry.log.header
    settings = [setting_text(name, value) for name, value in header.further_settings.items()]
    digest = header.digests.get(AGENT_DIGEST)
    return [
        ", ".join([entry.result.agent, *settings]),
        number_cell(_finite(entry.result.score)),
        entry.result.agent_was_given or "nothing more",
        str(header.spec["seed"]),
        digest[:SHOWN_DIGITS] if digest else "built in" if header.agent in entry.benchmark.agents.built_in else "none",
        header.physics,
        header.tumble_version,
        "agent run again" if entry.repeated else "replayed",
        entry.result.summary,
        f"{entry.log.path.name} ({entry.digest[:SHOWN_DIGITS]})",
    ]


def _add_details(document: Document, of: Benchmark, entries: Sequence[Entry]) -> None:
    """Adds the benchmark's own report below a heading."""
    report = Document(of.title)
    of.add_report(report, [entry.log for entry in entries], 0)
    document.heading(f"{of.title}: tables and figures", 3)
    for part in report.parts:
        document.parts.append(Heading(part.text, part.level + 2) if isinstance(part, Heading) else part)


def _without_folder(refusal: Refusal) -> str:
    """Why a file was refused, without where it lies on this machine."""
    return refusal.reason.removeprefix(f"{refusal.path}: ").replace(str(refusal.path.parent) + "/", "")
