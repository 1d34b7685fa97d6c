"""Prints a document in the terminal: its text and tables."""

from rich import box
from rich.console import Console
from rich.table import Column
from rich.table import Table as Rows

from tumble.report.document import Document, Heading, Paragraph, Part, Table


def show(document: Document, console: Console) -> None:
    """Prints headings, texts and tables; figures, pictures and videos are left out."""
    console.print(document.title, style="bold", markup=False)
    for part, following in zip(document.parts, [*document.parts[1:], None], strict=True):
        if isinstance(part, Heading):
            if not _is_empty(part, following):
                console.print(f"\n{part.text}", style="bold", markup=False)
        elif isinstance(part, Paragraph):
            console.print(part.text, markup=False, highlight=False)
        elif isinstance(part, Table):
            console.print(_rows(part))


def _is_empty(heading: Heading, following: Part | None) -> bool:
    """Whether nothing between a heading and the next one can be printed."""
    if following is None:
        return True
    if isinstance(following, Heading):
        return following.level <= heading.level
    return not isinstance(following, Paragraph | Table)


def _rows(table: Table) -> Rows:
    first, *others = table.header
    columns = [Column(first), *(Column(name, justify="right") for name in others)]
    rows = Rows(*columns, title=table.caption, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for index, row in enumerate(table.rows):
        rows.add_row(*map(str, row), style="dim" if index in table.dimmed else "")
    return rows
