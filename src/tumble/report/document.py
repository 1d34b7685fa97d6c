"""The contents of a report, whether they become a page, text in the terminal, CSV, LaTeX or files of figures.

A document is a list of parts: headings, paragraphs, tables, figures, pictures and videos. Cells of tables have a text
that is shown, and the numbers behind it at full precision. Tables, figures and headings have names by which files and
links refer to them.
"""

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from tumble.errors import visible
from tumble.report.estimates import Estimate
from tumble.report.figures import Plot

MISSING = "-"
AS_PUBLISHED = "as published"
"""After the name of an agent whose published results are shown, in a lighter colour."""
LOW, HIGH, DEVIATION, NOTE = "low", "high", "sd", "note"
"""Names of the numbers behind a cell; that of its value is empty."""


@dataclass(frozen=True)
class Cell:
    """A text, and the numbers behind it by name: "" for the value, LOW and HIGH for the ends of its interval, …"""

    text: str
    values: Mapping[str, float | str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def with_note(self, note: str) -> "Cell":
        """The cell with a note after its text, as in: 35.5 (2 folds)."""
        return Cell(f"{self.text} ({note})", {**self.values, NOTE: note})


def decimal_text(value: float | None) -> str:
    """A number with one digit after the point; MISSING for None and NaN."""
    return MISSING if value is None or math.isnan(value) else f"{value:.1f}"


def mean_text(mean: float, spread: float | None) -> str:
    """A mean with its standard deviation, if there is one: 20.6 ± 1.2."""
    return f"{mean:.1f}" if spread is None else f"{mean:.1f} ± {spread:.1f}"


def number_cell(value: float | None, text: str | None = None) -> Cell:
    """A number, by default with one digit after the point; MISSING for None and NaN."""
    if value is None or math.isnan(value):
        return Cell(MISSING)
    return Cell(decimal_text(value) if text is None else text, {"": value})


def count_cell(count: int) -> Cell:
    """A number of things: 1,234."""
    return Cell(f"{count:,}", {"": count})


def estimate_cell(estimate: Estimate | None) -> Cell:
    """A value with its standard deviation, 35.5 ± 9.8, or interval, 35.5 [31.2, 39.9], if there is one."""
    if estimate is None or math.isnan(estimate.value):
        return Cell(MISSING)
    text, values = decimal_text(estimate.value), _estimate_values(estimate)
    if estimate.deviation is not None:
        text = mean_text(estimate.value, estimate.deviation)
    elif estimate.interval is not None:
        text += f" [{', '.join(map(decimal_text, estimate.interval))}]"
    return Cell(text, values)


def brief_cell(estimate: Estimate | None, text: str) -> Cell:
    """A short text for narrow columns, with all numbers of the estimate behind it."""
    return Cell(text, {} if estimate is None else _estimate_values(estimate))


def with_uncertainty(caption: str, rows: Iterable[Sequence[str | Cell]], over: str) -> str:
    """A caption, and what ± and brackets in the cells of rows mean, if there are any."""
    names = {name for row in rows for cell in row if isinstance(cell, Cell) for name in cell.values}
    deviation = ["± standard deviation over folds"] * (DEVIATION in names)
    interval = [f"[95 % interval, bootstrap over {over}]"] * (LOW in names)
    return "; ".join(filter(None, [caption, " or ".join(deviation + interval)]))


def _estimate_values(estimate: Estimate) -> dict[str, float | str]:
    values: dict[str, float | str] = {"": estimate.value}
    if estimate.deviation is not None:
        values[DEVIATION] = estimate.deviation
    if estimate.interval is not None:
        values[LOW], values[HIGH] = estimate.interval
    return values


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


@dataclass(frozen=True)
class Picture:
    """A picture, perhaps animated, at a URL, which may be a data URI."""

    url: str
    caption: str


class Video(Picture):
    """A video at a URL, which may be a data URI."""


@dataclass(frozen=True)
class Pictures:
    """A grid of pictures and videos."""

    pictures: Sequence[Picture]
    columns: int


@dataclass(frozen=True)
class Card:
    """A heading with lines of text, each with a note in monospace (may be empty)."""

    heading: str
    lines: Sequence[tuple[str, str]]


Part = Heading | Paragraph | Table | Figure | Pictures | Card


@dataclass
class Document:
    """A title, and parts in the order in which they were added.

    Texts may quote names from logs and files: what can't be seen in them is shown as escapes.
    """

    title: str
    parts: list[Part] = field(default_factory=list)

    def heading(self, text: str, level: int = 2) -> None:
        self.parts.append(Heading(_visible_text(text), level))

    def text(self, text: str) -> None:
        self.parts.append(Paragraph(_visible_text(text)))

    def table(
        self, caption: str, header: Sequence[str], rows: Sequence[Sequence[str | Cell]], dimmed: Collection[int] = ()
    ) -> None:
        """Adds a table whose first column names its rows.

        Rows with an index in `dimmed`, and those whose name ends with AS_PUBLISHED, are in a lighter colour.
        """
        shown = [[_visible_cell(cell) for cell in row] for row in rows]
        published = (index for index, row in enumerate(rows) if str(row[0]).endswith(AS_PUBLISHED))
        self.parts.append(Table(_visible_text(caption), list(map(_visible_text, header)), shown, {*dimmed, *published}))

    def figure(self, plot: Plot, caption: str) -> None:
        self.parts.append(Figure(plot, _visible_text(caption)))

    def pictures(self, pictures: Sequence[Picture], columns: int) -> None:
        """Adds a grid of pictures and videos."""
        shown = [replace(picture, caption=_visible_text(picture.caption)) for picture in pictures]
        self.parts.append(Pictures(shown, columns))

    def card(self, heading: str, lines: Sequence[tuple[str, str]]) -> None:
        """Adds a heading with lines of text and their notes."""
        self.parts.append(
            Card(_visible_text(heading), [(_visible_text(text), _visible_text(note)) for text, note in lines])
        )


def _visible_text(text: str) -> str:
    return visible(text, kept="\n")


def _visible_cell(cell: str | Cell) -> str | Cell:
    return _visible_text(cell) if isinstance(cell, str) else replace(cell, text=_visible_text(cell.text))


def join_documents(documents: Sequence[Document], title: str) -> Document:
    """One document with a section for each of several, under its title."""
    whole = Document(title)
    for document in documents:
        whole.heading(document.title)
        for part in document.parts:
            whole.parts.append(Heading(part.text, part.level + 1) if isinstance(part, Heading) else part)
    return whole


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


def headings_of(document: Document) -> list[tuple[str, Heading]]:
    """All headings with a unique id for links: section-1, section-2, …"""
    found = (part for part in document.parts if isinstance(part, Heading))
    return [(f"section-{number}", heading) for number, heading in enumerate(found, start=1)]


def placed_tables(document: Document) -> list[Placed[Table]]:
    """All tables."""
    return list(_placed_parts(document, Table))


def placed_figures(document: Document) -> list[Placed[Figure]]:
    """All figures."""
    return list(_placed_parts(document, Figure))


def _placed_parts(document: Document, kind: type[P]) -> Iterator[Placed[P]]:
    above: list[Heading] = []
    number = 0
    for part in document.parts:
        if isinstance(part, Heading):
            above = [*(heading for heading in above if heading.level < part.level), part]
        elif isinstance(part, kind):
            number += 1
            title = re.split(r"[:;.(\[]", part.caption)[0] if isinstance(part, Table | Figure) else ""
            yield Placed(f"{number:02d}-{slug(title)}", tuple(heading.text for heading in above), part)
