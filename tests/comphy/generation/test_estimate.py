"""Estimates are measured on the first sets, printed once, and refuse what the disk has no room for."""

from collections import namedtuple
from pathlib import Path

import pytest

from tumble.comphy.generation import generate
from tumble.comphy.generation.generate import DiskError, Estimate

Usage = namedtuple("Usage", "free")


def test_an_estimate_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured = Estimate(tmp_path, workers=2)
    for number in range(20):
        measured.add(seconds=30.0 if number < 2 else 0.5, size=400_000, remaining=1000 - number)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "995 sets to generate: about 4 min with 2 workers, 398 MB on disk (0.5 s and 400 kB a set, measured on 6 sets)."
    )


def test_a_cluster_has_no_estimate_of_time(tmp_path: Path) -> None:
    measured = Estimate(tmp_path, workers=None)
    measured.add(1.0, 1_000_000, 10)
    assert measured.text(10) == "10 sets to generate: about 10 MB on disk (1 s and 1 MB a set, measured on 1 set)."


@pytest.mark.parametrize(("free", "is_refused"), [(70_000_000, True), (90_000_000, False)])
def test_a_disk_that_is_clearly_too_small_is_refused(
    free: int, is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "disk_usage", lambda path: Usage(free))
    measured = Estimate(tmp_path, workers=1)
    for _ in range(measured.sample - 1):
        measured.add(1.0, 1_000_000, 100)
    if is_refused:
        with pytest.raises(DiskError, match="100 more sets would take about 100 MB, but its disk has 70 MB free"):
            measured.add(1.0, 1_000_000, 100)
    else:
        measured.add(1.0, 1_000_000, 100)
