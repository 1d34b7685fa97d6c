"""The implementation of `tumble runs` and `tumble report`; each log is read by its benchmark.

Also common to what benchmarks print about a log in `tumble runs list` and `tumble runs show`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.measure import Measurement
from rich.table import Table

from tumble.benchmark import Benchmark, BenchmarkError, report_of
from tumble.benchmark import benchmark as benchmark_by_name
from tumble.cli.evaluate import exit_if_failed, resume_runs
from tumble.cli.options import single_settings
from tumble.errors import TumbleError, printable
from tumble.output import (
    BAD_INPUT,
    TargetError,
    check_target,
    console,
    plural,
    print_error,
    print_line,
    public_text,
    reports_errors,
    spinner,
    table,
)
from tumble.progress import bar
from tumble.report import page, text_formats
from tumble.report.document import Document, join_documents
from tumble.report.text_formats import write_csv, write_figures, write_latex
from tumble.runs.evaluate import Result, resumable_spec, spec_of
from tumble.runs.log import Log, LogError, finished_path, logs_in, read
from tumble.runs.public import public_log
from tumble.runs.replay import without_copies
from tumble.runs.spec import name_folders


def _benchmark_of(log: Log) -> Benchmark:
    """The benchmark of a log; raises LogError if it is not installed or can't read the header."""
    try:
        benchmark = benchmark_by_name(log.header.benchmark)
    except BenchmarkError as error:
        raise LogError(f"{log.path}: {error}") from None
    spec_of(log, benchmark.spec)
    return benchmark


def read_logs(places: Sequence[Path]) -> list[tuple[Benchmark, list[Log]]]:
    """The logs among files and in folders, by benchmark; reports and skips files in folders that can't be read."""
    missing = next((place for place in places if not place.exists()), None)
    if missing is not None:
        raise LogError(f"{missing}: no such file or folder")
    with spinner("Reading logs …"):
        logs, problems = logs_in(places, brief=True)
    by_name: dict[str, tuple[Benchmark, list[Log]]] = {}
    for log in logs:
        try:
            benchmark = _benchmark_of(log)
        except Exception as error:  # a log may say anything
            if log.path in places:
                raise LogError(_problem(log, error)) from None
            problems.append(_problem(log, error))
        else:
            complete = read(finished_path(log.path) or log.path) if benchmark.needs_all_attempts else log
            by_name.setdefault(benchmark.name, (benchmark, []))[1].append(complete)
    for problem in problems:
        print_error(problem)
    if not by_name:
        raise LogError(f"no run logs in {', '.join(map(str, places))}")
    return list(by_name.values())


@reports_errors
def list_logs(places: Sequence[Path]) -> None:
    """Prints a table of logs for each benchmark."""
    for benchmark, logs in read_logs(places):
        rows = table(*benchmark.columns, "file")
        for log in logs:
            try:
                rows.add_row(*benchmark.row(public_log(log)), str(log.path))
            except Exception as error:  # a log may say anything; one must not keep the others from being listed
                print_error(_problem(log, error))
        _print_wide(rows)


def _print_wide(rows: Table) -> None:
    """Prints each row on one line, however long, so that paths can be copied."""
    default = console()
    width = Measurement.get(default, default.options.update(width=10_000), rows).maximum
    console(width=max(default.width, width)).print(rows, soft_wrap=True)


@reports_errors
def show(file: Path) -> None:
    """Prints the contents of a log."""
    log = read(file)
    benchmark = _benchmark_of(log)
    try:
        shown = public_log(log)
        for name, value in shown.header.model_dump(mode="json").items():
            print_line(f"{name}: {_value_text(value)}")
        benchmark.show(shown)
    except OSError:
        raise
    except Exception as error:  # a log may say anything
        raise LogError(_problem(log, error)) from None


def _problem(log: Log, error: Exception) -> str:
    """Why a log can't be used, with its file."""
    is_expected = isinstance(error, TumbleError)
    text = str(error) if is_expected else f"it can't be used: {type(error).__name__}: {error}"
    return printable(text if str(log.path) in text else f"{log.path}: {text}")


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value_text(part)}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


