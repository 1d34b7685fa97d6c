"""What all commands print with: results on standard output, errors in one line on standard error.

And `public`: what of a log's or a setting's value may be printed, put on a page or given away.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tumble.errors import TumbleError, visible

P = ParamSpec("P")

BAD_INPUT = 1
INTERRUPTED = 130

PERSONAL = ("participant",)
"""Keys of logs whose values belong to one person, and are left out: the code with which a participant continues."""
REMOVED = "(removed)"
SECRET = re.compile(r"(?i)(^|_)(token|password|passwd|secret|credentials?|authorization|api_?key|access_key)(_|$)")
"""Names of settings whose values are secrets; not those of counts, as in max_tokens."""
PLACES = ("agent", "checkpoint", "data", "file", "folder", "path", "perceiver", "pool", "store", "tasks")
"""Names of settings whose values are files or folders, also where they do not look so."""
LONGEST_TEXT = 2000
"""Characters of a text from a log that are shown."""
_ADDRESS = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20})://([^\s'\"<>]*)")
_LOGIN = re.compile(r"[^\s/:@]{1,64}:[^\s/@]{1,200}@(?=\w)")
_NAME = r"[^\s/\\'\",;:()<>|]+"
_FOLDERS = re.compile(
    rf"(?:(?<![\w/.~:\\])(?:~[\w-]*)?/(?:{_NAME}/)+|(?:\b[A-Za-z]:|\\)[\\/](?:{_NAME}[\\/])*)(?={_NAME})"
)
_ABSOLUTE = re.compile(r"/|~|\\\\|[A-Za-z]:[\\/]")
_RELATIVE = re.compile(r"\.{1,2}[\\/]|[^\s]*[\\/][^\s]*\.[A-Za-z]\w{0,11}(:\w+)?$")
_LOCAL_MODEL = re.compile(r"(\w+/)(?=[/~.]|[A-Za-z]:[\\/])(.*)")


class TargetError(TumbleError):
    """A file that can't be written."""


class _TextConsole(Console):
    """A console whose texts can't steer the terminal: they may quote names of logs and files."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible(text, kept="\n\t"), **options)


def console(stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints text as it is, but control characters as escapes."""
    return _TextConsole(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def table(*columns: str | Column) -> Table:
    """An empty table, narrow enough for 80 characters."""
    return Table(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def plural(number: int, noun: str) -> str:
    """A number of things: 1 run, 2 runs."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def print_line(text: str) -> None:
    """Prints a line, however long."""
    console().print(text, soft_wrap=True)


def print_error(text: str, in_one_line: bool = True) -> None:
    """Prints on standard error."""
    console(stderr=True).print("tumble:", " ".join(text.splitlines()) if in_one_line else text, soft_wrap=True)


def public(value: Any, name: str = "") -> Any:
    """A value, or the values within it, without folders of a machine, secrets, or a participant's code.

    `name` is that of the setting that has the value.

    >>> public("/home/me/nets/a.pt"), public("https://me:secret@host:80/v1?key=x"), public("openai/gpt-5", "model")
    ('a.pt', 'https://host:80/v1', 'openai/gpt-5')
    >>> public({"participant": "k3f9", "checkpoint": "nets/last", "api_key": "x"})
    {'checkpoint': 'last', 'api_key': '(removed)'}
    """
    if isinstance(value, Mapping):
        kept = {key: part for key, part in value.items() if key not in PERSONAL}
        return {public_text(str(key)): public(part, str(key)) for key, part in kept.items()}
    if isinstance(value, list | tuple):
        return type(value)(public(part, name) for part in value)
    if SECRET.search(name) and value not in (None, "", False):
        return REMOVED
    return _public_string(value[:LONGEST_TEXT], name) if isinstance(value, str) else value


def public_text(text: str) -> str:
    """A sentence with files by their names alone, and addresses without logins and queries.

    >>> public_text("unreadable: /home/me/data/3.json: no such file")
    'unreadable: 3.json: no such file'
    """
    return _FOLDERS.sub("", _LOGIN.sub("", _ADDRESS.sub(_public_address, text[:LONGEST_TEXT])))


def _public_string(text: str, name: str) -> str:
    if "://" in text[:24]:  # with all that follows: a password may have spaces
        scheme, _, rest = text.partition("://")
        return _address(scheme, rest)
    local = _LOCAL_MODEL.fullmatch(text) if name == "model" else None
    if local:
        return local[1] + _last_part(local[2])
    is_place = _ABSOLUTE.match(text) or _RELATIVE.match(text) or any(part in PLACES for part in name.split("_"))
    return _last_part(text) if is_place and name != "model" else public_text(text)


def _last_part(place: str) -> str:
    """The name of a file or folder: of one in any system's notation."""
    parts = [part for part in re.split(r"[\\/]", place) if part]
    return parts[-1] if parts else ""


def _public_address(match: re.Match[str]) -> str:
    return _address(match[1], match[2])


def _address(scheme: str, rest: str) -> str:
    if scheme.lower() == "file":
        return _last_part(rest)
    return f"{scheme}://{re.split(r'[?#;]', rest.rpartition('@')[2])[0]}"


def half_blocks(pixels: np.ndarray) -> Text:
    """A colour picture [rows, columns, 3] in half blocks, each of which shows two pixels, one above the other."""
    drawing = Text()
    for upper, lower in zip(pixels[::2], pixels[1::2], strict=True):
        for above, below in zip(upper, lower, strict=True):
            drawing.append("▀", f"rgb({','.join(map(str, above))}) on rgb({','.join(map(str, below))})")
        drawing.append("\n")
    return drawing


def shows_colours(target: Console) -> bool:
    """Whether pictures can be drawn on a console in colour."""
    return bool(target.color_system) and not target.no_color and target.encoding.startswith("utf")


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Makes a command report the user's errors and the file system's in one line, with exit code 1.

    Any other exception is a bug and shows its traceback.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except OSError as error:
            print_error(file_error(error))
            raise typer.Exit(BAD_INPUT) from None
        except TumbleError as error:
            print_error(str(error))
            raise typer.Exit(BAD_INPUT) from None

    return run


def file_error(error: OSError) -> str:
    """An error of the file system as text: the file, or two of them, and what is wrong."""
    what = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return what
    names = [name for name in (error.filename, error.filename2) if name is not None]
    return f"{' to '.join(map(os.fsdecode, names))}: {what}"


@contextmanager
def resume_hint(hint: str) -> Iterator[None]:
    """On Ctrl-C, says how to resume later."""
    try:
        yield
    except KeyboardInterrupt:
        print_error(f"stopped; {hint}")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Shows on the terminal that something takes a while."""
    watched = console(stderr=True)
    if not watched.is_terminal:
        yield
        return
    with watched.status(text):
        yield


def check_target(path: Path | None, *suffixes: str) -> None:
    """Refuses a file that could not be written, before any work is done for it."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise TargetError(f"{path}: the name of this file must end in {' or '.join(suffixes)}")
    if path.is_dir():
        raise TargetError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise TargetError(f"{path}: there is no folder {path.parent}")
