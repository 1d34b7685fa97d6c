"""A document as a PDF file: contents with links, page numbers, tables that break over pages, vector figures.

ReportLab lays the pages out. Matplotlib's figures are drawn on its canvas as lines, areas and text, not as pixels.
The modules of both are slow to load, so that this one is imported when needed.
"""

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.path import Path as Outline
from PIL import Image
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, CondPageBreak, Flowable, Frame, KeepTogether, PageTemplate, Spacer
from reportlab.platypus import Paragraph as PlatypusParagraph
from reportlab.platypus import Table as Grid
from reportlab.platypus.tableofcontents import TableOfContents

from tumble.report.document import (
    Card,
    Document,
    Heading,
    Paragraph,
    Part,
    Picture,
    Pictures,
    Table,
    Videos,
    headings_of,
)
from tumble.report.document import Figure as DocumentFigure
from tumble.report.figures import Plot, drawing_style
from tumble.scene.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text
    from matplotlib.transforms import Transform


POINTS_PER_INCH = 72
CAPS = {"butt": 0, "round": 1, "projecting": 2}
JOINS = {"miter": 0, "round": 1, "bevel": 2}


class CanvasRenderer(RendererBase):
    """Matplotlib's interface to a canvas; lengths are points, and y points up, for both."""

    def __init__(self, canvas: Any, size: tuple[float, float], fonts: tuple[str, str]) -> None:
        """`size` is that of the figure in points; `fonts` are the names of the regular and the bold one."""
        super().__init__()
        self._canvas, self._size, self._fonts = canvas, size, fonts

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self._size

    def flipy(self) -> bool:
        return False

    def points_to_pixels(self, points: Any) -> Any:
        return points

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Outline,
        transform: "Transform",
        rgbFace: Any = None,  # noqa: N803
    ) -> None:
        fill = rgbFace is not None and (len(rgbFace) < 4 or rgbFace[3] > 0.0)
        stroke = gc.get_linewidth() > 0.0 and gc.get_rgb()[3] > 0.0
        if not fill and not stroke:
            return
        self._canvas.saveState()
        self._clip(gc)
        if fill:
            opacity = gc.get_alpha() if gc.get_forced_alpha() or len(rgbFace) < 4 else rgbFace[3]
            self._canvas.setFillColorRGB(*map(float, rgbFace[:3]), alpha=float(opacity))
        if stroke:
            self._set_stroke(gc)
        self._canvas.drawPath(self._outline(path, transform), stroke=int(stroke), fill=int(fill))
        self._canvas.restoreState()

    def _set_stroke(self, gc: GraphicsContextBase) -> None:
        red, green, blue, opacity = map(float, gc.get_rgb())
        self._canvas.setStrokeColorRGB(red, green, blue, alpha=gc.get_alpha() if gc.get_forced_alpha() else opacity)
        self._canvas.setLineWidth(float(gc.get_linewidth()))
        self._canvas.setLineCap(CAPS[str(gc.get_capstyle())])
        self._canvas.setLineJoin(JOINS[str(gc.get_joinstyle())])
        dashes: Any
        offset, dashes = gc.get_dashes()
        if dashes is not None and len(dashes):
            self._canvas.setDash([float(length) for length in dashes], float(offset or 0.0))

    def _clip(self, gc: GraphicsContextBase) -> None:
        box = gc.get_clip_rectangle()
        if box is not None:
            area = self._canvas.beginPath()
            area.rect(*map(float, box.bounds))
            self._canvas.clipPath(area, stroke=0, fill=0)
        path: Any
        path, transform = gc.get_clip_path()
        if path is not None and transform is not None:
            self._canvas.clipPath(self._outline(path, transform), stroke=0, fill=0)

    def _outline(self, path: Outline, transform: "Transform") -> Any:
        outline = self._canvas.beginPath()
        at = np.zeros(2)
        for raw, code in path.iter_segments(transform, remove_nans=True, simplify=False):
            points = np.asarray(raw, float)
            if code == Outline.CLOSEPOLY:
                outline.close()
                continue
            if code == Outline.MOVETO:
                outline.moveTo(*points)
            elif code == Outline.LINETO:
                outline.lineTo(*points)
            elif code == Outline.CURVE3:
                outline.curveTo(*_cubic(at, points[:2], points[2:]))
            elif code == Outline.CURVE4:
                outline.curveTo(*points)
            at = points[-2:]
        return outline

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: "FontProperties",
        angle: float,
        ismath: Any = False,
        mtext: "Text | None" = None,
    ) -> None:
        if ismath:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)  # formulas become outlines
            return
        self._canvas.saveState()
        self._clip(gc)
        red, green, blue, opacity = map(float, gc.get_rgb())
        self._canvas.setFillColorRGB(red, green, blue, alpha=opacity)
        bold = str(prop.get_weight()) in ("bold", "semibold", "700", "600")
        self._canvas.setFont(self._fonts[bold], prop.get_size_in_points())
        self._canvas.translate(float(x), float(y))
        self._canvas.rotate(float(angle))
        self._canvas.drawString(0.0, 0.0, s)
        self._canvas.restoreState()


