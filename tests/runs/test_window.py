"""The number of tasks attempted together: it grows for quick agents and shrinks for slow ones."""

import pytest

from tumble.runs.evaluate import Window


def sizes(rounds: list[tuple[float, list[float]]], max_size: int = 100) -> list[int]:
    window = Window(max_size)
    found = [window.size]
    for seconds, proposals in rounds:
        window.adapt(seconds, proposals)
        found.append(window.size)
    return found


def test_quick_rounds_double_the_window_up_to_its_maximum() -> None:
    assert sizes([(0.01, [0.001])] * 8) == [1, 2, 4, 8, 16, 32, 64, 100, 100]
    assert sizes([(0.01, [0.001])] * 2, max_size=1) == [1, 1, 1]


def test_a_slow_agent_attempts_one_task_at_a_time() -> None:
    quick, slow = (0.01, [0.001]), (0.25, [0.05] * 4)
    assert sizes([(0.06, [0.05])] * 3) == [1, 1, 1, 1]
    assert sizes([quick, quick, quick, slow, slow, slow, slow]) == [1, 2, 4, 8, 4, 2, 1, 1]


def test_slow_first_proposals_do_not_make_an_agent_slow() -> None:
    mixed = (0.06, [0.05, 0.001])
    assert sizes([(0.01, [0.001]), mixed, mixed]) == [1, 2, 4, 8]


@pytest.mark.parametrize(("seconds", "after"), [(0.4, 16), (1.0, 8), (3.0, 4)])
def test_simulation_decides_where_the_agent_is_quick(seconds: float, after: int) -> None:
    assert sizes([(0.01, [0.001])] * 3 + [(seconds, [0.03] * 3)])[-1] == after
