"""What a report says, before it becomes a page or text in a terminal."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heading:
    text: str
    level: int


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Table:
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    quiet: Collection[int]
    """Rows that stand back behind the others."""


@dataclass(frozen=True)
class Figure:
    svg: str
    caption: str


@dataclass(frozen=True)
class Picture:
    """A picture by its address, which may be a data URI."""

    address: str
    caption: str


@dataclass(frozen=True)
class Pictures:
    pictures: Sequence[Picture]
    columns: int


@dataclass(frozen=True)
class Film:
    """A film by its address, which may be a data URI."""

    address: str
    caption: str


@dataclass(frozen=True)
class Films:
    films: Sequence[Film]
    columns: int


@dataclass(frozen=True)
class Card:
    """Something with a heading, and lines below it, each with a note in the letters of programs."""

    heading: str
    lines: Sequence[tuple[str, str]]


Part = Heading | Paragraph | Table | Figure | Pictures | Films | Card


@dataclass
class Document:
    """Collects parts in their order."""

    title: str
    parts: list[Part] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        self.parts.append(Heading(text, level))

    def text(self, text: str) -> None:
        self.parts.append(Paragraph(text))

    def table(
        self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], quiet: Collection[int] = ()
    ) -> None:
        """A table; in the first column stands what a row is about. Rows whose numbers are in `quiet` stand back."""
        self.parts.append(Table(caption, header, rows, quiet))

    def figure(self, svg: str, caption: str) -> None:
        self.parts.append(Figure(svg, caption))

    def pictures(self, pictures: Sequence[Picture], columns: int) -> None:
        """Pictures in rows of so many."""
        self.parts.append(Pictures(pictures, columns))

    def films(self, films: Sequence[Film], columns: int) -> None:
        """Films in rows of so many."""
        self.parts.append(Films(films, columns))

    def card(self, heading: str, lines: Sequence[tuple[str, str]]) -> None:
        """A heading, and lines with notes."""
        self.parts.append(Card(heading, lines))


def joined(documents: Sequence[Document], title: str) -> Document:
    """One document of several, each in a section under its own title."""
    whole = Document(title)
    for document in documents:
        whole.heading(document.title)
        for part in document.parts:
            whole.parts.append(Heading(part.text, part.level + 1) if isinstance(part, Heading) else part)
    return whole
