"""`tumble phyre import`."""

from dataclasses import replace
from pathlib import Path

import pytest
from phyre_commands import printed, refusal, row

from tumble import phyre
from tumble.phyre.catalogue import task_files


def test_import_compares_published_tasks_and_writes_json(tmp_path: Path) -> None:
    known = [phyre.task(task_id) for task_id in ("00000:000", "00003:017", "00106:002")]
    changed = replace(phyre.task("00122:006"), tier="B")
    other, out = tmp_path / "tasks.json", tmp_path / "ours.json"
    task_files.save(other, [*known, changed])
    text = printed("import", other, "--out", out)
    assert row(text, "B") == ["B", "3", "3", "6 to 7"]
    assert row(text, "2B") == ["2B", "1", "1", "16"]
    assert "3 tasks equal to Tumble's published tasks." in text
    assert "1 task with a published id but another content: 00122:006 in the tier." in text
    assert task_files.load(out) == {task.id: task for task in [*known, changed]}


def test_import_reads_a_template(template: Path) -> None:
    text = printed("import", template)
    assert row(text, "B") == ["B", "1", "4", "6"]
    assert "No task has a published id." in text


@pytest.mark.slow
def test_all_published_tasks_equal_ours(shared_data: Path) -> None:
    assert "5,000 tasks equal to Tumble's published tasks." in printed(
        "import", shared_data / "phyre" / "official_tasks.json.xz"
    )


def test_import_refuses_other_files(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert "neither JSON nor" in refusal("import", notes)
    assert refusal("import", tmp_path / "none").endswith("none: no such file")
    assert refusal("import", notes, "--out", tmp_path) == f"{tmp_path} is a folder; name a file"
