"""Scores of reports stand beside what the agent was given."""

from pathlib import Path

import pytest

from tumble.benchmark import benchmark
from tumble.report.document import Document, Paragraph, Table
from tumble.runs.log import logs_in
from watch_runs import comphy_runs, phyq_runs, phyre_runs

WITHOUT_SCORES = ("Unfinished", "Wilcoxon", "Time", "Settings", "Runs", "Tokens")
"""Beginnings of the captions of tables that list agents, but not their scores."""


def tables_without_given(document: Document) -> list[str]:
    """Captions of tables of agents, or of models, that neither have the column nor a paragraph after them."""
    missing = []
    parts = document.parts
    for part in parts:
        if not isinstance(part, Table) or part.caption.startswith(WITHOUT_SCORES):
            continue
        names_agents = part.header[0] in ("agent", "model")
        notes = [one.text for one in parts[parts.index(part) + 1 :] if isinstance(one, Paragraph)][:2]
        if names_agents and "given" not in part.header and not any(note.startswith("Given: ") for note in notes):
            missing.append(part.caption)
    return missing


@pytest.mark.parametrize("name", ["phyre", "phyq", "comphy"])
def test_every_table_of_agents_says_what_they_were_given(name: str, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    if name == "comphy":
        comphy_runs(runs, tmp_path / "data")
    else:
        {"phyre": phyre_runs, "phyq": phyq_runs}[name](runs)
    document = Document(name)
    benchmark(name).add_report(document, logs_in([runs])[0], 0)
    assert sum(isinstance(part, Table) for part in document.parts) >= 3
    assert tables_without_given(document) == []


def test_a_table_without_it_is_found() -> None:
    document = Document("x")
    document.table("Scores", ["agent", "AUCCESS"], [["rand", "1.0"]])
    assert tables_without_given(document) == ["Scores"]
    document.text("Given: rand: nothing.")
    assert tables_without_given(document) == []
