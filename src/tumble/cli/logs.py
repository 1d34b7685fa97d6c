"""What the commands of `tumble runs` and `tumble report` do; the benchmark of a log says how it is to be read."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import typer
from rich.measure import Measurement
from rich.table import Table

from tumble.output import BAD_INPUT, check_target, complain, console, counted, patience, refusing, say, table
from tumble.progress import bar
from tumble.report import page, terminal
from tumble.report.document import joined
from tumble.runs.log import Log, LogError, finished_at, logs_in, read
from tumble.runs.side_by_side import resume_all

BENCHMARKS = {"phyre": "tumble.phyre.cli.logs", "phyq": "tumble.phyq.cli.logs", "comphy": "tumble.comphy.cli.logs"}
"""By the name in a log's header: what knows how to list, show, resume, verify and report its runs."""


def _benchmark(log: Log) -> ModuleType:
    """What knows a log; a LogError where none does, or where its header does not say what has to be known."""
    name = log.header.get("benchmark")
    if name not in BENCHMARKS:
        raise LogError(f"{log.path}: a run of {name!r}; known are {', '.join(BENCHMARKS)}")
    known = import_module(BENCHMARKS[name])
    known.check(log)
    return known


def _found(places: Sequence[Path]) -> list[Log]:
    """The logs in these places; what in folders is none is named and passed over.

    Of each task the last attempt, where that is all that their benchmark needs.
    """
    missing = next((place for place in places if not place.exists()), None)
    if missing is not None:
        raise LogError(f"{missing}: no such file or folder")
    with patience("Reading logs …"):
        logs, problems = logs_in(places, brief=True)
    known = []
    for log in logs:
        try:
            needs_all = _benchmark(log).NEEDS_ALL_ATTEMPTS
        except LogError as error:
            if log.path in places:
                raise
            problems.append(str(error))
        else:
            known.append(read(finished_at(log.path) or log.path) if needs_all else log)
    for problem in problems:
        complain(problem)
    if not known:
        raise LogError(f"no run logs in {', '.join(map(str, places))}")
    return known


@refusing
def list_logs(places: Sequence[Path]) -> None:
    """Print a table of logs for each benchmark."""
    for own in _by_benchmark(_found(places)):
        known = _benchmark(own[0])
        rows = table(*known.COLUMNS, "file")
        for log in own:
            rows.add_row(*known.row(log), str(log.path))
        _print_wide(rows)


def _by_benchmark(logs: Sequence[Log]) -> list[list[Log]]:
    """Logs that are read in the same way."""
    names = dict.fromkeys(log.header.get("benchmark") for log in logs)
    return [[log for log in logs if log.header.get("benchmark") == name] for name in names]


def _print_wide(rows: Table) -> None:
    """Each row on one line, however long: the names of files are there to be copied."""
    narrow = console()
    needed = Measurement.get(narrow, narrow.options.update(width=10_000), rows).maximum
    console(width=max(narrow.width, needed)).print(rows, soft_wrap=True)


@refusing
def show(file: Path) -> None:
    """Print what a log holds."""
    log = read(file)
    known = _benchmark(log)
    for name, value in log.header.items():
        say(f"{name}: {_in_words(value)}")
    known.show(log)


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


@refusing
def resume(places: Sequence[Path], workers: int | None, executor: str) -> None:
    """Go on with the logs that are unfinished."""
    logs = _found(places)
    unfinished = [log for log in logs if not log.finished]
    if not unfinished:
        say(f"Nothing to go on with: {counted(len(logs), 'run')}, all finished.")
        return
    failed = 0
    for own in _by_benchmark(unfinished):
        known = _benchmark(own[0])
        failed += resume_all([known.resumed(log) for log in own], own, workers, executor)
    if failed:
        complain(f"failed: {counted(failed, 'run')} of {len(unfinished)}")
        raise typer.Exit(BAD_INPUT)


@refusing
def verify(places: Sequence[Path]) -> None:
    """Replay logs up to the first difference."""
    for path in [log.path for log in _found(places)]:
        log = read(path)
        attempts = sum(1 for _ in log.rows())
        with bar("Attempts", attempts) as advance:
            difference = _benchmark(log).verify(log, advance)
        if difference:
            raise LogError(f"{log.path}: {difference}")
        say(f"{log.path}: {counted(len(log.tasks), 'task')}, {counted(attempts, 'attempt')}, all as replayed.")


@refusing
def report(places: Sequence[Path], out: Path | None, text: bool, gifs: int) -> None:
    """Compose the report of all logs, and write or print it."""
    if out is None and not text:
        raise typer.BadParameter("name a page to write with -o report.html, or print tables with --text")
    check_target(out, ".html", ".htm")
    logs = _found(places)
    with patience("Composing the report …"):
        document = joined([_benchmark(own[0]).compose(own, gifs if out else 0) for own in _by_benchmark(logs)])
    if text:
        terminal.show(document, console())
    if out:
        page.write(document, out)
        say(f"Written to {out}.")
