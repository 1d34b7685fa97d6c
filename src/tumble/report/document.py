"""The contents of a report, independent of whether they become a page, text in the terminal, CSV, LaTeX or PDF."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from tumble.errors import visible
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
    """A title, and parts in the order in which they were added.

    Texts may quote names from logs and files: what can't be seen in them is shown as escapes.
    """

    title: str
    parts: list[Part] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        self.parts.append(Heading(_seen(text), level))

    def text(self, text: str) -> None:
        self.parts.append(Paragraph(_seen(text)))

    def table(
        self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str | Cell]], dimmed: Collection[int] = ()
    ) -> None:
        """Adds a table whose first column names its rows; rows with an index in `dimmed` are in a lighter colour."""
        shown = [[_seen_cell(cell) for cell in row] for row in rows]
        self.parts.append(Table(_seen(caption), list(map(_seen, header)), shown, dimmed))

    def figure(self, plot: Plot, caption: str) -> None:
        self.parts.append(Figure(plot, _seen(caption)))

    def pictures(self, pictures: Sequence[Picture], columns: int) -> None:
        """Adds a grid of pictures."""
        shown = [replace(picture, caption=_seen(picture.caption)) for picture in pictures]
        self.parts.append(Pictures(shown, columns))

    def videos(self, videos: Sequence[Video], columns: int) -> None:
        """Adds a grid of videos."""
        self.parts.append(Videos([replace(video, caption=_seen(video.caption)) for video in videos], columns))

    def card(self, heading: str, lines: Sequence[tuple[str, str]]) -> None:
        """Adds a heading with lines of text and their notes."""
        self.parts.append(Card(_seen(heading), [(_seen(text), _seen(note)) for text, note in lines]))


def _seen(text: str) -> str:
    return visible(text, kept="\n")


def _seen_cell(cell: str | Cell) -> str | Cell:
    return _seen(cell) if isinstance(cell, str) else replace(cell, text=_seen(cell.text))


def join_documents(documents: Sequence[Document], title: str) -> Document:
    """One document with a section for each of several, under its title."""
    whole = Document(title)
    for document in documents:
        whole.heading(document.title)
        for part in document.parts:
            whole.parts.append(Heading(part.text, part.level + 1) if isinstance(part, Heading) else part)
    return whole
