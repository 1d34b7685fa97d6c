"""A document as one HTML page that needs no other file: pictures and videos are embedded as data URIs."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from tumble.report.document import (
    Card,
    Cell,
    Document,
    Figure,
    Heading,
    Paragraph,
    Part,
    Picture,
    Pictures,
    Table,
    Video,
    headings_of,
)
from tumble.scene.files import whole_file

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 .5rem; scroll-margin-top: 1rem; }
h2 { border-bottom: 2px solid #ddd; padding-bottom: .3rem; }
p { max-width: 46rem; } .scrolls { overflow-x: auto; }
.table, figure { margin: 1rem 0 1.5rem; } .table > figcaption { font-weight: 600; font-size: 1rem; color: inherit; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #e3e3e3; white-space: nowrap; }
th { border-bottom: 1px solid #999; font-weight: 600; white-space: normal; vertical-align: bottom; }
td + td, th + th { text-align: right; }
td.long { white-space: normal; min-width: 16rem; text-align: left; }
th:first-child, td:first-child { position: sticky; left: 0; background: #fff; }
.dimmed td { color: #777; } tr:hover td { background: #f6f6f6; }
.plot svg { display: block; width: 100%; min-width: 40rem; height: auto; }
figcaption { font-size: .85rem; color: #444; line-height: 1.35; max-width: 60rem; margin: .2rem 0; }
.pictures { display: grid; gap: 1rem 1.5rem; margin: 1rem 0; } .pictures figure { margin: 0; }
.card { border-left: 3px solid #ddd; padding-left: 1rem; margin: 1rem 0; } .card p { margin: .2rem 0; max-width: none; }
.card .heading { font-weight: 600; } code { font-size: .8rem; color: #555; overflow-wrap: anywhere; display: block; }
.pictures img, .pictures video { box-sizing: border-box; width: 100%; border: 2px solid #555; border-radius: 3px;
  display: block; margin-bottom: .3rem; }
.contents { font-size: .9rem; line-height: 1.35; } .contents ul { list-style: none; margin: .3rem 0; padding: 0; }
.contents li { margin: .25rem 0; } .contents .level-3 { padding-left: 1rem; } .contents .level-4 { padding-left: 2rem; }
.contents a { color: #2457a6; text-decoration: none; } .contents a:hover { text-decoration: underline; }
@media (min-width: 75rem) {
  .with-contents { max-width: 86rem; display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 0 2.5rem; }
  .with-contents .contents { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem);
    overflow-y: auto; padding-top: 2rem; } }
@media (max-width: 40rem) { th:first-child, td:first-child { position: static; white-space: normal; min-width: 8rem; } }
@media print { .contents { display: none; } body, .with-contents { display: block; max-width: none; } }
"""

LONG_CELL, LONG = 44, ' class="long"'
"""Characters from which on the text of a cell is broken into lines."""
DEEPEST = 4
"""The lowest level of headings in the table of contents."""
MIN_CONTENTS = 3
"""Headings for which there is a table of contents."""
MIN_PICTURE = "10rem"
"""Pictures are in fewer columns where they would be narrower."""
PICTURE_GAP = "1.5rem"
REFRESH_SECONDS = 10
_VIDEO_ATTRIBUTES = "controls autoplay loop muted playsinline"


def write(document: Document, path: str | Path, refresh: bool = False) -> None:
    """Writes the page atomically; with `refresh`, browsers reload it every few seconds."""
    with whole_file(path) as partial:
        partial.write_text(html(document, refresh), encoding="utf-8")


def html(document: Document, refresh: bool = False) -> str:
    """The page as text."""
    head = f"<title>{escape(document.title)}</title>\n<style>{_STYLE}</style>\n"
    head += f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n' * refresh
    contents = _contents(document)
    ids = (name for name, _ in headings_of(document))
    parts = (_heading(part, next(ids)) if isinstance(part, Heading) else _part(part) for part in document.parts)
    body = "\n".join([f"<main><h1>{escape(document.title)}</h1>", *parts, "</main>"])
    kind = ' class="with-contents"' if contents else ""
    return html_page(head, f"<body{kind}>\n{contents}{body}\n</body>")


