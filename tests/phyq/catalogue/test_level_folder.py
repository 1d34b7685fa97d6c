"""Folders of level files as tasks."""

from pathlib import Path

import pytest

from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level, LevelError, Pig
from tumble.phyq.catalogue.level_files import SET_FILE, is_level_id, level_tasks

LEVEL = Level(("red",), (Pig("small", 2.0, -3.262),))


def test_levels_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    level_json.save(LEVEL, folder / "b.json")
    science_birds_xml.save(LEVEL.shifted(1.0, 0.0), folder / "a.xml")
    (folder / SET_FILE).write_text("{}")
    (folder / "notes.txt").write_text("")
    (folder / ".hidden.json").write_text("")
    tasks = level_tasks(folder)
    assert [task.id for task in tasks] == ["mine/a", "mine/b"]
    assert tasks[1].level == LEVEL
    assert (tasks[1].template, tasks[1].scenario) == ("", 0)
    assert [task.id for task in level_tasks(folder / "b.json")] == ["mine/b"]
    assert is_level_id("mine/a")
    assert not is_level_id("6.4:003")


def test_folders_without_levels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match=r"this folder has no level files"):
        level_tasks(tmp_path)
    with pytest.raises(LevelError, match=r"there is no such folder or level file"):
        level_tasks(tmp_path / "none")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(LevelError, match=r"bad\.json: this is not JSON"):
        level_tasks(tmp_path)
