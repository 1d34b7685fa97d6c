"""What a gallery is made of: the templates of a benchmark, and what is drawn of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import clips
from PIL import Image

CANDIDATES = 20
"""Tasks of a template of which the one with the shortest solution is shown."""


@dataclass(frozen=True)
class Drawing:
    """What the gallery shows of a template: a task at its start, and its stored solution."""

    task_id: str
    solution: str
    """In words."""
    picture: Image.Image
    frames: Sequence[Image.Image]
    fps: float
    lossless: bool


@dataclass(frozen=True)
class Gallery:
    """The templates of a benchmark, and how to draw them."""

    name: str
    keys: dict[str, str]
    """By template id: a digest of everything that decides what is drawn."""
    draw: Callable[[Sequence[str]], Iterator[tuple[str, Drawing]]]
    """Simulates some templates in one batch, then draws one after the other."""


def digest(drawn_by: str, *parts: object) -> str:
    """A digest of plain data and of the source of the programs that draw it."""
    source = b"".join(Path(file).read_bytes() for file in (__file__, clips.__file__, drawn_by))
    return sha256(repr(parts).encode() + source).hexdigest()
