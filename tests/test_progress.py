"""Progress where the error stream is a file: lines from time to time, and none for what is quick."""

import pytest

from tumble import progress


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


def test_a_line_is_printed_after_each_tenth(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.bar("Sets", 2000) as advance:
        for _ in range(2000):
            clock.now += 0.1
            advance(1)
    printed = lines(capsys)
    assert printed[0] == "Sets: 200 of 2,000 (10 %), 3 min left"
    assert printed[-1] == "Sets: 2,000 of 2,000 (100 %), 0 s left"
    assert len(printed) == 10


def test_long_work_prints_a_line_each_minute(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.bar_with_note("Training", 1000, done=500) as show:
        for step in range(501, 506):
            clock.now += 30.0
            show(step, "loss 0.5")
    assert lines(capsys) == [
        "Training, loss 0.5: 502 of 1,000 (50 %), 4.2 h left",
        "Training, loss 0.5: 504 of 1,000 (50 %), 4.1 h left",
    ]


def test_quick_work_prints_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.bar("Sets", 10) as advance:
        for _ in range(10):
            clock.now += 0.4
            advance(1)
    assert lines(capsys) == []


def test_notes_are_printed_unless_silenced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    progress.note("an estimate")
    monkeypatch.setattr(progress, "_silent", True)
    progress.note("another")
    assert lines(capsys) == ["an estimate"]
