"""The site of a leaderboard, which is written whole or not at all: its page, its data, and the logs if wanted.

The page has agents under equal conditions in one table, their runs in the next, and then the details.
"""

import json
import math
import re
import shutil
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from tumble.benchmark import Benchmark, report_of
from tumble.errors import TumbleError, visible
from tumble.leaderboard.check import NOT_RUN_AGAIN, RUN_AGAIN, Entry, Refusal, check_logs, single_entries
from tumble.output import plural, public_text
from tumble.report import page
from tumble.report.document import MISSING, Cell, Document, Heading, Part, count_cell, decimal_text, number_cell
from tumble.report.grouping import setting_text
from tumble.runs.evaluate import spec_of
from tumble.runs.log import FINISHED_SUFFIX, SUFFIX, finished_path, read
from tumble.runs.public import without_private, write_public
from tumble.runs.spec import AGENT_DIGEST

UNPROVED = "not run again"
SHOWN_DIGITS = 12
"""Of a digest."""
INTRODUCTION = (
    "Every run on this page was checked: all attempts of its log were simulated again, and their results are the same "
    "to the last bit as those that the log has. Logs that differ anywhere were refused. Runs are in one table only if "
    "they were made under the same conditions: tasks, attempts allowed and physics. All seeds of an agent are one row, "
    "with the mean of their scores, by which rows are ranked, and the range from the lowest to the highest. Agents "
    "that were given the answers come last, in grey."
)
PROOFS = (
    f'What a row proves: that its actions have these results. "{RUN_AGAIN.capitalize()}": the agent was also run from '
    "its settings and seed, chose the same actions, and the log says of it what follows from them. "
    f'"{NOT_RUN_AGAIN.capitalize()}": somebody else, or something else, may have chosen the actions. The version of '
    "Tumble is always what the log says."
)
AGENT_COLUMNS = ("agent", "score", "range of seeds", "seeds", "proof", "given", "file of the agent", "physics")
RUN_COLUMNS = ("agent", "seed", "score", "result", "proof", "log says it was made with", "log")


@dataclass(frozen=True)
class Row:
    """The runs of one agent with the same settings under the same conditions, which differ in the seed."""

    entries: Sequence[Entry]

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def scores(self) -> list[float]:
        scores = (_finite(entry.result.score) for entry in self.entries)
        return [score for score in scores if score is not None]

    @property
    def mean(self) -> float | None:
        """The mean score; None unless all runs have one."""
        return sum(self.scores) / len(self.scores) if self.scores and len(self.scores) == len(self.entries) else None

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest score of several seeds."""
        return (min(self.scores), max(self.scores)) if self.mean is not None and len(self.scores) > 1 else None


def compose_page(
    entries: Sequence[Entry],
    refusals: Sequence[Refusal],
    reports: Mapping[str, Sequence[Part]] | None = None,
    copies: Mapping[Path, str] | None = None,
) -> Document:
    """The page as a document.

    `reports` has the parts of each benchmark's report of the runs by its name, and `copies` the SHA-256 of the copy of
    a log that had to be cleaned, by the log's path.
    """
    document = Document("Tumble: leaderboard")
    document.text(INTRODUCTION)
    document.text(PROOFS)
    attempts = plural(sum(entry.attempts for entry in entries), "attempt")
    again = sum(entry.repeated for entry in entries)
    text = f"{plural(len(entries), 'run')} with {attempts}, replayed bit for bit; of {again:,} the agent was run again."
    document.text(text)
    for of, own in _by_benchmark(entries):
        document.heading(of.title)
        groups = comparable_rows(own)
        for number, rows in enumerate(groups, start=1):
            title = f"{number}. " if len(groups) > 1 else ""
            _add_group(document, of, rows, title, [other[0].first for other in groups], copies or {})
        _add_details(document, of, own, (reports or {}).get(of.name, ()))
    if refusals:
        document.heading("Refused")
        for refusal in refusals:
            document.text(f"{refusal.path.name}: {_without_folder(refusal)}")
    return document


def comparable_rows(entries: Iterable[Entry]) -> list[list[Row]]:
    """Rows under equal conditions, and with the same tasks; the best first, without a score by name, oracles last."""
    groups: dict[Hashable, dict[tuple[str, bool], list[Entry]]] = {}
    for entry in entries:
        groups.setdefault(entry.conditions, {}).setdefault((entry.key, entry.repeated), []).append(entry)
    rows = ([Row(sorted(runs, key=_seed_key)) for runs in group.values()] for group in groups.values())
    return [sorted(group, key=_rank_of_row) for group in rows]


def rows_of(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The agents as plain data, for other programs: the rows of all tables, in their order."""
    tables = (group for _, own in _by_benchmark(entries) for group in comparable_rows(own))
    return [_agent_data(row, number) for number, group in enumerate(tables, start=1) for row in group]


