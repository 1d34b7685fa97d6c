"""Progress of what takes a while: bars on a terminal, and a line from time to time where the error stream is a file."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[int], None]

MIN_SECONDS, MAX_SECONDS = 5.0, 60.0
"""Between two lines: MIN_SECONDS at least, and no more than MAX_SECONDS if there is progress …"""
LINE_SHARE = 0.1
"""… but sooner after this share of the total."""

_shown: Progress | None = None
_silent = False


def silence() -> None:
    """Show no progress in this process: the one that started it shows it."""
    global _silent
    _silent = True


def note(text: str) -> None:
    """Prints a line on the error stream, above the bars."""
    if _silent:
        return
    if _shown is not None:
        _shown.console.print(text, soft_wrap=True, markup=False, highlight=False)
    else:
        _print(text)


@contextmanager
def bar(label: str, total: int) -> Iterator[Advance]:
    """A bar on the terminal's error stream, removed when it is done; call what it gives with each number finished.

    A bar within a bar is one more line. Where the stream is no terminal, lines with the numbers are printed.
    """
    with _display(label, total) as show:
        finished = 0

        def advance(done: int) -> None:
            nonlocal finished
            finished += done
            show(finished, "")

        yield advance


@contextmanager
def bar_with_note(label: str, total: int, done: int = 0) -> Iterator[Callable[[int, str], None]]:
    """A bar with a note after its label; call what it gives with the number finished in all, and the note."""
    with _display(label, total, done) as show:
        yield show


@contextmanager
def _display(label: str, total: int, done: int = 0) -> Iterator[Callable[[int, str], None]]:
    """Shows the number finished and a note: as a bar, as lines, or not at all."""
    if _silent:
        yield lambda finished, note: None
    elif _shown is None and not Console(stderr=True).is_terminal:
        yield _Lines(label, total, done).show
    else:
        with _bars() as bars:
            task = bars.add_task(label, total=total, completed=done)
            try:
                yield lambda finished, note: bars.update(
                    task, completed=finished, description=f"{label}, {note}" if note else label
                )
            finally:
                bars.remove_task(task)


@contextmanager
def _bars() -> Iterator[Progress]:
    """The display that shows bars: the current one, or a new one."""
    global _shown
    if _shown is not None:
        yield _shown
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        _shown = progress
        try:
            yield progress
        finally:
            _shown = None


class _Lines:
    """Progress as lines of text. What is done within MIN_SECONDS prints none."""

    def __init__(self, label: str, total: int, done: int) -> None:
        self.label, self.total, self.first = label, total, done
        self.printed, self.start = done, time.monotonic()
        self.last = self.start

    def show(self, finished: int, note: str) -> None:
        now = time.monotonic()
        waited = now - self.last
        if finished <= self.printed or waited < MIN_SECONDS:
            return
        if finished - self.printed < LINE_SHARE * self.total and waited < MAX_SECONDS:
            return
        share = 100 * finished // self.total if self.total else 100
        left = duration((now - self.start) / (finished - self.first) * max(0, self.total - finished))
        added = f", {note}" if note else ""
        _print(f"{self.label}{added}: {finished:,} of {self.total:,} ({share} %), {left} left")
        self.printed, self.last = finished, now


def duration(seconds: float) -> str:
    """A time to read.

    >>> duration(50), duration(400), duration(40_000)
    ('50 s', '7 min', '11.1 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
