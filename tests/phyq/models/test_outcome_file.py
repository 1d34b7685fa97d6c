"""Files of outcomes of first shots."""

from pathlib import Path

import numpy as np
import pytest
from learner_tasks import NEAR, TASKS

from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.models import outcome_file
from tumble.phyq.models.outcome_file import FirstShots, read_first_shots, write_first_shots

ALL = [TASKS[task_id] for task_id in NEAR]
BIRDS = np.array([1, 1, 1, 2])


def some_shots() -> FirstShots:
    outcomes = np.full((4, 180), -1, np.int8)
    outcomes[0, 100:110], outcomes[0, 104], outcomes[1, :], outcomes[3, :] = 0, 1, 1, 1
    return FirstShots.of(ALL, BIRDS, outcomes)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_first_shots(tmp_path / "shots.npz", some_shots())
    found = read_first_shots(tmp_path / "shots.npz").outcomes(ALL, BIRDS)
    assert found[0, 98:106].tolist() == [-1, -1, 0, 0, 0, 0, 1, 0]
    assert (found[1] == 1).all()
    assert (found[2:] == -1).all()  # nothing known, and a task with two birds


def test_files_of_other_physics_and_levels_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shots.npz"
    write_first_shots(path, some_shots())
    changed = [Task(NEAR[0], ALL[1].level)]
    with pytest.raises(TrainingError, match="another level"):
        read_first_shots(path).outcomes(changed, np.array([1]))
    monkeypatch.setattr(outcome_file, "physics_id", lambda: "other")
    with pytest.raises(TrainingError, match="of physics"):
        read_first_shots(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shots.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(TrainingError, match="not a file of outcomes"):
        read_first_shots(tmp_path / "shots.npz")
    with pytest.raises(TrainingError, match="No such file"):
        read_first_shots(tmp_path / "none.npz")


def test_joined_files_know_what_either_knew() -> None:
    other = np.full((4, 180), -1, np.int8)
    other[0, 5] = 1
    found = some_shots().joined(FirstShots.of(ALL, BIRDS, other)).outcomes(ALL, BIRDS)
    assert (found[0, 5], found[0, 104], found[0, 100], found[0, 0]) == (1, 1, 0, -1)
