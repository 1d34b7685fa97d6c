"""What `bombs.py` knows of a reader."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bomb_files import Content

REFUSALS = ("OSError", "FileNotFoundError", "IsADirectoryError")


@dataclass(frozen=True)
class Reader:
    """A reader of files that others wrote."""

    name: str
    file: str
    """The name of a file, which may decide how it is read."""
    read: Callable[[Path], object]
    honest: Callable[[Path], Content]
    """The largest file that anybody has a reason to give it, made in a folder."""
    bombs: Callable[[], Iterator[tuple[str, Content]]]
    needs: tuple[str, ...] = ()
    """Optional packages."""

    def missing(self) -> str:
        return next((name for name in self.needs if find_spec(name) is None), "")

    def load(self) -> None:
        """Imports what reading needs, and what is imported when it is first done."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / (self.file or "input")
            if self.file:
                path.write_bytes(b"[]")
            with suppress(Exception):  # refused: it has imported nearly everything
                self.read(path)

    def is_refusal(self, outcome: str) -> bool:
        """Whether an outcome is an error in one line that says what is wrong."""
        import tumble.errors

        name = outcome.partition(":")[0]
        known = {"TumbleError", *REFUSALS}
        waiting = [tumble.errors.TumbleError]
        while waiting:
            kind = waiting.pop()
            known.add(kind.__name__)
            waiting += kind.__subclasses__()
        return name in known
