"""Names of files and published ranges are those of the release; the index of a set decides its split and family."""

from collections import Counter
from pathlib import Path

import pytest

from tumble.comphy.dataset.layout import (
    PUBLISHED_SETS,
    SPLITS,
    Layout,
    LayoutError,
    Split,
    named_split,
    plan_sets,
    planned_set,
    published_set,
    rank_in_split,
    sets_of_split,
)


def ranges(rows: list[tuple[int, str]]) -> list[tuple[int, int, str]]:
    """Runs of consecutive indices with the same words."""
    found: list[tuple[int, int, str]] = []
    for index, words in rows:
        if found and found[-1][2] == words:
            found[-1] = (found[-1][0], index, words)
        else:
            found.append((index, index, words))
    return found


def test_published_sets_have_the_published_ranges() -> None:
    rows = [(index, f"{published_set(index).split} {published_set(index).family}") for index in range(PUBLISHED_SETS)]
    assert ranges(rows) == [
        (0, 3999, "train mass"),
        (4000, 4999, "validation mass"),
        (5000, 5999, "validation charge"),
        (6000, 9999, "train charge"),
        (10000, 10999, "test charge"),
        (11000, 11999, "test mass"),
    ]
    with pytest.raises(LayoutError, match="from 0 to 11999, not 12000"):
        published_set(PUBLISHED_SETS)


def test_generated_sets_have_the_published_proportions() -> None:
    published = Counter((published_set(index).split, published_set(index).family) for index in range(PUBLISHED_SETS))
    assert Counter((row.split, row.family) for row in plan_sets(PUBLISHED_SETS)) == published
    per_round = Counter((row.split, row.family) for row in plan_sets(12))
    assert {key: 1000 * count for key, count in per_round.items()} == published


def test_a_set_does_not_depend_on_the_number_of_sets() -> None:
    assert list(plan_sets(2000))[:100] == list(plan_sets(100)) == [planned_set(index) for index in range(100)]
    assert planned_set(10**12).split in SPLITS


def test_three_sets_have_all_splits_and_both_families() -> None:
    assert {row.split for row in plan_sets(3)} == set(SPLITS)
    assert {row.family for row in plan_sets(3)} == {"mass", "charge"}
    assert planned_set(0).split == "train"


@pytest.mark.parametrize("only", [None, "test"])
def test_sets_are_counted_by_split(only: Split | None) -> None:
    counts: Counter[Split] = Counter()
    for row in plan_sets(50, split=only):
        assert rank_in_split(row.index, only) == counts[row.split]
        counts[row.split] += 1
        for split in SPLITS:
            assert sets_of_split(row.index + 1, split, only) == counts[split]


def test_all_sets_can_be_of_one_split_or_family() -> None:
    assert {row.split for row in plan_sets(50, split="test")} == {"test"}
    assert {row.family for row in plan_sets(50, family="both")} == {"both"}
    assert {row.family for row in plan_sets(50, split="train")} == {"mass", "charge"}


def test_unknown_splits_are_refused() -> None:
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
