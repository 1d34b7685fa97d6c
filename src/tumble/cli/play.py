"""`tumble play`: the pages of all benchmarks on a local server."""

from collections.abc import Sequence
from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import print_line, reports_errors
from tumble.runs.folders import name_folders
from tumble.web.options import WebOptions


class MissingExtraError(TumbleError):
    """A command that needs packages which are not installed."""


def check_web_extra() -> None:
    """Raises a MissingExtraError where the packages of the web server are not installed."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"the pages need {error.name}, which is not installed; install all of it with: pip install 'tumble[web]'"
        ) from None


@reports_errors
def play(options: WebOptions, opens: bool, data: Sequence[Path] = ()) -> None:
    """Serves the pages until it is stopped; tasks and data of run logs are also found in the folders `data`."""
    check_web_extra()
    name_folders(data)
    from tumble.web.app import make_app
    from tumble.web.server import serve

    if options.runs is not None and not options.runs.is_dir():
        raise TumbleError(f"{options.runs}: no such folder")
    serve(make_app(options), options, opens, _announce)


def _announce(address: str) -> None:
    print_line(f"Play at {address} (stop the server with Ctrl+C)")
