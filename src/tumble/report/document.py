"""The contents of a report, independent of whether they become a page, text in the terminal, CSV, LaTeX or PDF."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tumble.report.cells import Cell
from tumble.report.plot import Plot


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
    rows: Sequence[Sequence[str | Cell]]
    dimmed: Collection[int]
    """Indices of rows that are shown in a lighter colour."""


@dataclass(frozen=True)
class Figure:
    plot: Plot
    caption: str

    @property
    def svg(self) -> str:
        """The <svg> element."""
        return self.plot.svg


@dataclass(frozen=True)
class Picture:
    """A picture, perhaps animated, at a URL, which may be a data URI."""

    url: str
    caption: str
    still: bytes | None = None
    """A PNG file that represents an animation on paper."""


@dataclass(frozen=True)
class Pictures:
    pictures: Sequence[Picture]
    columns: int


@dataclass(frozen=True)
class Video:
    """A video at a URL, which may be a data URI."""

    url: str
    caption: str


@dataclass(frozen=True)
class Videos:
    videos: Sequence[Video]
    columns: int


@dataclass(frozen=True)
class Card:
    """A heading with lines of text, each with a note in monospace (may be empty)."""

    heading: str
    lines: Sequence[tuple[str, str]]


Part = Heading | Paragraph | Table | Figure | Pictures | Videos | Card


@dataclass
class Document:
    """A title, and parts in the order in which they were added."""

    title: str
    parts: list[Part] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        self.parts.append(Heading(text, level))

    def text(self, text: str) -> None:
        self.parts.append(Paragraph(text))

    def table(
        self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str | Cell]], dimmed: Collection[int] = ()
    ) -> None:
        """Adds a table whose first column names its rows; rows with an index in `dimmed` are in a lighter colour."""
        self.parts.append(Table(caption, header, rows, dimmed))

    def figure(self, plot: Plot, caption: str) -> None:
        self.parts.append(Figure(plot, caption))

    def pictures(self, pictures: Sequence[Picture], columns: int) -> None:
        """Adds a grid of pictures."""
        self.parts.append(Pictures(pictures, columns))

    def videos(self, videos: Sequence[Video], columns: int) -> None:
        """Adds a grid of videos."""
        self.parts.append(Videos(videos, columns))

    def card(self, heading: str, lines: Sequence[tuple[str, str]]) -> None:
        """Adds a heading with lines of text and their notes."""
        self.parts.append(Card(heading, lines))


def join_documents(documents: Sequence[Document], title: str) -> Document:
    """One document with a section for each of several, under its title."""
    whole = Document(title)
    for document in documents:
        whole.heading(document.title)
        for part in document.parts:
            whole.parts.append(Heading(part.text, part.level + 1) if isinstance(part, Heading) else part)
    return whole