def html_page(head: str, body: str) -> str:
    """The text of any page: `head` has its title, styles and scripts, `body` is the <body> element."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{head}</head>\n{body}\n</html>\n"
    )


def _contents(document: Document) -> str:
    """Links to all headings; empty if there are few."""
    entries = [(name, heading) for name, heading in headings_of(document) if heading.level <= DEEPEST]
    if len(entries) < MIN_CONTENTS:
        return ""
    links = (
        f'<li class="level-{heading.level}"><a href="#{name}">{escape(heading.text)}</a></li>'
        for name, heading in entries
    )
    return f'<nav class="contents" aria-label="Contents"><strong>Contents</strong><ul>{"".join(links)}</ul></nav>\n'


def _heading(heading: Heading, name: str) -> str:
    return f'<h{heading.level} id="{name}">{escape(heading.text)}</h{heading.level}>'


def _part(part: Part) -> str:
    if isinstance(part, Paragraph):
        return f"<p>{escape(part.text)}</p>"
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Figure):
        caption = f"<figcaption>{escape(part.caption)}</figcaption>"
        return f'<figure class="plot"><div class="scrolls">{part.plot.svg}</div>{caption}</figure>'
    if isinstance(part, Card):
        return _card(part)
    if isinstance(part, Pictures):
        return _grid(part)
    raise TypeError(f"no part of a page: {type(part).__name__}")


def _table(table: Table) -> str:
    rows = (_row("td", row, ' class="dimmed"' * (index in table.dimmed)) for index, row in enumerate(table.rows))
    lines = "".join([_row("th", table.header), *rows])
    caption = f"<figcaption>{escape(table.caption)}</figcaption>"
    return f'<figure class="table">{caption}<div class="scrolls"><table>{lines}</table></div></figure>'


def _grid(part: Pictures) -> str:
    captions = (f"<figcaption>{escape(picture.caption)}</figcaption>" for picture in part.pictures)
    figures = (
        f"<figure>{_media(picture)}{caption}</figure>" for picture, caption in zip(part.pictures, captions, strict=True)
    )
    widest = f"(100% - {part.columns - 1} * {PICTURE_GAP}) / {part.columns}"
    style = f"grid-template-columns: repeat(auto-fill, minmax(max({MIN_PICTURE}, {widest}), 1fr))"
    return f'<div class="pictures" style="{style}">{"".join(figures)}</div>'


def _media(picture: Picture) -> str:
    if isinstance(picture, Video):
        return f'<video src="{escape(picture.url)}" {_VIDEO_ATTRIBUTES}></video>'
    return f'<img src="{escape(picture.url)}" alt="" loading="lazy">'


def _card(part: Card) -> str:
    lines = (f"<p>{escape(text)}{f'<code>{escape(note)}</code>' if note else ''}</p>" for text, note in part.lines)
    return f'<div class="card"><p class="heading">{escape(part.heading)}</p>{"".join(lines)}</div>'


def _row(tag: str, cells: Sequence[str | Cell], attributes: str = "") -> str:
    return f"<tr{attributes}>" + "".join(_cell(tag, str(cell)) for cell in cells) + "</tr>"


def _cell(tag: str, text: str) -> str:
    return f"<{tag}{LONG * (len(text) > LONG_CELL)}>{escape(text)}</{tag}>"


def data_uri(content: bytes, kind: str) -> str:
    """The data URI of the bytes of a picture ("gif", "png", "webp") or video ("mp4")."""
    medium = "video" if kind == "mp4" else "image"
    return f"data:{medium}/{kind};base64,{base64.b64encode(content).decode()}"


def svg_uri(svg: str) -> str:
    """The data URI of an SVG picture, as text, which is smaller than base64."""
    return "data:image/svg+xml," + quote(svg, safe=" =:/;,.-()")
