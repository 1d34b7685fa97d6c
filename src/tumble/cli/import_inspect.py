"""`tumble runs import-inspect`: run logs from logs of inspect_ai."""

from pathlib import Path

import typer

from tumble.errors import TumbleError
from tumble.output import BAD_INPUT, print_error, print_line, reports_errors
from tumble.runs.log import read


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
