"""A document with a part of every kind."""

import io

import numpy as np
from PIL import Image

from tumble.report import Document, Picture, Video
from tumble.report.document import Cell, count_cell, estimate_cell, number_cell
from tumble.report.estimates import Estimate
from tumble.report.figures import Line, Style, bars
from tumble.report.page import data_uri


def png() -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), 200, np.uint8)).save(stream, "PNG")
    return stream.getvalue()


def sample_document() -> Document:
    document = Document("A <title> & 100 % of it")
    document.text("Text with [brackets], under_scores & <signs> … 50 % ± 1.")
    document.heading("Scores & more")
    rows: list[list[str | Cell]] = [
        ["MEM_1", estimate_cell(Estimate(20.6 + 1e-9, 1.25)), estimate_cell(Estimate(1 / 3, interval=(0.1, 0.7)))],
        ["[*] as published", number_cell(18.5), number_cell(None)],
    ]
    document.table("Scores by fold, %: all of them", ["agent", "B, across", "2B"], rows)
    document.heading("Figures", 3)
    line = Line("agent & co", Style("#1f77b4"), [0, 1], [10.0, 30.0], ([9.0, 25.0], [13.0, 30.0]))
    document.figure(bars({"panel_one": [line]}, ["first", "second"], "score, %"), "Scores of <agents>.")
    document.pictures([Picture(data_uri(png(), "png"), "one"), Picture("data:image/svg+xml,x", "two")], 4)
    document.pictures([Video("a.mp4", "a film")], 2)
    document.card("Question?", [("Answer: 5 %", "count(all_objects)")])
    document.heading("Long tables")
    document.table("Templates", ["template", "tasks"], [[f"00{k:03d}", count_cell(1000 * k)] for k in range(90)])
    many = [str(k) for k in range(40)]
    document.table("Wide", ["agent", *(f"column {k}" for k in many)], [["MEM", *(f"{k}.25" for k in many)]])
    return document
