"""Tables and figures for LaTeX: escaped, complete, and accepted by pdflatex where it is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from documents import sample_document

from tumble.report.text_formats import escape_latex, write_latex


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_latex(sample_document(), tmp_path)
    return tmp_path


def test_a_table_has_rules_caption_label_and_escaped_cells(folder: Path) -> None:
    text = (folder / "table-01-scores-by-fold.tex").read_text()
    for line in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{lrr}", r"\label{tab:01-scores-by-fold}"):
        assert line in text
    assert r"\caption{Scores \& more: Scores by fold, \%: all of them.}" in text
    assert r"{MEM\_1} & {20.6 $\pm$ 1.2} & {0.3 [0.1, 0.7]} \\" in text
    assert r"{\color{gray} [*] as published}" in text
    assert text.count("{") == text.count("}")


def test_long_tables_break_over_pages(folder: Path) -> None:
    text = (folder / "table-02-templates.tex").read_text()
    assert r"\begin{longtable}{lr}" in text
    assert r"\endhead" in text


def test_all_special_characters_are_escaped() -> None:
    escaped = escape_latex("\\ { } % & # _ $ ~ ^ ± … é")
    assert not re.search(r"(?<!\\)[%&#_]", escaped)
    assert escaped.endswith("é")


def test_figures_are_vector_files(folder: Path) -> None:
    figure = (folder / "figure-01-scores-of-agents.pdf").read_bytes()
    assert figure.startswith(b"%PDF")
    assert b"/Subtype /Image" not in figure
    assert b"/FontFile" in figure


def test_the_main_file_inputs_everything(folder: Path) -> None:
    main = (folder / "report.tex").read_text()
    for name in (path.name for path in folder.iterdir() if path.name != "report.tex"):
        assert f"{{{name}}}" in main
    assert r"\section{Scores \& more}" in main


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_it(folder: Path) -> None:
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
