"""The engine is about as fast as recorded (`benchmarks/speed/speed_record.py`): a slow-down is noticed.

Speeds are compared as ratios to a yardstick that is measured by turns in the same run, by the time of this process and
the best of several, so that neither the machine nor its other programs matter much.
"""

import platform
from dataclasses import replace
from pathlib import Path

import pytest
from speed_record import Speeds, Work, append, measure, prepared, recorded, slower_than

from tumble.runs.header import machine

FIGURES = ("phyre_b", "phyre_b_plain", "phyq", "comphy")
SAME_MACHINE, SAME_ARCHITECTURE = 1.5, 2.5
"""A slow-down by more than this fails: on a machine that is in the record, or on another of its architecture."""
ROUNDS, TRIES = 3, 4


@pytest.fixture(scope="module")
def works() -> dict[str, Work]:
    """The work of the figures, on the CPU."""
    return prepared(FIGURES, "cpu")


def slowed(works: dict[str, Work], record: dict[str, float], factor: float) -> dict[str, float]:
    """Figures that stay slower than recorded however often they are measured."""
    slow: dict[str, float] = {}
    for _ in range(TRIES):
        slow = slower_than(record, measure(works, "cpu", ROUNDS).ratios, factor)
        works = {name: works[name] for name in slow}
        if not slow:
            break
    return slow


def test_nothing_is_much_slower_than_recorded(works: dict[str, Work]) -> None:
    here = machine().partition(", Python")[0]
    record, factor = recorded("cpu", here), SAME_MACHINE
    if not record:
        record, factor = recorded("cpu", platform.machine()), SAME_ARCHITECTURE
    if not record:
        pytest.skip(f"no speeds are recorded for {platform.machine()}: run benchmarks/speed/speed_record.py")
    assert slowed(works, record, factor) == {}


def test_a_slow_down_is_noticed(works: dict[str, Work]) -> None:
    """What does its work three times instead of once is found, and only that."""
    quick = {name: works[name] for name in ("phyq", "comphy")}
    record = dict(measure(quick, "cpu", ROUNDS).ratios)

    def thrice() -> None:
        for _ in range(3):
            works["phyq"].run()

    changed = {**quick, "phyq": replace(works["phyq"], run=thrice)}
    assert list(slowed(changed, record, SAME_MACHINE)) == ["phyq"]


def test_a_record_has_the_medians_of_the_latest_rows(tmp_path: Path) -> None:
    path = tmp_path / "record.csv"
    assert recorded("cpu", platform.machine(), path) == {}
    for speed in (9.0, 1.0, 2.0, 3.0, 4.0, 5.0):
        append(Speeds({"phyq": speed}, 5.0), "cpu", path)
    assert recorded("cpu", platform.machine(), path) == {"phyq": 3.0}
    assert recorded("cuda", platform.machine(), path) == {}
    assert recorded("cpu", "another machine", path) == {}
    assert slower_than({"phyq": 3.0}, {"phyq": 1.9, "comphy": 0.1}, 1.5) == {"phyq": pytest.approx(3.0 / 1.9)}
