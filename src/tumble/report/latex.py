"""The tables and figures of a document for LaTeX: a file for each, and `report.tex`, which puts them together.

Tables need the packages booktabs, graphicx, longtable and xcolor.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tumble.report.cells import Cell
from tumble.report.document import Card, Document, Figure, Heading, Paragraph, Part, Table
from tumble.report.folder import write_files
from tumble.report.outline import Placed, placed_figures, placed_tables

MAIN = "report.tex"
MAX_ROWS = 40
"""Of a table that fits on a page; longer ones are broken over pages."""
SECTIONS = {2: "section", 3: "subsection", 4: "subsubsection"}
DIMMED = r"\color{gray}"

_SYMBOLS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\rightarrow$",
    "\N{MINUS SIGN}": r"$-$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "\N{EN DASH}": "--",
    "—": "---",
    "°": r"$^\circ$",
}
_TRANSLATION = str.maketrans(_SYMBOLS)


def write(document: Document, folder: str | Path) -> list[Path]:
    """Writes every table (.tex) and figure (.pdf), and MAIN; returns their paths."""
    tables, figures = placed_tables(document), placed_figures(document)
    files = {}
    for table in tables:
        files[f"table-{table.name}.tex"] = table_text(table).encode()
    for figure in figures:
        files[f"figure-{figure.name}.pdf"] = figure.part.plot.pdf
    files[MAIN] = _main(document, tables, figures).encode()
    return write_files(folder, files, MAIN)


def escape(text: str) -> str:
    """The text with all characters that have a meaning in LaTeX written out."""
    return text.translate(_TRANSLATION)


def table_text(placed: Placed[Table]) -> str:
    """A table as LaTeX, with caption and label; wide ones are scaled to the width of the text, long ones broken."""
    table = placed.part
    layout = "l" + "r" * (len(table.header) - 1)
    caption = rf"\caption{{{escape(_caption(placed))}}}\label{{tab:{placed.name}}}"
    header = _row(table.header)
    body = [_row(row, DIMMED if index in table.dimmed else "") for index, row in enumerate(table.rows)]
    if len(table.rows) > MAX_ROWS:
        lines = [
            rf"\begin{{longtable}}{{{layout}}}",
            rf"{caption}\\",
            r"\toprule",
            header,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            header,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *body,
            r"\end{longtable}",
        ]
        return "\n".join([r"{\small", *lines, "}", ""])
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        caption,
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _row(cells: Sequence[str | Cell], style: str = "") -> str:
    """A row; braces keep a leading bracket or star from being read as an argument of the line before."""
    texts = [f"{{{style} {escape(str(cell))}}}" if style else f"{{{escape(str(cell))}}}" for cell in cells]
    return " & ".join(texts) + r" \\"


def _caption(placed: Placed[Table] | Placed[Figure]) -> str:
    """The caption after the section, as tables of several sections may have the same."""
    caption = placed.part.caption
    ending = "" if caption.endswith(".") else "."
    return f"{': '.join([*placed.section[:1], caption])}{ending}"


def _main(document: Document, tables: Sequence[Placed[Table]], figures: Sequence[Placed[Figure]]) -> str:
    names: dict[int, Placed[Table] | Placed[Figure]] = {id(table.part): table for table in tables}
    names |= {id(figure.part): figure for figure in figures}
    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[margin=2.2cm]{geometry}",
        r"\usepackage{booktabs,graphicx,longtable,textcomp,xcolor}",
        rf"\title{{{escape(document.title)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        r"\tableofcontents",
        *(line for part in document.parts for line in _part(part, names.get(id(part)))),
        r"\end{document}",
    ]
    return "\n".join([*lines, ""])


def _part(part: Part, placed: Placed[Table] | Placed[Figure] | None) -> Iterator[str]:
    if isinstance(part, Heading):
        yield rf"\{SECTIONS.get(part.level, 'paragraph')}{{{escape(part.text)}}}"
    elif isinstance(part, Paragraph):
        yield f"\n{escape(part.text)}\n"
    elif isinstance(part, Card):
        yield rf"\paragraph{{{escape(part.heading)}}}"
        yield from (rf"\par {escape(' '.join(filter(None, line)))}" for line in part.lines)
    elif isinstance(part, Table) and placed is not None:
        yield rf"\input{{table-{placed.name}.tex}}"
    elif isinstance(part, Figure) and placed is not None:
        yield from (
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{figure-{placed.name}.pdf}}",
            rf"\caption{{{escape(_caption(placed))}}}\label{{fig:{placed.name}}}",
            r"\end{figure}",
        )
