"""Selections of tasks for models."""

from typing import Any

import pytest

from tumble.errors import TumbleError
from tumble.phyre.catalogue.tasks_by_id import fold, template_of
from tumble.phyre.llm.puzzle_set import PhyrePuzzles


def test_by_default_the_test_tasks_of_all_templates_are_asked() -> None:
    puzzles = PhyrePuzzles({})
    assert list(puzzles.ids) == fold("ball_within_template", 0).test
    assert len({template_of(task_id) for task_id in puzzles.ids}) == 25
    assert puzzles.settings.attempts == 10


def test_settings_and_folds_select_as_run_specifications_do() -> None:
    puzzles = PhyrePuzzles({"setting": "two_balls_cross_template", "fold": 3, "split": "validation"})
    assert list(puzzles.ids) == fold("two_balls_cross_template", 3).validation
    assert puzzles.settings.tier == "2B"


def test_a_limit_is_spread_over_templates() -> None:
    ids = PhyrePuzzles({"tier": "2-balls", "limit": 25}).ids
    assert len(ids) == len({template_of(task_id) for task_id in ids}) == 25


def test_ids_are_asked_in_their_order() -> None:
    assert list(PhyrePuzzles({"ids": ["00101:000", "00100:000"]}).ids) == ["00101:000", "00100:000"]


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        ({"tier": "3-balls"}, "no tier '3-balls'; there are ball, 2-balls"),
        ({"tier": "ball", "setting": "two_balls_cross_template"}, "setting is of tier 2B, tier of tier B"),
        ({"tier": "ball", "ids": ["00100:000"]}, "task 00100:000 is of tier 2B, tier of tier B"),
        ({"ids": ["00000:000"], "setting": "ball_cross_template"}, "give a setting, or ids"),
        ({"ids": ["00000:000", "00000:000"]}, "ids: each task once"),
        ({"ids": ["00000:000", "nonsense"]}, "no task 'nonsense'"),
        ({"fold": 10}, "no fold 10"),
        ({"split": "train"}, "no split 'train'"),
        ({"grid": "5x5"}, "no grid '5x5'"),
        ({"grid": "5x0x5"}, "no grid '5x0x5'"),
        ({"attempts": 0}, "attempts"),
        ({"mode": "video"}, "mode"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_selections_are_refused_in_words(selection: dict[str, Any], problem: str) -> None:
    with pytest.raises(TumbleError, match=problem):
        PhyrePuzzles(selection)
