"""Folds are those published, and the balanced ones are balanced."""

import json
import lzma
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tumble import phyre
from tumble.errors import TumbleError
from tumble.phyre.catalogue.tasks_by_id import template_of

IDS = phyre.task_ids("B")


FOLDS = json.loads((Path(__file__).parent / "published_folds.json").read_text(encoding="ascii"))
"""Sizes and SHA-256 of the parts of the published folds; `benchmarks/fidelity/fidelity.py` wrote them."""


@pytest.mark.parametrize("setting", phyre.SETTINGS)
def test_folds_are_the_published_ones(setting: str) -> None:
    for number in range(10):
        fold, expected = phyre.fold(setting, number), FOLDS[f"{setting}/{number}"]
        for part, members in (("train", fold.train), ("dev", fold.validation), ("test", fold.test)):
            assert len(members) == expected[part]["count"]
            assert sha256("\n".join(members).encode()).hexdigest() == expected[part]["sha256"]


def test_the_reference_data_has_the_same_folds_and_tasks(shared_data: Path) -> None:
    published = json.loads((shared_data / "phyre" / "official_folds.json").read_text(encoding="utf-8"))
    assert {name: {part: fold[part] for part in ("train", "dev", "test")} for name, fold in published.items()} == FOLDS
    with lzma.open(shared_data / "phyre" / "official_tasks.json.xz", "rt") as stream:
        assert sorted(json.load(stream)) == sorted(phyre.task_ids())


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("setting", phyre.SETTINGS)
def test_every_task_is_in_one_part_of_a_fold(setting: str, balanced: bool) -> None:
    ids = phyre.task_ids(phyre.SETTINGS[setting].tier)
    for number in range(10):
        fold = phyre.fold(setting, number, balanced=balanced)
        assert sorted(fold.train + fold.validation + fold.test) == ids
        assert (len(fold.train), len(fold.validation), len(fold.test)) == (1600, 400, 500)
        assert fold.train_for_test == sorted(set(ids) - set(fold.test))


def test_across_templates_no_template_is_both_known_and_tested() -> None:
    fold = phyre.fold("ball_cross_template", 3, IDS)
    assert not {template_of(task_id) for task_id in fold.test} & {template_of(i) for i in fold.train_for_test}


def test_balanced_folds_test_every_template_twice() -> None:
    tested = Counter(
        template
        for number in range(10)
        for template in {template_of(i) for i in phyre.fold("ball_cross_template", number, IDS, balanced=True).test}
    )
    assert set(tested.values()) == {2}
    assert len(tested) == 25


def test_balanced_folds_test_every_task_twice() -> None:
    folds = [phyre.fold("ball_within_template", number, IDS, balanced=True) for number in range(10)]
    assert set(Counter(task_id for fold in folds for task_id in fold.test).values()) == {2}


def test_balanced_folds_have_settings_of_their_own() -> None:
    assert phyre.fold("ball_cross_template_balanced", 3) == phyre.fold("ball_cross_template", 3, balanced=True)
    assert phyre.fold("ball_cross_template_balanced", 3) != phyre.fold("ball_cross_template", 3)


def test_tasks_of_the_setting_are_the_default_and_a_dictionary_by_id_will_do() -> None:
    expected = phyre.fold("ball_within_template", 1, IDS)
    assert phyre.fold("ball_within_template", 1) == expected
    assert phyre.fold("ball_within_template", 1, phyre.tasks("B")) == expected


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("ball_outside_template", 0),
            "no setting 'ball_outside_template'; there are ball_cross_template, ball_within",
        ),
        ((["ball_within_template"], 0), "no setting"),
        (("ball_cross_template", 10), "fold must be a whole number from 0 to 9, not 10"),
        (("ball_cross_template", -1), "fold must be a whole number from 0 to 9, not -1"),
        (("ball_cross_template", 1.0), "fold must be a whole number from 0 to 9, not 1.0"),
        (
            ("ball_cross_template", 0, ["00000:000", "00100:000"]),
            "task 00100:000 is of tier 2B, but setting ball_cross",
        ),
        (("two_balls_cross_template", 0, {"00013:042": None}), "task 00013:042 is of tier B"),
        (("ball_cross_template", 0, "00000:000"), "tasks must be a list"),
        (("ball_cross_template", 0, [phyre.task("00000:000")]), "tasks must be ids"),
        (("ball_cross_template", 0, ["00000:000"] * 2), "task 00000:000 is given twice"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        phyre.fold(*arguments)


def test_user_defined_tasks_of_the_other_tier_are_refused() -> None:
    mine = replace(phyre.task("00100:000"), id="mine:000")
    with pytest.raises(TumbleError, match="task mine:000 is of tier 2B"):
        phyre.fold("ball_cross_template", 0, {"mine:000": mine})
