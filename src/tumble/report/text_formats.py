"""A document in the terminal, and as files: CSV of its tables, PDF and SVG of its figures, LaTeX of both.

CSV has all numbers at full precision. LaTeX gets a file for each table and figure, and `report.tex`, which puts them
together; tables need the packages booktabs, graphicx, longtable and xcolor. Files that an earlier report left in the
folder are removed.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Column
from rich.table import Table as Rows

from tumble.report.document import (
    MISSING,
    Card,
    Cell,
    Document,
    Figure,
    Heading,
    Paragraph,
    Part,
    Placed,
    Table,
    placed_figures,
    placed_tables,
)
from tumble.scene.files import whole_file


def print_document(document: Document, console: Console) -> None:
    """Prints headings, texts and tables; figures, pictures and videos are left out."""
    console.print(document.title, style="bold", markup=False)
    for part, following in zip(document.parts, [*document.parts[1:], None], strict=True):
        if isinstance(part, Heading):
            if not _is_empty_section(part, following):
                console.print(f"\n{part.text}", style="bold", markup=False)
        elif isinstance(part, Paragraph):
            console.print(part.text, markup=False, highlight=False)
        elif isinstance(part, Table):
            console.print(_terminal_rows(part))


def _is_empty_section(heading: Heading, following: Part | None) -> bool:
    """Whether nothing between a heading and the next one can be printed."""
    if following is None:
        return True
    if isinstance(following, Heading):
        return following.level <= heading.level
    return not isinstance(following, Paragraph | Table)


def _terminal_rows(table: Table) -> Rows:
    first, *others = table.header
    columns = [Column(first), *(Column(name, justify="right") for name in others)]
    rows = Rows(*columns, title=table.caption, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for index, row in enumerate(table.rows):
        rows.add_row(*map(str, row), style="dim" if index in table.dimmed else "")
    return rows


_NUMBERED = re.compile(r"(table-|figure-)?\d\d+-[a-z0-9-]+\.(csv|tex|pdf|svg)")
"""Names of files that belong to a report."""


def write_files(folder: str | Path, files: Mapping[str, bytes], index: str) -> list[Path]:
    """Writes each file whole or not at all, and last the index, which names the others; returns their paths.

    Numbered files that the folder's earlier index names, and that the report does not have any more, are removed.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    earlier = (target / index).read_text(encoding="utf-8") if (target / index).is_file() else ""
    ordered = [*(name for name in files if name != index), index]
    for name in ordered:
        with whole_file(target / name) as partial:
            partial.write_bytes(files[name])
    for match in _NUMBERED.finditer(earlier):
        if match[0] not in files:
            (target / match[0]).unlink(missing_ok=True)
    return [target / name for name in ordered]


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With which a cell begins that spreadsheets take for a formula."""
CSV_CONTENTS, FIGURE_CONTENTS = "contents.csv", "figures.csv"
"""They list the files with the section and caption of each table or figure."""


def write_csv(document: Document, folder: str | Path) -> list[Path]:
    """Writes a file for each table, and CSV_CONTENTS; returns their paths."""
    tables = [(f"{table.name}.csv", table) for table in placed_tables(document)]
    files = {name: _csv_bytes(list(csv_rows(table.part))) for name, table in tables}
    return write_files(folder, {**files, CSV_CONTENTS: _contents(tables)}, CSV_CONTENTS)


def write_figures(document: Document, folder: str | Path) -> list[Path]:
    """Writes a PDF and an SVG file for each figure, and FIGURE_CONTENTS; returns their paths."""
    files, named = {}, []
    for figure in placed_figures(document):
        for suffix, content in (("pdf", figure.part.plot.pdf), ("svg", figure.part.plot.svg_file)):
            name = f"figure-{figure.name}.{suffix}"
            files[name] = content
            named.append((name, figure))
    return write_files(folder, {**files, FIGURE_CONTENTS: _contents(named)}, FIGURE_CONTENTS)


def _contents(files: Sequence[tuple[str, Placed[Table] | Placed[Figure]]]) -> bytes:
    rows = [[name, " / ".join(placed.section), placed.part.caption] for name, placed in files]
    return _csv_bytes([["file", "section", "caption"], *rows])


def csv_rows(table: Table) -> Iterator[list[str]]:
    """The header and the rows; the numbers behind a cell, such as the ends of an interval, have their own columns."""
    columns = [[row[k] if k < len(row) else "" for row in table.rows] for k in range(len(table.header))]
    names = [_value_names(column) for column in columns]
    yield [
        f"{title} {name}".strip() for title, of_column in zip(table.header, names, strict=True) for name in of_column
    ]
    for cells in zip(*columns, strict=True):
        yield [text for cell, of_column in zip(cells, names, strict=True) for text in _csv_texts(cell, of_column)]


def _value_names(column: list[str | Cell]) -> list[str]:
    """The names of the numbers behind the cells of a column, without duplicates; one empty name if there are none."""
    return list(dict.fromkeys(["", *(name for cell in column if isinstance(cell, Cell) for name in cell.values)]))


def _csv_texts(cell: str | Cell, names: list[str]) -> Iterator[str]:
    values = cell.values if isinstance(cell, Cell) else {}
    for name in names:
        if name in values:
            yield str(values[name])
        else:
            yield str(cell) if not name and not values and str(cell) != MISSING else ""


def _csv_bytes(lines: list[list[str]]) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([_no_formula(cell) for cell in line] for line in lines)
    return stream.getvalue().encode()


def _no_formula(cell: str) -> str:
    """The cell, quoted if a spreadsheet would take it for a formula; numbers stay numbers.

    >>> _no_formula("=1+1"), _no_formula("-1.5"), _no_formula("-1.5 ± 2")
    ("'=1+1", '-1.5', "'-1.5 ± 2")
    """
    if not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


LATEX_MAIN = "report.tex"
MOST_ROWS_OF_A_PAGE = 40
"""Of a table that fits on a page; longer ones are broken over pages."""
LATEX_SECTIONS = {2: "section", 3: "subsection", 4: "subsubsection"}
LATEX_DIMMED = r"\color{gray}"

_LATEX_SYMBOLS = {
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
_LATEX_ESCAPES = str.maketrans(_LATEX_SYMBOLS)


def write_latex(document: Document, folder: str | Path) -> list[Path]:
    """Writes every table (.tex) and figure (.pdf), and LATEX_MAIN; returns their paths."""
    tables, figures = placed_tables(document), placed_figures(document)
    files = {}
    for table in tables:
        files[f"table-{table.name}.tex"] = latex_table(table).encode()
    for figure in figures:
        files[f"figure-{figure.name}.pdf"] = figure.part.plot.pdf
    files[LATEX_MAIN] = _latex_main(document, tables, figures).encode()
    return write_files(folder, files, LATEX_MAIN)


def escape_latex(text: str) -> str:
    """The text with all characters that have a meaning in LaTeX written out."""
    return text.translate(_LATEX_ESCAPES)


def latex_table(placed: Placed[Table]) -> str:
    """A table as LaTeX, with caption and label; wide ones are scaled to the width of the text, long ones broken."""
    table = placed.part
    layout = "l" + "r" * (len(table.header) - 1)
    caption = rf"\caption{{{escape_latex(_latex_caption(placed))}}}\label{{tab:{placed.name}}}"
    header = _latex_row(table.header)
    body = [_latex_row(row, LATEX_DIMMED if index in table.dimmed else "") for index, row in enumerate(table.rows)]
    if len(table.rows) > MOST_ROWS_OF_A_PAGE:
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


def _latex_row(cells: Sequence[str | Cell], style: str = "") -> str:
    """A row; braces keep a leading bracket or star from being read as an argument of the line before."""
    texts = [f"{{{style} {escape_latex(str(cell))}}}" if style else f"{{{escape_latex(str(cell))}}}" for cell in cells]
    return " & ".join(texts) + r" \\"


def _latex_caption(placed: Placed[Table] | Placed[Figure]) -> str:
    """The caption after the section, as tables of several sections may have the same."""
    caption = placed.part.caption
    ending = "" if caption.endswith(".") else "."
    return f"{': '.join([*placed.section[:1], caption])}{ending}"


def _latex_main(document: Document, tables: Sequence[Placed[Table]], figures: Sequence[Placed[Figure]]) -> str:
    names: dict[int, Placed[Table] | Placed[Figure]] = {id(table.part): table for table in tables}
    names |= {id(figure.part): figure for figure in figures}
    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[margin=2.2cm]{geometry}",
        r"\usepackage{booktabs,graphicx,longtable,textcomp,xcolor}",
        rf"\title{{{escape_latex(document.title)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        r"\tableofcontents",
        *(line for part in document.parts for line in _latex_part(part, names.get(id(part)))),
        r"\end{document}",
    ]
    return "\n".join([*lines, ""])


def _latex_part(part: Part, placed: Placed[Table] | Placed[Figure] | None) -> Iterator[str]:
    if isinstance(part, Heading):
        yield rf"\{LATEX_SECTIONS.get(part.level, 'paragraph')}{{{escape_latex(part.text)}}}"
    elif isinstance(part, Paragraph):
        yield f"\n{escape_latex(part.text)}\n"
    elif isinstance(part, Card):
        yield rf"\paragraph{{{escape_latex(part.heading)}}}"
        yield from (rf"\par {escape_latex(' '.join(filter(None, line)))}" for line in part.lines)
    elif isinstance(part, Table) and placed is not None:
        yield rf"\input{{table-{placed.name}.tex}}"
    elif isinstance(part, Figure) and placed is not None:
        yield from (
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{figure-{placed.name}.pdf}}",
            rf"\caption{{{escape_latex(_latex_caption(placed))}}}\label{{fig:{placed.name}}}",
            r"\end{figure}",
        )
