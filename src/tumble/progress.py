"""Progress bars for what takes a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[int], None]

_shown: Progress | None = None
_silent = False


def silence() -> None:
    """Show no bars in this process: the one that started it shows them."""
    global _silent
    _silent = True


@contextmanager
def bar(label: str, total: int) -> Iterator[Advance]:
    """A bar on the terminal's error stream, removed when it is done; call what it gives with each number finished.

    A bar within a bar is one more line. Nothing is shown where the stream is no terminal.
    """
    with _lines() as lines:
        task = lines.add_task(label, total=total)
        try:
            yield lambda done: lines.advance(task, done)
        finally:
            lines.remove_task(task)


@contextmanager
def _lines() -> Iterator[Progress]:
    """The display that shows bars: the current one, or a new one."""
    global _shown
    if _shown is not None:
        yield _shown
        return
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    off = _silent or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        _shown = progress
        try:
            yield progress
        finally:
            _shown = None


@contextmanager
def bar_with_note(label: str, total: int, done: int = 0) -> Iterator[Callable[[int, str], None]]:
    """A bar with a note after its label; call what it gives with the number finished in all, and the note."""
    with _lines() as lines:
        task = lines.add_task(label, total=total, completed=done)
        try:
            yield lambda finished, note: lines.update(task, completed=finished, description=f"{label}, {note}")
        finally:
            lines.remove_task(task)
