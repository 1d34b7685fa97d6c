"""Names of files and ranges of splits are those of the published release."""

from collections import Counter
from pathlib import Path

import pytest

from tumble.comphy.dataset.layout import SPLITS, Layout, LayoutError, named_split, plan_sets


def ranges(rows: list[tuple[int, str]]) -> list[tuple[int, int, str]]:
    """Runs of consecutive indices with the same words."""
    found: list[tuple[int, int, str]] = []
    for index, words in rows:
        if found and found[-1][2] == words:
            found[-1] = (found[-1][0], index, words)
        else:
            found.append((index, index, words))
    return found


def test_all_sets_have_the_published_ranges() -> None:
    rows = [(row.index, f"{row.split} {row.family}") for row in plan_sets(12_000)]
    assert ranges(rows) == [
        (0, 3999, "train mass"),
        (4000, 4999, "validation mass"),
        (5000, 5999, "validation charge"),
        (6000, 9999, "train charge"),
        (10000, 10999, "test charge"),
        (11000, 11999, "test mass"),
    ]


@pytest.mark.parametrize("sets", [*range(6, 40), 100, 500, 2000])
def test_a_smaller_plan_has_every_split_and_mostly_training_sets(sets: int) -> None:
    counts = Counter(row.split for row in plan_sets(sets))
    assert set(counts) == set(SPLITS)
    assert counts["train"] >= sets // 2
    assert [row.index for row in plan_sets(sets)] == list(range(sets))


@pytest.mark.parametrize("sets", [1, 2, 3, 5])
def test_the_smallest_plans_have_training_sets(sets: int) -> None:
    assert Counter(row.split for row in plan_sets(sets))["train"] >= 1
    assert len(plan_sets(sets)) == sets


def test_three_sets_have_both_families() -> None:
    assert {row.family for row in plan_sets(3)} == {"mass", "charge"}


def test_all_sets_can_be_of_one_split_or_family() -> None:
    assert {row.split for row in plan_sets(50, split="test")} == {"test"}
    assert {row.family for row in plan_sets(50, family="both")} == {"both"}
    assert {row.family for row in plan_sets(50, split="train")} == {"mass", "charge"}


def test_no_sets_and_unknown_splits_are_refused() -> None:
    with pytest.raises(LayoutError, match="1 set or more, not 0"):
        plan_sets(0)
    with pytest.raises(LayoutError, match="no split 'dev'; there are train, validation, test"):
        named_split("dev")


def test_files_are_called_as_in_the_release() -> None:
    layout = Layout(Path("d"))
    assert layout.annotation(0) == Path("d/target_annotation/annotation_00000_01000/00000.json")
    assert layout.annotation(11_999, 3) == Path("d/reference_annotation/annotation_11000_12000/11999/3.json")
    assert layout.video(4_000) == Path("d/target/video_04000_05000/sim_04000.mp4")
    assert layout.video(4_000, 2) == Path("d/reference/video_04000_05000/sim_04000_2.mp4")
    assert layout.tracks(42).name == "sim_00042.npy"
    assert [layout.questions(split).name for split in SPLITS] == ["train.json", "val.json", "test.json"]
