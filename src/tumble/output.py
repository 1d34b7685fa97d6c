"""What all commands print with: results on standard output, errors in one line on standard error."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from tumble.errors import TumbleError

P = ParamSpec("P")

BAD_INPUT = 1
INTERRUPTED = 130


class TargetError(TumbleError):
    """A file that can't be written."""


def console(stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints text as it is."""
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


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