def _cubic(start: np.ndarray, control: np.ndarray, end: np.ndarray) -> Sequence[float]:
    """The last three points of the cubic curve that is the same as a quadratic one."""
    first, second = start + 2.0 / 3.0 * (control - start), end + 2.0 / 3.0 * (control - end)
    return [*first, *second, *end]


def draw_figure(figure: "Figure", canvas: Any, fonts: tuple[str, str]) -> None:
    """Draws a figure with its lower left corner at the canvas's origin."""
    figure.set_dpi(POINTS_PER_INCH)
    size = tuple(figure.get_size_inches() * POINTS_PER_INCH)
    figure.draw(CanvasRenderer(canvas, (float(size[0]), float(size[1])), fonts))


FONT, BOLD = "DejaVuSans", "DejaVuSans-Bold"
MARGIN = 18 * mm
WIDTH = A4[0] - 2 * MARGIN
HEIGHT = A4[1] - 2 * MARGIN
GREY, RULE = colors.HexColor("#777777"), colors.HexColor("#cccccc")
TABLE_SIZES = (8.0, 7.5, 7.0, 6.5, 6.0)
"""Of the letters of a table: the first at which it fits."""
SPLIT_SIZE = 7.5
"""Of the letters of a table that never does."""
FIRST_COLUMN = 0.34 * WIDTH
"""The first column is broken into lines beyond this width."""
CELL_PADDING = 3.0
GAP = 10.0
PICTURE_PIXELS = 512
DEEPEST = 4
"""The lowest level of headings in the table of contents."""

BODY = ParagraphStyle("body", fontName=FONT, fontSize=9, leading=13, spaceAfter=5)
CAPTION = ParagraphStyle("caption", parent=BODY, fontSize=8, leading=11, textColor=colors.HexColor("#444444"))
TITLE_OF_TABLE = ParagraphStyle("table title", parent=BODY, fontName=BOLD, fontSize=8.5, leading=11.5, spaceBefore=8)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=7, leading=9, spaceAfter=0)
TITLE = ParagraphStyle("title", parent=BODY, fontName=BOLD, fontSize=18, leading=24, spaceAfter=10)
HEADINGS = {
    level: ParagraphStyle(
        f"heading {level}", parent=BODY, fontName=BOLD, fontSize=size, leading=1.35 * size, spaceBefore=12, spaceAfter=4
    )
    for level, size in ((2, 14.0), (3, 11.5), (4, 10.0), (5, 9.0))
}
CONTENTS = [
    ParagraphStyle(f"contents {level}", parent=BODY, leftIndent=14 * (level - 2), fontSize=9, leading=13, spaceAfter=0)
    for level in range(2, DEEPEST + 1)
]


def write(document: Document, path: str | Path) -> None:
    """Writes the PDF file atomically; equal documents give equal files."""
    with whole_file(path) as partial:
        partial.write_bytes(pdf(document))


def pdf(document: Document) -> bytes:
    """The content of the PDF file."""
    _register_fonts()
    stream = io.BytesIO()
    contents = TableOfContents(levelStyles=CONTENTS, dotsMinLevel=0)
    ids = iter(headings_of(document))
    parts = [flowable for part in document.parts for flowable in _flowables(part, ids)]
    title: list[Flowable] = [PlatypusParagraph(escape(document.title), TITLE)]
    if headings_of(document):
        title += [contents, Spacer(0, GAP)]
    with drawing_style():
        # ReportLab reads it when a file is begun: no dates, no random identifiers
        invariant, rl_config.invariant = rl_config.invariant, 1
        try:
            _Pages(stream, document.title).multiBuild([*title, *parts])
        finally:
            rl_config.invariant = invariant
    return stream.getvalue()


