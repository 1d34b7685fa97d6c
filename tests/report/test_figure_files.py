"""Figures as files: vectors with their fonts, listed, and the same bytes whenever and wherever they are written."""

import csv
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from documents import sample_document

from tumble.report import Document
from tumble.report.text_formats import write_figures

PDF, SVG = "figure-01-scores-of-agents.pdf", "figure-01-scores-of-agents.svg"
WRITE = """
import sys
from documents import sample_document
from tumble.report.text_formats import write_figures
write_figures(sample_document(), sys.argv[1])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("figures")
    write_figures(sample_document(), made)
    return made


def test_every_figure_has_two_files_which_are_listed(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {PDF, SVG, "figures.csv"}
    rows = list(csv.reader((folder / "figures.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["file", "section", "caption"]
    assert rows[1:] == [[name, "Scores & more / Figures", "Scores of <agents>."] for name in (PDF, SVG)]


def test_pdf_files_are_drawn_and_have_their_fonts(folder: Path) -> None:
    content = (folder / PDF).read_bytes()
    assert content.startswith(b"%PDF")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"/FontFile" in content
    assert b"/Subtype /Image" not in content
    streams = re.findall(rb"/FlateDecode[^>]*>>\s*stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    drawn = b"\n".join(zlib.decompressobj().decompress(stream) for stream in streams)
    assert re.search(rb"0\.12\d* 0\.46\d* 0\.70\d* rg", drawn)  # the bars


def test_svg_files_parse_and_need_no_fonts(folder: Path) -> None:
    root = ElementTree.parse(folder / SVG).getroot()
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert root.tag.endswith("svg")
    assert "path" in kinds
    assert not kinds & {"text", "image"}
    assert "#1f77b4" in (folder / SVG).read_text(encoding="utf-8")


def test_files_have_no_dates_and_no_random_names(folder: Path, tmp_path: Path) -> None:
    """Another process, with another seed of Python's hashes, and another clock, writes the same bytes."""
    for name in (PDF, SVG):
        assert not re.search(rb"CreationDate|ModDate|<dc:date>|\b20\d\d-\d\d-\d\d", (folder / name).read_bytes())
    command = [sys.executable, "-c", WRITE, str(tmp_path)]
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "86400"}
    subprocess.run(command, check=True, env=environment)
    for name in (PDF, SVG, "figures.csv"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_figures_of_an_earlier_report_are_removed(tmp_path: Path) -> None:
    write_figures(sample_document(), tmp_path)
    (tmp_path / "figure-09-of-mine.svg").write_text("mine")
    write_figures(Document("Without figures"), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"figures.csv", "figure-09-of-mine.svg"}
