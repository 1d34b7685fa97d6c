"""Folds are those published, and the balanced ones are balanced."""

import json
import lzma
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from tumble import phyre
from tumble.phyre.tasks.splits import template_of

IDS = phyre.task_ids("B")


@pytest.mark.parametrize("setting", phyre.SETTINGS)
def test_folds_are_the_published_ones(setting: str, shared_data: Path) -> None:
    with lzma.open(shared_data / "phyre" / "official_tasks.json.xz", "rt") as stream:
        tasks = json.load(stream)
    published = json.loads((shared_data / "phyre" / "official_folds.json").read_text())
    ids = [task_id for task_id, task in tasks.items() if task["tier"] == phyre.SETTINGS[setting].tier]
    for number in range(10):
        fold, expected = phyre.fold(setting, number, ids), published[f"{setting}/{number}"]
        for part, members in (("train", fold.train), ("dev", fold.validation), ("test", fold.test)):
            assert len(members) == expected[part]["count"]
            assert sha256("\n".join(members).encode()).hexdigest() == expected[part]["sha256"]


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("setting", phyre.SETTINGS)
def test_every_task_is_in_one_part_of_a_fold(setting: str, balanced: bool) -> None:
    for number in range(10):
        fold = phyre.fold(setting, number, IDS, balanced)
        assert sorted(fold.train + fold.validation + fold.test) == IDS
        assert (len(fold.train), len(fold.validation), len(fold.test)) == (1600, 400, 500)
        assert fold.train_for_test == sorted(set(IDS) - set(fold.test))


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


def test_unknown_settings_and_folds_are_rejected() -> None:
    with pytest.raises(ValueError, match="ball_within_template"):
        phyre.fold("ball_outside_template", 0, IDS)
    with pytest.raises(ValueError, match="0 to 9"):
        phyre.fold("ball_cross_template", 10, IDS)
