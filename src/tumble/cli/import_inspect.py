"""`tumble runs import-inspect`: run logs from logs of inspect_ai."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import print_line, reports_errors


@reports_errors
def import_inspect(file: Path, out: Path) -> None:
    """Writes the run logs of a log of inspect_ai into a folder."""
    try:
        from tumble.inspect_tasks.import_log import import_log
    except ModuleNotFoundError as error:
        raise TumbleError(
            f"logs of inspect_ai need {error.name}, which is not installed; install it with: pip install 'tumble[llm]'"
        ) from None
    for path in import_log(file, out):
        print_line(f"{path}")