class _Pages(BaseDocTemplate):  # type: ignore[misc]
    """Pages with a footer, whose headings become bookmarks and entries of the table of contents."""

    def __init__(self, stream: io.BytesIO, title: str) -> None:
        super().__init__(stream, pagesize=A4, title=title, author="Tumble", invariant=1)
        frame = Frame(MARGIN, MARGIN, WIDTH, HEIGHT, 0, 0, 0, 0)
        self.addPageTemplates(PageTemplate("page", [frame], onPageEnd=self._footer))

    def _footer(self, canvas: Any, _: Any) -> None:
        canvas.setFont(FONT, 7.5)
        canvas.setFillColor(GREY)
        canvas.drawString(MARGIN, 0.55 * MARGIN, self.title)
        canvas.drawRightString(A4[0] - MARGIN, 0.55 * MARGIN, str(canvas.getPageNumber()))

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 (called by ReportLab)
        if isinstance(flowable, _HeadingText):
            self.canv.bookmarkPage(flowable.key)
            self.canv.addOutlineEntry(flowable.plain, flowable.key, flowable.depth, closed=flowable.depth > 0)
            if flowable.depth < len(CONTENTS):
                self.notify("TOCEntry", (flowable.depth, escape(flowable.plain), self.page, flowable.key))


class _HeadingText(PlatypusParagraph):  # type: ignore[misc]
    """A heading that is found by its key."""

    def __init__(self, heading: Heading, key: str, depth: int) -> None:
        super().__init__(escape(heading.text), HEADINGS[min(heading.level, max(HEADINGS))])
        self.plain, self.key, self.depth = heading.text, key, depth


class _Drawn(Flowable):  # type: ignore[misc]
    """A figure as wide as the page."""

    def __init__(self, plot: Plot) -> None:
        super().__init__()
        with drawing_style():
            self._figure = plot.draw()
        inches = self._figure.get_size_inches()
        self._scale = min(WIDTH / (inches[0] * POINTS_PER_INCH), 0.8 * HEIGHT / (inches[1] * POINTS_PER_INCH))
        self.width, self.height = (float(length) * POINTS_PER_INCH * self._scale for length in inches)

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        self.canv.saveState()
        self.canv.scale(self._scale, self._scale)
        draw_figure(self._figure, self.canv, (FONT, BOLD))
        self.canv.restoreState()


class _Still(Flowable):  # type: ignore[misc]
    """A picture in a frame."""

    def __init__(self, image: Image.Image, width: float) -> None:
        super().__init__()
        self._image = image
        self.width, self.height = width, width * image.height / image.width

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        self.canv.drawImage(ImageReader(self._image), 0, 0, self.width, self.height)
        self.canv.setStrokeColor(colors.HexColor("#555555"))
        self.canv.setLineWidth(0.8)
        self.canv.rect(0, 0, self.width, self.height)


def _register_fonts() -> None:
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for name in (FONT, BOLD):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(FONT, normal=FONT, bold=BOLD, italic=FONT, boldItalic=BOLD)


def _flowables(part: Part, ids: Iterator[tuple[str, Heading]]) -> Iterator[Flowable]:
    if isinstance(part, Heading):
        key, heading = next(ids)
        yield CondPageBreak(55 * mm)
        yield _HeadingText(heading, key, heading.level - 2)
    elif isinstance(part, Paragraph):
        yield PlatypusParagraph(escape(part.text), BODY)
    elif isinstance(part, Table):
        yield from _tables(part)
    elif isinstance(part, DocumentFigure):
        yield KeepTogether([Spacer(0, GAP / 2), _Drawn(part.plot), PlatypusParagraph(escape(part.caption), CAPTION)])
    elif isinstance(part, Card):
        yield PlatypusParagraph(escape(part.heading), TITLE_OF_TABLE)
        yield from (PlatypusParagraph(escape(" ".join(filter(None, line))), SMALL) for line in part.lines)
        yield Spacer(0, GAP / 2)
    elif isinstance(part, Pictures):
        yield from _pictures(part)
    elif isinstance(part, Videos):
        captions = "; ".join(video.caption for video in part.videos)
        yield PlatypusParagraph(escape(f"Videos, which only the HTML page shows: {captions}"), CAPTION)


