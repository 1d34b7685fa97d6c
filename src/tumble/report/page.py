"""A document as one HTML page that needs no other file."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tumble.report.document import Card, Document, Figure, Heading, Paragraph, Part, Table, Videos
from tumble.scene.files import whole_file

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .5rem; } h2 { border-bottom: 2px solid #ddd; padding-bottom: .3rem; }
p { max-width: 46rem; } .scrolls { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; white-space: nowrap; }
th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #e3e3e3; white-space: nowrap; }
th { border-bottom: 1px solid #999; font-weight: 600; } td + td, th + th { text-align: right; }
.dimmed td { color: #777; } tr:hover td { background: #f6f6f6; } svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figcaption { font-size: .85rem; color: #444; line-height: 1.35; }
.pictures { display: grid; gap: 1rem 1.5rem; } .pictures figure { margin: 0; }
.card { border-left: 3px solid #ddd; padding-left: 1rem; margin: 1rem 0; } .card p { margin: .2rem 0; max-width: none; }
.card .heading { font-weight: 600; } code { font-size: .8rem; color: #555; overflow-wrap: anywhere; display: block; }
.pictures img, .pictures video { width: 100%; border: 1px solid #ccc; display: block; margin-bottom: .2rem; }
.pictures img { image-rendering: auto; }
"""

REFRESH_SECONDS = 10
_VIDEO_ATTRIBUTES = "controls autoplay loop muted playsinline"


def write(document: Document, path: str | Path, refresh: bool = False) -> None:
    """Writes the page atomically; with `refresh`, browsers reload it every few seconds."""
    with whole_file(path) as partial:
        partial.write_text(html(document, refresh), encoding="utf-8")


def html(document: Document, refresh: bool = False) -> str:
    """The page as text."""
    head = f'<meta charset="utf-8"><title>{escape(document.title)}</title><style>{_STYLE}</style>'
    head += f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">' * refresh
    body = "\n".join([f"<h1>{escape(document.title)}</h1>", *map(_part, document.parts)])
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _part(part: Part) -> str:
    if isinstance(part, Heading):
        return f"<h{part.level}>{escape(part.text)}</h{part.level}>"
    if isinstance(part, Paragraph):
        return f"<p>{escape(part.text)}</p>"
    if isinstance(part, Table):
        rows = (_row("td", row, ' class="dimmed"' * (index in part.dimmed)) for index, row in enumerate(part.rows))
        lines = [_row("th", part.header), *rows]
        return f'<div class="scrolls"><table><caption>{escape(part.caption)}</caption>{"".join(lines)}</table></div>'
    if isinstance(part, Figure):
        return f"<figure>{part.svg}<figcaption>{escape(part.caption)}</figcaption></figure>"
    if isinstance(part, Card):
        return _card(part)
    if isinstance(part, Videos):
        cells = [(f'<video src="{escape(one.url)}" {_VIDEO_ATTRIBUTES}></video>', one.caption) for one in part.videos]
    else:
        cells = [(f'<img src="{escape(one.url)}" alt="">', one.caption) for one in part.pictures]
    return _grid(cells, part.columns)


def _grid(cells: Sequence[tuple[str, str]], columns: int) -> str:
    figures = (f"<figure>{tag}<figcaption>{escape(caption)}</figcaption></figure>" for tag, caption in cells)
    style = f"grid-template-columns: repeat({columns}, minmax(0, 1fr))"
    return f'<div class="pictures" style="{style}">{"".join(figures)}</div>'


def _card(part: Card) -> str:
    lines = (f"<p>{escape(text)}{f'<code>{escape(note)}</code>' if note else ''}</p>" for text, note in part.lines)
    return f'<div class="card"><p class="heading">{escape(part.heading)}</p>{"".join(lines)}</div>'


def _row(tag: str, cells: Sequence[str], attributes: str = "") -> str:
    return f"<tr{attributes}>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
