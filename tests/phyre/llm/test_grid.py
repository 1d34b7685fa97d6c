"""Grids of actions, and what they can solve at all."""

import numpy as np
import pytest

from tumble.llm.puzzle import AnswerError
from tumble.phyre.catalogue.tasks_by_id import solution, task_ids
from tumble.phyre.llm import puzzle_set as ceilings
from tumble.phyre.llm.answer import Grid, GridError, cell_name
from tumble.phyre.llm.puzzle_set import Ceiling, PhyrePuzzles, ceiling, known_ceiling, read_stored, stored_text
from tumble.phyre.simulation.actions import exact_balls
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED

GRID = Grid(5, 5, 5)


def test_actions_are_the_centres_of_cells() -> None:
    x, y, radius = exact_balls(GRID.action(0, 4, 2)[None])[0, 0]
    assert (x, y, radius) == pytest.approx((25.5, 229.5, 17.0))
    actions = GRID.actions("B")
    assert len(np.unique(actions, axis=0)) == 125
    assert actions.min() == pytest.approx(0.1)
    assert actions.max() == pytest.approx(0.9)
    assert Grid(2, 2, 1).actions("2B").shape == (16, 6)


def test_columns_rows_and_levels_may_differ() -> None:
    grid = Grid.parse("30x4x2")
    assert grid.cell("ad4") == (29, 3)
    assert cell_name(29, 3) == "ad4"
    assert grid.radii.tolist() == [9.5, 24.5]
    for column in range(30):
        assert grid.cell(cell_name(column, 1)) == (column, 1)


@pytest.mark.parametrize("name", ["", "a", "1", "a0", "f1", "a6", "a1b", "aaa1", "a-1", "ä1", "a1" * 100])
def test_cells_outside_the_grid_are_refused(name: str) -> None:
    with pytest.raises(GridError, match="cells are a1"):
        GRID.cell(name)


def test_answers_name_a_cell_and_a_level() -> None:
    puzzle = PhyrePuzzles({"ids": ["00000:000"], "grid": "5x5x5"}).puzzle("00000:000")
    assert puzzle.read({"cell": "B4", "radius": 2}).tolist() == pytest.approx([0.3, 0.7, 0.3])
    assert puzzle.schema["required"] == ["cell", "radius"]
    for wrong in ({"cell": "b9", "radius": 2}, {"cell": 3, "radius": 2}, {"cell": "b4", "radius": 2.5}):
        with pytest.raises(AnswerError):
            puzzle.read(wrong)
    with pytest.raises(AnswerError, match="a level, a whole number from 1 to 5, not 6"):
        puzzle.read({"cell": "b4", "radius": 6})


def test_a_ceiling_is_what_some_action_of_the_grid_solves() -> None:
    ids = ["00000:000", "00002:007", "00012:002"]
    found = ceiling(GRID, ids)
    statuses = Simulator(ids).sweep(GRID.actions("B"), progress=lambda _: None)
    assert list(found.solvable.values()) == (statuses == SOLVED).any(axis=1).tolist()
    assert set(found.by_template) == {"00000", "00002", "00012"}
    assert found.share == pytest.approx(np.mean(list(found.by_template.values())))


def test_a_fine_cell_at_a_solution_is_found_in_a_later_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "FIRST_ROUND", 1)
    action = solution("00000:000")
    assert action is not None
    monkeypatch.setattr(Grid, "actions", lambda *_: np.array([[0.1, 0.9, 0.1], [0.1, 0.8, 0.1], action]))
    finished: list[int] = []
    assert ceiling(GRID, ["00000:000"], progress=finished.append).share == 1.0
    assert sum(finished) == 1


def test_stored_ceilings_stand_beside_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    some = Ceiling(GRID, {task_id: task_id < "00002" for task_id in task_ids("B")[:400]})
    stored = read_stored(stored_text([("B", some)]))
    assert stored == {"5x5x5": [dict(some.solvable)]}
    assert read_stored("other-physics\nB 5x5x5 01\n") == {}
    monkeypatch.setattr(ceilings, "_stored", lambda: stored)
    puzzles = PhyrePuzzles({"ids": ["00000:000", "00001:000", "00002:007", "00003:000"], "grid": "5x5x5"})
    known = puzzles.ceiling()
    assert known is not None
    assert known.text == "a 5x5x5 grid can solve 50.0 % of these 4 tasks"
    assert known.by_template == {"00000": 1.0, "00001": 1.0, "00002": 0.0, "00003": 0.0}
    assert puzzles.scores({"00000:000": [], "00002:007": []})["grid_ceiling"] == 0.5
    assert known_ceiling(GRID, ["00000:000", "00024:006"]) is None
    assert known_ceiling(Grid(6, 6, 6), ["00000:000"]) is None
    assert "grid_ceiling" not in PhyrePuzzles({"ids": ["00000:000"]}).scores({"00000:000": []})


def test_shipped_ceilings_are_those_that_were_measured_and_stand_beside_scores() -> None:
    ids = task_ids("B")
    measured = {"5x5x5": 35.4, "8x8x8": 57.8}
    for name, share in measured.items():
        known = known_ceiling(Grid.parse(name), ids)
        assert known is not None
        assert 100.0 * known.share == pytest.approx(share, abs=0.05)
    puzzles = PhyrePuzzles({"grid": "5x5x5"})
    known = puzzles.ceiling()
    assert known is not None
    assert puzzles.scores(dict.fromkeys(puzzles.ids, ()))["grid_ceiling"] == known.share
    assert 0.0 < known.share < 1.0


def test_a_shipped_ceiling_is_that_of_a_sweep() -> None:
    ids = ["00000:000", "00006:003", "00012:002", "00024:006"]
    known = known_ceiling(GRID, ids)
    assert known is not None
    assert known.solvable == ceiling(GRID, ids).solvable
