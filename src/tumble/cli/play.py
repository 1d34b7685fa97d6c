"""`tumble play`: the pages of all benchmarks on a local server."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import print_line, reports_errors


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
def play(host: str, port: int, runs: Path | None, opens: bool) -> None:
    """Serves the pages until it is stopped."""
    check_web_extra()
    from tumble.web.app import make_app
    from tumble.web.options import WebOptions
    from tumble.web.server import serve

    if runs is not None and not runs.is_dir():
        raise TumbleError(f"{runs}: no such folder")
    options = WebOptions(host=host, port=port, runs=runs)
    serve(make_app(options), options, opens, _announce)


def _announce(address: str) -> None:
    print_line(f"Play at {address} (stop the server with Ctrl+C)")
