"""What all commands print with: results on one stream, one line about what is wrong on the other."""

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

from tumble.engine import Options
from tumble.engine.host.machine import Machine

P = ParamSpec("P")

BAD_INPUT = 1
INTERRUPTED = 130


def console(stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints text as it is."""
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def table(*columns: str | Column) -> Table:
    """An empty table, narrow enough for 80 characters."""
    return Table(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def say(text: str) -> None:
    """Print a line, however long."""
    console().print(text, soft_wrap=True)


def complain(text: str, in_one_line: bool = True) -> None:
    """Print on the error stream."""
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


def refusing(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command say in one line what is wrong with its input, and end with exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except OSError as error:
            complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
            raise typer.Exit(BAD_INPUT) from None
        except ValueError as error:
            complain(str(error))
            raise typer.Exit(BAD_INPUT) from None

    return run


@contextmanager
def resumable(hint: str) -> Iterator[None]:
    """Where somebody presses Ctrl-C, say how to go on later."""
    try:
        yield
    except KeyboardInterrupt:
        complain(f"stopped; {hint}")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Show on the terminal that something takes a while."""
    watched = console(stderr=True)
    if not watched.is_terminal:
        yield
        return
    with watched.status(what):
        yield


def check_target(path: Path | None, *suffixes: str) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the name of this file must end in {' or '.join(suffixes)}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")


def check_device(name: str) -> None:
    """Refuse a device that this machine does not have."""
    Machine(Options(device=name))
