"""The PDF file of a document: all of its parts, pages, links; figures as lines and text."""

import re
import zlib
from base64 import a85decode
from pathlib import Path

import pytest
from documents import sample_document

from tumble.report import Document, pdf


@pytest.fixture(scope="module")
def content() -> bytes:
    return pdf.pdf(sample_document())


def streams(content: bytes) -> bytes:
    """All compressed streams that are drawing commands."""
    found = re.findall(rb"/ASCII85Decode /FlateDecode[^>]*>>\s*stream\r?\n(.*?)endstream", content, re.DOTALL)
    return b"\n".join(
        zlib.decompress(
            a85decode(one.strip(), adobe=False) if not one.strip().endswith(b"~>") else a85decode(one.strip()[:-2])
        )
        for one in found
    )


def test_it_has_pages_bookmarks_and_links(content: bytes) -> None:
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") + content.count(b"/Type /Page ") >= 3
    assert b"/Outlines" in content
    assert content.count(b"/Subtype /Link") >= 3  # of the table of contents


def test_figures_are_drawn_not_painted(content: bytes) -> None:
    """The only images are the two pictures; the bars of the figure are filled in its colour."""
    assert content.count(b"/Subtype /Image") <= 2
    assert re.search(rb"\.121569 \.466667 \.705882 rg", streams(content))


def test_equal_documents_give_equal_files(content: bytes) -> None:
    assert pdf.pdf(sample_document()) == content


def test_it_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.pdf"
    target.write_text("before")

    def fail(_: Document) -> bytes:
        raise OSError("disk full")

    monkeypatch.setattr(pdf, "pdf", fail)
    with pytest.raises(OSError, match="disk full"):
        pdf.write(Document("x"), target)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["report.pdf"]


def test_a_document_without_headings_or_with_unknown_pictures() -> None:
    document = Document("Short")
    document.pictures([], 3)
    document.text("Only text.")
    assert pdf.pdf(document).startswith(b"%PDF")


def test_wide_tables_are_broken_into_groups_of_columns() -> None:
    widths = [100.0, *[60.0] * 12]
    groups = pdf._column_groups(widths)
    assert sorted(column for group in groups for column in group[1:]) == list(range(1, 13))
    assert all(group[0] == 0 and sum(widths[k] for k in group) <= pdf.WIDTH for group in groups)
