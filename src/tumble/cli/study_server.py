"""`tumble study serve`: the pages of one study."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from tumble.benchmark import open_study
from tumble.cli.play import check_web_extra
from tumble.errors import TumbleError
from tumble.output import print_line, reports_errors
from tumble.web.options import WebOptions

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
    from tumble.web.study.app import make_study_app

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
