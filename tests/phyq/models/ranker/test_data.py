"""The file of shots, and the collection in parts."""

from pathlib import Path

import numpy as np
import pytest

from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import broad_templates
from tumble.phyq.models.ranker import make_data
from tumble.phyq.models.ranker.collect import Collected, Plan, read_shots


def test_a_file_holds_what_was_collected(collected: Collected, shot_file: Path) -> None:
    read = read_shots(shot_file).collected
    np.testing.assert_array_equal(read.shots, collected.shots)
    np.testing.assert_array_equal(read.scenes.poses, collected.scenes.poses)
    np.testing.assert_array_equal(read.templates, collected.templates)


def test_a_damaged_file_is_an_error(shot_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(shot_file.read_bytes()[:-500])
    with pytest.raises(TrainingError, match="damaged"):
        read_shots(bad)
    with pytest.raises(TrainingError, match="No such file"):
        read_shots(tmp_path / "none.npz")


def test_test_templates_are_never_played() -> None:
    plan = make_data.DataPlan()
    test = {key for scenario in range(1, 16) for key in broad_templates(scenario)[1]}
    assert len(plan.templates()) == 41
    assert not test & set(plan.templates())
    with pytest.raises(TrainingError, match="no training template"):
        make_data.DataPlan(without=("3.4",)).templates()


def test_a_stopped_collection_resumes_to_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = ("5.1", "6.3")
    without = tuple(key for key in make_data.DataPlan().templates() if key not in keep)
    plan = make_data.DataPlan(tasks=1, variants=0, without=without, shots=Plan(first=10, near=2))
    monkeypatch.setitem(make_data.LEVELS_PER_PART, "cpu", 1)
    make_data.make_data(plan, tmp_path / "whole.npz", workers=1)

    def stop(levels: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_data.make_data(plan, tmp_path / "again.npz", workers=1, advance=stop)
    assert not (tmp_path / "again.npz").exists()
    parts = list(tmp_path.glob("again.npz.parts-*/*.npz"))
    written = [part.stat().st_mtime_ns for part in parts]
    assert len(parts) == 1
    real = make_data.collect
    calls: list[int] = []
    monkeypatch.setattr(make_data, "collect", lambda *a: calls.append(1) or real(*a))
    assert make_data.make_data(plan, tmp_path / "again.npz", workers=1) == 2 * 10 + len(written) * 0 + _near(tmp_path)
    assert len(calls) == 1
    whole, again = (read_shots(tmp_path / name).collected for name in ("whole.npz", "again.npz"))
    np.testing.assert_array_equal(whole.shots, again.shots)
    np.testing.assert_array_equal(whole.won, again.won)


def _near(folder: Path) -> int:
    """The number of shots near winning ones."""
    return len(read_shots(folder / "whole.npz").collected) - 20
