"""A document becomes a self-contained page, or text in the terminal."""

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from tumble.report import Document, Picture, page, text_formats
from tumble.report.figures import Line, Style, bars


@pytest.fixture
def document() -> Document:
    made = Document("A <title> & more")
    made.text("Text with [brackets] & <signs>.")
    made.heading("Scores")
    made.table("Scores by fold", ["agent", "0", "1"], [["MEM", "20.6", "16.6"], ["as published", "18.5", "-"]])
    made.heading("Pictures", 3)
    made.figure(bars({"panel": [Line("inside", Style("#000000"), [0], [1.0])]}, ["one"], "y"), "below <it>")
    made.pictures([Picture("data:image/gif;base64,R0lGOD", "one"), Picture("data:image/gif;base64,AAAA", "two")], 2)
    made.heading("The end")
    made.text("No more.")
    return made


def test_the_page_is_complete(document: Document, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    page.write(document, path)
    text = path.read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    assert "<title>A &lt;title&gt; &amp; more</title>" in text
    assert "Text with [brackets] &amp; &lt;signs&gt;." in text
    assert text.count("<svg") == 1
    assert '<tr class="dimmed"><td>as published</td><td>18.5</td>' in text
    assert text.count('src="data:image/gif;base64,') == 2

    opened: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "img"):
                opened.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            pass

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    Balance().feed(text)
    assert opened == []


def test_one_module_writes_the_heads_of_all_pages() -> None:
    """Files of the server's pages begin with their title, and `html_page` does the rest."""
    source = Path(page.__file__).parents[1]
    files = [file for kind in ("*.py", "*.html") for file in source.rglob(kind)]
    assert [file.name for file in files if "<html" in file.read_text(encoding="utf-8")] == ["page.py"]


def test_headings_are_linked_from_the_contents(document: Document) -> None:
    text = page.html(document)
    links = re.findall(r'<li class="level-(\d)"><a href="#([\w-]+)">([^<]+)</a>', text)
    assert [(level, title) for level, _, title in links] == [("2", "Scores"), ("3", "Pictures"), ("2", "The end")]
    for level, name, title in links:
        assert f'<h{level} id="{name}">{title}</h{level}>' in text
    short = Document("Short")
    short.heading("Only one")
    assert "<nav" not in page.html(short)


def test_the_terminal_has_text_and_tables(document: Document) -> None:
    stream = io.StringIO()
    text_formats.print_document(document, Console(file=stream, width=80))
    text = stream.getvalue()
    assert "Text with [brackets] & <signs>." in text
    assert re.search(r"MEM +20\.6 +16\.6", text)
    assert re.search(r"as published +18\.5 +-", text)
    assert "inside" not in text
    assert "Pictures" not in text  # it has nothing that can be printed
    assert text.index("Scores") < text.index("The end")