def runs_of(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The runs as plain data, for other programs; `authors_word` names what nobody checked."""
    return [
        {
            "benchmark": entry.benchmark.name,
            **_agent_fields(entry),
            "seed": entry.seed,
            "spec": {name: _plain_value(value) for name, value in _conditions_of(entry).items()},
            "score": _finite(entry.result.score),
            "result": entry.result.summary,
            "tasks": entry.result.task_count,
            "attempts": entry.attempts,
            "physics": entry.log.header.physics,
            "tumble_version": entry.log.header.tumble_version,
            "log": visible(entry.log.path.name),
            "log_sha256": entry.digest,
            "agent_was_run_again": entry.repeated,
            "proof": entry.proof,
            "authors_word": entry.authors_word,
        }
        for entry in entries
    ]


def _by_benchmark(entries: Sequence[Entry]) -> list[tuple[Benchmark, list[Entry]]]:
    """Benchmarks in their order, with their entries."""
    found = {entry.benchmark.name: entry.benchmark for entry in entries}
    ordered = sorted(found.values(), key=lambda one: (one.position, one.name))
    return [(of, [entry for entry in entries if entry.benchmark.name == of.name]) for of in ordered]


def _agent_data(row: Row, table: int) -> dict[str, Any]:
    low, high = row.range or (None, None)
    return {
        "table": table,
        "benchmark": row.first.benchmark.name,
        **_agent_fields(row.first),
        "mean": row.mean,
        "lowest": low,
        "highest": high,
        "runs": len(row.entries),
        "seeds": [entry.seed for entry in row.entries],
        "agent_was_run_again": row.first.repeated,
        "proof": row.first.proof,
        "logs_sha256": [entry.digest for entry in row.entries],
    }


def _agent_fields(entry: Entry) -> dict[str, Any]:
    settings = {name: value for name, value in entry.log.header.given_settings.items() if name != "seed"}
    return {
        "agent": _agent_name(entry),
        "settings": _plain_value(settings),
        "given": entry.result.agent_was_given,
        "is_oracle": entry.result.is_oracle,
        "agent_sha256": entry.log.header.digests.get(AGENT_DIGEST),
    }


def _agent_name(entry: Entry) -> str:
    """The agent's name, with the file of a user's agent, whose class may be named like a built-in one."""
    agent = entry.log.header.agent
    label = entry.result.agent
    built_in = agent in entry.benchmark.agents.built_in or ":" not in agent
    return label if built_in else f"{label} ({Path(agent.rpartition(':')[0]).name})"


def _rank_of_row(row: Row) -> tuple[bool, float, str, str]:
    return (
        row.first.result.is_oracle,
        -row.mean if row.mean is not None else math.inf,
        _agent_name(row.first),
        row.first.key,
    )


def _seed_key(entry: Entry) -> tuple[int, str]:
    return entry.seed or 0, entry.digest


def _finite(score: float | None) -> float | None:
    return None if score is None or not math.isfinite(score) else score


def _plain_value(value: Any) -> Any:
    """The value as JSON has it: numbers that are none become text."""
    if isinstance(value, Mapping):
        return {name: _plain_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _add_group(
    document: Document,
    of: Benchmark,
    rows: Sequence[Row],
    number: str,
    others: Sequence[Entry],
    copies: Mapping[Path, str],
) -> None:
    first = rows[0].first
    caption = f"{number}{first.result.task_count:,} tasks: {_conditions_text(first, others)}"
    oracles = [k for k, row in enumerate(rows) if row.first.result.is_oracle]
    has_score = any(row.mean is not None for row in rows)
    header = AGENT_COLUMNS if has_score else (AGENT_COLUMNS[0], "result", *AGENT_COLUMNS[3:])
    document.table(caption, header, [_agent_row(row, has_score) for row in rows], dimmed=oracles)
    runs = [(entry, row) for row in rows for entry in row.entries]
    dimmed = [k for k, (_, row) in enumerate(runs) if row.first.result.is_oracle]
    document.table(
        f"{number}The runs of these agents", RUN_COLUMNS, [_run_row(entry, copies) for entry, _ in runs], dimmed
    )


def _conditions_of(entry: Entry) -> dict[str, Any]:
    """The fields of the run specification that are not the agent's own."""
    own = {"agent", "settings", "seed", *entry.benchmark.spec.no_effect}
    return {name: value for name, value in entry.log.header.spec.items() if name not in own}


def _conditions_text(entry: Entry, others: Sequence[Entry]) -> str:
    """The conditions that differ between groups, or are set; files, which are the author's names, with their digest."""
    texts = []
    for name, value in _conditions_of(entry).items():
        if value in (None, [], "") and all(_conditions_of(other).get(name) is None for other in others):
            continue
        text = setting_text(name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else value)
        if name in entry.places:
            text += f" (its author's name for what has SHA-256 {(entry.places[name] or MISSING)[:SHOWN_DIGITS]})"
        texts.append(text)
    return ", ".join(texts) or "all"


def _agent_label(entry: Entry) -> str:
    settings = [setting_text(name, value) for name, value in entry.log.header.further_settings.items()]
    return ", ".join([_agent_name(entry), *settings])


def _agent_row(row: Row, has_score: bool) -> list[str | Cell]:
    entry = row.first
    digest = entry.log.header.digests.get(AGENT_DIGEST)
    built_in = entry.log.header.agent in entry.benchmark.agents.built_in
    range_text = " to ".join(map(decimal_text, row.range)) if row.range else MISSING
    result = entry.result.summary if len(row.entries) == 1 else "see its runs"
    return [
        _agent_label(entry) + f" ({UNPROVED})" * (not entry.repeated),
        *([number_cell(row.mean), range_text] if has_score else [result]),
        count_cell(len(row.entries)),
        entry.proof,
        entry.result.agent_was_given or "nothing more",
        digest[:SHOWN_DIGITS] if digest else "built in" if built_in else "none",
        entry.log.header.physics,
    ]


def _run_row(entry: Entry, copies: Mapping[Path, str]) -> list[str | Cell]:
    copied = copies.get(entry.log.path)
    cleaned = f"; copied without folders, secrets and codes ({copied[:SHOWN_DIGITS]})" if copied else ""
    return [
        _agent_label(entry),
        MISSING if entry.seed is None else str(entry.seed),
        number_cell(_finite(entry.result.score)),
        entry.result.summary,
        RUN_AGAIN if entry.repeated else UNPROVED,
        f"Tumble {entry.log.header.tumble_version}",
        f"{entry.log.path.name} ({entry.digest[:SHOWN_DIGITS]}){cleaned}",
    ]


def _add_details(document: Document, of: Benchmark, entries: Sequence[Entry], parts: Sequence[Part]) -> None:
    """Adds the benchmark's own report below a heading, and of which agents it has the author's word alone."""
    if not parts:
        return
    document.heading(f"{of.title}: tables and figures", 3)
    unproved = dict.fromkeys(_agent_label(entry) for entry in entries if not entry.repeated)
    if unproved:
        document.text(f"In what follows, too: {'; '.join(unproved)}: {NOT_RUN_AGAIN}.")
    for part in parts:
        document.parts.append(Heading(part.text, part.level + 2) if isinstance(part, Heading) else part)


def _without_folder(refusal: Refusal) -> str:
    """Why a file was refused, without where it lies on this machine, and without other folders."""
    reason = refusal.reason.removeprefix(f"{refusal.path}: ").replace(str(refusal.path.parent) + "/", "")
    return public_text(reason)


def data_text(entries: Sequence[Entry]) -> str:
    """The page's tables as JSON."""
    return json.dumps({"rows": rows_of(entries), "runs": runs_of(entries)}, indent=1, allow_nan=False)


PAGE_FILE, DATA_FILE, LOGS_FOLDER = "index.html", "leaderboard.json", "logs"


class LeaderboardError(TumbleError):
    """A site that can't be built."""


def build_site(places: Sequence[Path], site: Path, rerun: bool = True, copy_logs: bool = False) -> "Built":
    """Replays run logs and writes a site of those that replay: a page, and the same as JSON.

    With `copy_logs`, the site also has the logs, so that visitors can replay them; what is private is left out.
    """
    check_target(site)
    entries, refusals = check_logs(places, rerun)
    entries, copies = single_entries(entries)
    reports, problems = _report_parts(entries)
    refusals = [*refusals, *copies, *problems]
    unusable = {refusal.path for refusal in problems}
    entries = [entry for entry in entries if entry.log.path not in unusable]
    if not entries:
        raise LeaderboardError("; ".join(["no log may be listed", *(refusal.text for refusal in refusals)]))
    _write_site(entries, refusals, reports, site, copy_logs)
    return Built(entries, refusals)


class Built:
    """What a site lists, and which files were refused."""

    def __init__(self, entries: Sequence[Entry], refusals: Sequence[Refusal]) -> None:
        self.entries, self.refusals = list(entries), list(refusals)


def check_target(site: Path) -> None:
    """Refuses a folder that holds anything but an earlier leaderboard."""
    if not site.parent.is_dir():
        raise LeaderboardError(f"{site}: there is no folder {site.parent}")
    if site.exists() and not site.is_dir():
        raise LeaderboardError(f"{site} is a file; name a folder")
    if site.is_dir() and any(site.iterdir()) and not (site / DATA_FILE).is_file():
        raise LeaderboardError(f"{site} holds something else than a leaderboard; name a new folder")


def _report_parts(entries: Sequence[Entry]) -> tuple[dict[str, Sequence[Part]], list[Refusal]]:
    """The report of each benchmark by its name; and the logs that no report can be made of."""
    reports: dict[str, Sequence[Part]] = {}
    problems = []
    for of in {entry.benchmark.name: entry.benchmark for entry in entries}.values():
        logs = [entry.log for entry in entries if entry.benchmark.name == of.name]
        reports[of.name], reasons = report_of(of, logs, 0)
        problems += [Refusal(path, reason) for path, reason in reasons.items()]
    return reports, problems


def _write_site(
    entries: Sequence[Entry],
    refusals: Sequence[Refusal],
    reports: Mapping[str, Sequence[Part]],
    site: Path,
    copy_logs: bool,
) -> None:
    new, old = (site.with_name(f".{site.name}-{uuid4().hex}") for _ in range(2))
    try:
        new.mkdir()
        copies: dict[Path, str] = {}
        if copy_logs:
            (new / LOGS_FOLDER).mkdir()
            for entry in entries:
                digest = _copy_log(entry, new / LOGS_FOLDER)
                if digest != entry.digest:
                    copies[entry.log.path] = digest
        page.write(compose_page(entries, refusals, reports, copies), new / PAGE_FILE)
        (new / DATA_FILE).write_text(data_text(entries), encoding="utf-8")
        if site.exists():
            site.rename(old)
        new.rename(site)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _copy_log(entry: Entry, folder: Path) -> str:
    """Copies the log as it is, or written anew if something in it is private; returns the SHA-256 of the copy."""
    source = entry.log.path
    content = source.read_bytes()
    if sha256(content).hexdigest() != entry.digest:
        raise LeaderboardError(f"{source}: it has changed since it was replayed; build again")
    target = folder / _log_name(entry)
    log = read(source)
    cleaned = without_private(log)
    spec_of(log, entry.benchmark.spec).write_tasks(folder)  # without them the copy could not be replayed
    if finished_path(source) == source and (cleaned.header, cleaned.given_up) == (log.header, log.given_up):
        target.write_bytes(content)
    else:
        write_public(log, target)
    return sha256(target.read_bytes()).hexdigest()


def _log_name(entry: Entry) -> str:
    """The file name of a log in the site, with the start of its digest, as logs of several folders may share a name."""
    name = entry.log.path.name.partition(SUFFIX)[0]
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', name)[:100]}-{entry.digest[:8]}{FINISHED_SUFFIX}"
