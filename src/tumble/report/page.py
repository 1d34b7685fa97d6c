"""A plain HTML page: headings, tables, figures and pictures with captions."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tumble.scene.files import whole_file

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { line-height: 1.2; } table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid #ddd; }
td + td, th + th { text-align: right; } svg { max-width: 100%; height: auto; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure img { width: 100%; border: 1px solid #ccc; } figcaption { font-size: .85rem; color: #444; }
"""


class Page:
    """Collects parts and writes them as one page."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts = [f"<h1>{escape(title)}</h1>"]

    def heading(self, text: str) -> None:
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        self._parts.append(f"<p>{escape(text)}</p>")

    def svg(self, figure: str) -> None:
        self._parts.append(figure)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        lines = [_row("th", header), *(_row("td", row) for row in rows)]
        self._parts.append("<table>" + "".join(lines) + "</table>")

    def pictures(self, pictures: Sequence[tuple[str, str]]) -> None:
        """Pictures in a grid: the address of each, relative to the page, and its caption."""
        cells = (
            f'<figure><img src="{escape(address)}" alt=""><figcaption>{escape(caption)}</figcaption></figure>'
            for address, caption in pictures
        )
        self._parts.append('<div class="pictures">' + "".join(cells) + "</div>")

    def write(self, path: Path) -> None:
        head = f'<meta charset="utf-8"><title>{escape(self.title)}</title><style>{_STYLE}</style>'
        page = (
            f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n'
            + "\n".join(self._parts)
            + "\n</body></html>\n"
        )
        with whole_file(path) as partial:
            partial.write_text(page, encoding="utf-8")


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