@reports_errors
def resume(
    places: Sequence[Path],
    data: Sequence[Path],
    agent: str | None,
    settings: Sequence[str],
    workers: int | None,
    executor: str,
) -> None:
    """Resumes unfinished runs; `agent` and `settings` name again what a log may not name."""
    name_folders(data)
    given = single_settings(settings)
    all_logs = read_logs(places)
    unfinished = [(benchmark, [log for log in logs if not log.finished]) for benchmark, logs in all_logs]
    count = sum(len(logs) for _, logs in unfinished)
    if not count:
        print_line(f"Nothing to resume: {plural(sum(len(logs) for _, logs in all_logs), 'run')}, all finished.")
        return
    results: list[Result] = []
    for benchmark, logs in unfinished:
        if logs:
            runs = [(log, resumable_spec(log, benchmark.spec, agent, given)) for log in logs]
            results += resume_runs(benchmark, runs, workers, executor)
    exit_if_failed(results, count)


@reports_errors
def verify(places: Sequence[Path], data: Sequence[Path] = ()) -> None:
    """Replays logs; stops at the first difference."""
    name_folders(data)
    for benchmark, logs in read_logs(places):
        for path in [log.path for log in logs]:
            log = read(path)
            attempts = sum(1 for _ in log.rows())
            with bar("Attempts", attempts) as advance:
                difference = benchmark.replay(log, advance)
            if difference:
                raise LogError(f"{path}: {difference}")
            print_line(f"{path}: {plural(len(log.tasks), 'task')}, {plural(attempts, 'attempt')}, replay identical.")


@dataclass(frozen=True)
class ReportTargets:
    """Where a report is written; None for formats that are not wanted."""

    page: Path | None = None
    csv: Path | None = None
    latex: Path | None = None
    figures: Path | None = None
    text: bool = False
    """Whether its tables are printed."""

    def check(self) -> None:
        """Refuses targets that could not be written, before any work is done for them."""
        if not any((self.page, self.csv, self.latex, self.figures, self.text)):
            raise typer.BadParameter(
                "give a page to write with -o report.html, or --csv DIR, --latex DIR, --figures DIR or --text"
            )
        check_target(self.page, ".html", ".htm")
        for folder in filter(None, (self.csv, self.latex, self.figures)):
            if folder.exists() and not folder.is_dir():
                raise TargetError(f"{folder} is a file; name a folder")


@reports_errors
def report(places: Sequence[Path], targets: ReportTargets, gifs: int) -> None:
    """Composes the report of all logs, and writes or prints it."""
    targets.check()
    animated = gifs if targets.page else 0
    with spinner("Composing the report …"):
        in_order = sorted(read_logs(places), key=lambda pair: (pair[0].position, pair[0].name))
        drawn = bool(targets.page or targets.latex or targets.figures)
        parts = [_report_of(benchmark, logs, animated, drawn) for benchmark, logs in in_order]
    document = parts[0] if len(parts) == 1 else join_documents(parts, "Tumble: agents on several benchmarks")
    if targets.text:
        text_formats.print_document(document, console())
    with spinner("Writing the report …"):
        _write_report(document, targets)


def _report_of(benchmark: Benchmark, logs: Sequence[Log], animated: int, drawn: bool) -> Document:
    """The report of a benchmark's logs; copies, logs without a finished task and unusable ones are only listed."""
    document = Document(f"Tumble: agents on {benchmark.title}")
    begun = [log for log in logs if log.finished or log.tasks]
    single, copies = without_copies(begun, benchmark.spec.no_effect)
    for copy in copies:
        print_error(copy.text)
    parts, problems = report_of(benchmark, [public_log(log) for log in single], animated, drawn)
    unusable = [_problem(log, LogError(problems[log.path])) for log in single if log.path in problems]
    if unusable and len(unusable) == len(single):
        raise LogError("; ".join(unusable))
    for problem in unusable:
        print_error(problem)
    document.parts += parts
    empty = [log.path.name for log in logs if not (log.finished or log.tasks)]
    if empty or copies or problems:
        document.heading("Files not used")
    if empty:
        document.text(f"Not started or failed, without a finished task: {', '.join(empty)}.")
    if copies:
        names = (f"{copy.path.name} is of the same run as {copy.used.name}" for copy in copies)
        document.text(f"Counted once: {'; '.join(names)}.")
    for path, reason in problems.items():
        document.text(f"{path.name}: {public_text(reason.removeprefix(f'{path}: '))}")
    return document


