"""Where the parts of a document are: under which headings, and by which names files and links refer to them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from tumble.report.document import Document, Figure, Heading, Part, Table

P = TypeVar("P", bound=Part)

MAX_SLUG = 48


@dataclass(frozen=True)
class Placed(Generic[P]):
    """A part with its name, which is unique in the document, and the headings above it, the highest first."""

    name: str
    """As in: 03-auccess-by-fold."""
    section: tuple[str, ...]
    part: P


def slug(text: str) -> str:
    """The text in lower case, with hyphens between its words, short enough for a file's name."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(words) > MAX_SLUG:
        words = words[: MAX_SLUG + 1].rpartition("-")[0] or words[:MAX_SLUG]
    return words or "part"


def headings(document: Document) -> list[tuple[str, Heading]]:
    """All headings with a unique id for links: section-1, section-2, …"""
    found = (part for part in document.parts if isinstance(part, Heading))
    return [(f"section-{number}", heading) for number, heading in enumerate(found, start=1)]


def placed_tables(document: Document) -> list[Placed[Table]]:
    """All tables."""
    return list(_placed(document, Table))


def placed_figures(document: Document) -> list[Placed[Figure]]:
    """All figures."""
    return list(_placed(document, Figure))


def _placed(document: Document, kind: type[P]) -> Iterator[Placed[P]]:
    above: list[Heading] = []
    number = 0
    for part in document.parts:
        if isinstance(part, Heading):
            above = [*(heading for heading in above if heading.level < part.level), part]
        elif isinstance(part, kind):
            number += 1
            title = re.split(r"[:;.(\[]", part.caption)[0] if isinstance(part, Table | Figure) else ""
            yield Placed(f"{number:02d}-{slug(title)}", tuple(heading.text for heading in above), part)
