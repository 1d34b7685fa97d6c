"""The commands that serve pages: `tumble play` those of all benchmarks, `tumble study serve` those of one study."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tumble.benchmark import open_study
from tumble.errors import TumbleError
from tumble.output import print_line, reports_errors
from tumble.runs.spec import name_folders
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
    serve(make_app(options), options, opens, _announce_play)


def _announce_play(address: str) -> None:
    print_line(f"Play at {address} (stop the server with Ctrl+C)")


SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class ServeOptions:
    """The options of the command, besides those of the server."""

    anyone: bool
    token_file: Path | None
    opens: bool


@reports_errors
def serve_study(file: Path, chosen: ServeOptions, options: WebOptions) -> None:
    """Serves a study until it is stopped."""
    check_web_extra()
    from tumble.web.server import serve
    from tumble.web.study_app import make_study_app

    token = secrets.token_urlsafe(24) if chosen.token_file is None else read_token(chosen.token_file)
    app = make_study_app(open_study(file), token, options, chosen.anyone)

    def announce(address: str) -> None:
        print_line(f"Study at {address}study/ (stop the server with Ctrl+C)")
        print_line(f"Link of a participant: {address}study/CODE, with a code of tumble study invite {file}")
        if chosen.token_file is None:
            print_line(f"Progress, for you only: {address}study/admin#{token}")
        else:
            print_line(f"Progress, for you only: {address}study/admin, with the token in {chosen.token_file}")

    serve(app, options, chosen.opens, announce)


def read_token(file: Path) -> str:
    """The token in a file."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TumbleError(f"{file}: {getattr(error, 'strerror', None) or 'not a text in UTF-8'}") from None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or len(token.split()) != 1:
        raise TumbleError(f"{file}: a token has {SHORTEST_TOKEN} characters or more, without spaces, in ASCII")
    return token