def _write_report(document: Document, targets: ReportTargets) -> None:
    written: list[str] = []
    if targets.page:
        page.write(document, targets.page)
        written.append(str(targets.page))
    formats = (
        ("CSV", targets.csv, write_csv),
        ("LaTeX", targets.latex, write_latex),
        ("figure", targets.figures, write_figures),
    )
    for kind, folder, write in formats:
        if folder:
            written.append(f"{folder} ({plural(len(write(document, folder)), f'{kind} file')})")
    if written:
        print_line(f"Written to {', '.join(written)}.")


MOST_TASKS_PRINTED = 3
MOST_ATTEMPTS_PRINTED = 5
"""Tasks and attempts at each that are printed."""


def log_row(result: Result, conditions: Sequence[object], scores: Sequence[str]) -> list[str]:
    """A row of the table of logs: agent and its settings, the run's conditions, tasks, finished or not, scores."""
    settings = "".join(f" {name}={value}" for name, value in result.header.further_settings.items())
    finished = "yes" if result.finished else "no"
    given_up = f", {len(result.given_up)} given up" if result.given_up else ""
    return [result.agent + settings, *map(str, conditions), result.tasks + given_up, finished, *scores]


def print_summary(result: Result, attempts: int, task: str = "task", attempt: str = "attempt") -> None:
    """Prints whether a run is finished, its numbers of tasks and attempts, and its scores."""
    state = "finished" if result.finished else "unfinished"
    print_line(f"\n{state}: {result.tasks} {task}s, {plural(attempts, attempt)}")
    if result.tasks_done:
        print_line(result.summary)


def print_attempts(
    log: Log, action: str, action_text: Callable[[list[Any]], str], outcome_text: Callable[[int], str]
) -> None:
    """Prints the first attempts and the last one at the first tasks; `action` is the heading of actions."""
    rows = table("task", "attempt", action, "outcome", "steps")
    for task_id, attempts in list(log.tasks.items())[:MOST_TASKS_PRINTED]:
        few = (
            attempts
            if len(attempts) <= MOST_ATTEMPTS_PRINTED
            else [*attempts[: MOST_ATTEMPTS_PRINTED - 1], attempts[-1]]
        )
        for row in few:
            texts = (action_text(row["action"]), outcome_text(row["status"]), str(row["steps"] or "-"))
            rows.add_row(task_id, str(row["attempt"]), *texts)
    console().print(rows)


@reports_errors
def import_inspect(file: Path, out: Path) -> None:
    """Writes the run logs of a log of inspect_ai into a folder; fails if none can be written."""
    try:
        from tumble.inspect_tasks.import_log import import_log
    except ModuleNotFoundError as error:
        raise TumbleError(
            f"logs of inspect_ai need {error.name}, which is not installed; install it with: pip install 'tumble[llm]'"
        ) from None
    skipped: list[str] = []
    paths = import_log(file, out, skipped.append)
    for path in paths:
        log = read(path)
        tasks = len(log.tasks) if log.finished else f"{len(log.tasks)} of {log.header.task_count}"
        print_line(f"{path}: {log.header.agent_label}, {tasks} tasks")
    for problem in skipped:
        print_error(f"skipped: {problem}")
    if not paths:
        print_error("no run log was written")
        raise typer.Exit(BAD_INPUT)