def _tables(table: Table) -> Iterator[Flowable]:
    """The table in the largest letters at which it fits; one that never does is broken into groups of columns."""
    header = [title.replace(", ", ",\n") for title in table.header]
    rows = [header, *([str(cell) for cell in row] for row in table.rows)]
    size = next((size for size in TABLE_SIZES if sum(_column_widths(rows, size)) <= WIDTH), SPLIT_SIZE)
    groups = _column_groups(_column_widths(rows, size))
    for number, columns in enumerate(groups, start=1):
        part = f" ({number} of {len(groups)})" if len(groups) > 1 else ""
        chosen = [[row[k] if k < len(row) else "" for k in columns] for row in rows]
        yield CondPageBreak(35 * mm)
        yield PlatypusParagraph(escape(table.caption + part), TITLE_OF_TABLE)
        yield _grid(chosen, size, table)
        yield Spacer(0, GAP)


def _column_widths(rows: Sequence[Sequence[str]], size: float) -> list[float]:
    widths = [0.0] * max(map(len, rows))
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            font = BOLD if number == 0 else FONT
            width = max(pdfmetrics.stringWidth(line, font, size) for line in text.split("\n"))
            widths[column] = max(widths[column], width + 2 * CELL_PADDING + 0.5)
    widths[0] = min(widths[0], FIRST_COLUMN)
    return widths


def _column_groups(widths: Sequence[float]) -> list[list[int]]:
    """Columns that fit beside each other, each group with the first column, which names the rows."""
    groups = [[0]]
    for column in range(1, len(widths)):
        if len(groups[-1]) > 1 and sum(widths[k] for k in groups[-1]) + widths[column] > WIDTH:
            groups.append([0])
        groups[-1].append(column)
    return groups


def _grid(rows: Sequence[Sequence[str]], size: float, table: Table) -> Grid:
    widths = [min(width, WIDTH) for width in _column_widths(rows, size)]
    style = ParagraphStyle("cell", fontName=FONT, fontSize=size, leading=1.25 * size)
    bold = ParagraphStyle("header", parent=style, fontName=BOLD)
    dim = ParagraphStyle("dimmed", parent=style, textColor=GREY)
    cells: list[list[Any]] = []
    for number, row in enumerate(rows):
        own = bold if number == 0 else dim if number - 1 in table.dimmed else style
        cells.append([PlatypusParagraph(escape(row[0]), own), *row[1:]])
    commands: list[Any] = [
        ("FONT", (0, 0), (-1, -1), FONT, size, 1.25 * size),
        ("FONT", (0, 0), (-1, 0), BOLD, size, 1.25 * size),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("VALIGN", (0, 1), (-1, -1), "MIDDLE"),
        ("LEFTPADDING", (0, 0), (-1, -1), CELL_PADDING),
        ("RIGHTPADDING", (0, 0), (-1, -1), CELL_PADDING),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.6),
        ("LINEABOVE", (0, 0), (-1, 0), 0.9, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 0.9, colors.black),
        ("LINEBELOW", (0, 1), (-1, -2), 0.25, RULE),
        *(("TEXTCOLOR", (1, row + 1), (-1, row + 1), GREY) for row in table.dimmed),
    ]
    return Grid(cells, colWidths=widths, repeatRows=1, style=commands, hAlign="LEFT")


def _pictures(part: Pictures) -> Iterator[Flowable]:
    columns = part.columns
    side = (WIDTH - (columns - 1) * GAP) / columns
    for first in range(0, len(part.pictures), columns):
        row = part.pictures[first : first + columns]
        cells = [
            [*_still(picture, side), Spacer(0, 2), PlatypusParagraph(escape(picture.caption), SMALL)] for picture in row
        ]
        cells += [[] for _ in range(columns - len(row))]
        padding = [("LEFTPADDING", (0, 0), (-1, -1), 0), ("RIGHTPADDING", (0, 0), (-1, -1), GAP)]
        style = [*padding, ("VALIGN", (0, 0), (-1, -1), "TOP"), ("TOPPADDING", (0, 0), (-1, -1), 4)]
        widths = [side + GAP] * (columns - 1) + [side]
        yield Grid([cells], colWidths=widths, style=[*style, ("RIGHTPADDING", (-1, 0), (-1, 0), 0)], hAlign="LEFT")


def _still(picture: Picture, width: float) -> list[Flowable]:
    """The picture, or the last frame of an animation; nothing for one that is not embedded."""
    raw = picture.still
    if raw is None:
        if not picture.url.startswith("data:image/"):
            return []
        raw = base64.b64decode(picture.url.partition("base64,")[2])
    image = Image.open(io.BytesIO(raw))
    image.seek(getattr(image, "n_frames", 1) - 1)
    small = image.convert("RGB")
    small.thumbnail((PICTURE_PIXELS, PICTURE_PIXELS))
    return [_Still(small, width)]
