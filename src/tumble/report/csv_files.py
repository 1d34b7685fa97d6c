"""The tables of a document as CSV files, with all numbers at full precision."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from tumble.report.cells import MISSING, Cell
from tumble.report.document import Document, Table
from tumble.report.folder import write_files
from tumble.report.outline import placed_tables

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""With which a cell begins that spreadsheets take for a formula."""
CONTENTS = "contents.csv"
"""Lists the files with the section and caption of each table."""


def write(document: Document, folder: str | Path) -> list[Path]:
    """Writes a file for each table, and CONTENTS; returns their paths."""
    files = {}
    contents = [["file", "section", "caption"]]
    for table in placed_tables(document):
        name = f"{table.name}.csv"
        files[name] = _text(list(rows(table.part)))
        contents.append([name, " / ".join(table.section), table.part.caption])
    return write_files(folder, {**files, CONTENTS: _text(contents)}, CONTENTS)


def rows(table: Table) -> Iterator[list[str]]:
    """The header and the rows; the numbers behind a cell, such as the ends of an interval, have their own columns."""
    columns = [[row[k] if k < len(row) else "" for row in table.rows] for k in range(len(table.header))]
    names = [_value_names(column) for column in columns]
    yield [
        f"{title} {name}".strip() for title, of_column in zip(table.header, names, strict=True) for name in of_column
    ]
    for cells in zip(*columns, strict=True):
        yield [text for cell, of_column in zip(cells, names, strict=True) for text in _texts(cell, of_column)]


def _value_names(column: list[str | Cell]) -> list[str]:
    """The names of the numbers behind the cells of a column, without duplicates; one empty name if there are none."""
    return list(dict.fromkeys(["", *(name for cell in column if isinstance(cell, Cell) for name in cell.values)]))


def _texts(cell: str | Cell, names: list[str]) -> Iterator[str]:
    values = cell.values if isinstance(cell, Cell) else {}
    for name in names:
        if name in values:
            yield str(values[name])
        else:
            yield str(cell) if not name and not values and str(cell) != MISSING else ""


def _text(lines: list[list[str]]) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([_no_formula(cell) for cell in line] for line in lines)
    return stream.getvalue().encode()


def _no_formula(cell: str) -> str:
    """The cell, quoted if a spreadsheet would take it for a formula; numbers stay numbers.

    >>> _no_formula("=1+1"), _no_formula("-1.5"), _no_formula("-1.5 ± 2")
    ("'=1+1", '-1.5', "'-1.5 ± 2")
    """
    if not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
