"""Every table becomes a CSV file with the numbers behind its cells."""

import csv
from pathlib import Path

from documents import sample_document

from tumble.report import Document
from tumble.report.document import number_cell
from tumble.report.text_formats import write_csv


def read_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def test_numbers_have_all_digits_and_intervals_their_own_columns(tmp_path: Path) -> None:
    written = write_csv(sample_document(), tmp_path / "new" / "tables")
    assert [path.name for path in written] == [
        "01-scores-by-fold.csv",
        "02-templates.csv",
        "03-wide.csv",
        "contents.csv",
    ]
    header, ours, published = read_rows(written[0])
    assert header == ["agent", "B, across", "B, across sd", "2B", "2B low", "2B high"]
    assert ours == ["MEM_1", repr(20.6 + 1e-9), "1.25", repr(1 / 3), "0.1", "0.7"]
    assert published == ["[*] as published", "18.5", "", "", "", ""]  # what is missing is empty
    assert read_rows(written[1])[3] == ["00002", "2000"]


def test_the_contents_list_sections_and_captions(tmp_path: Path) -> None:
    write_csv(sample_document(), tmp_path)
    assert read_rows(tmp_path / "contents.csv")[:2] == [
        ["file", "section", "caption"],
        ["01-scores-by-fold.csv", "Scores & more", "Scores by fold, %: all of them"],
    ]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_files_of_an_earlier_report_are_removed_and_others_are_kept(tmp_path: Path) -> None:
    write_csv(sample_document(), tmp_path)
    (tmp_path / "04-mine.csv").write_text("kept")
    shorter = sample_document()
    shorter.parts = shorter.parts[:3]
    write_csv(shorter, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01-scores-by-fold.csv", "04-mine.csv", "contents.csv"]


def test_cells_that_a_spreadsheet_would_run_are_quoted_and_numbers_stay(tmp_path: Path) -> None:
    document = Document("Formulas")
    formulas = ["=1+1", "+a", "-a", "@sum", "\t=1", "a=b"]
    document.table("Cells", ["agent", "score"], [*([text, number_cell(-1.5)] for text in formulas), ["-2.5", ""]])
    write_csv(document, tmp_path)
    _, *rows = read_rows(tmp_path / "01-cells.csv")
    assert [row[0] for row in rows] == ["'=1+1", "'+a", "'-a", "'@sum", r"\t=1", "a=b", "-2.5"]
    assert {row[1] for row in rows} == {"-1.5", ""}
