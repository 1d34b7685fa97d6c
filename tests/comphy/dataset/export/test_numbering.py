"""Sets get the numbers that published programs expect of their split and family."""

import pytest
from generated_dataset import made

from tumble.comphy.catalogue.video_set import Family
from tumble.comphy.dataset.export.folder import CLEVRER_RANGES, COMPHY_RANGES, new_numbers
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import Dataset, open_dataset


def dataset(members: list[tuple[Split, Family]]) -> Dataset:
    data = open_dataset(made())
    data.splits = {k: split for k, (split, _) in enumerate(members)}
    data.families = {k: family for k, (_, family) in enumerate(members)}
    return data


MEMBERS: list[tuple[Split, Family]] = [
    ("test", "mass"),
    ("train", "charge"),
    ("validation", "charge"),
    ("train", "mass"),
    ("test", "charge"),
    ("validation", "mass"),
    ("train", "mass"),
    ("train", "both"),
]


def test_numbers_follow_split_and_family_without_gaps() -> None:
    numbers = new_numbers(dataset(MEMBERS), COMPHY_RANGES)
    assert numbers == {3: 0, 6: 1, 5: 4000, 2: 4001, 1: 6000, 7: 6001, 4: 10000, 0: 10001}
    assert new_numbers(dataset(MEMBERS), CLEVRER_RANGES) == {
        **{3: 0, 6: 1, 1: 2, 7: 3},
        **{5: 10000, 2: 10001},
        **{0: 15000, 4: 15001},
    }


def test_a_full_dataset_is_numbered_as_published() -> None:
    published: list[tuple[Split, Family]] = [
        *[("train", "mass")] * 4000,
        *[("validation", "mass")] * 1000,
        *[("validation", "charge")] * 1000,
        *[("train", "charge")] * 4000,
        *[("test", "charge")] * 1000,
        *[("test", "mass")] * 1000,
    ]
    assert new_numbers(dataset(published), COMPHY_RANGES) == {k: k for k in range(12_000)}
    assert sorted(new_numbers(dataset(published[::-1]), COMPHY_RANGES).values()) == list(range(12_000))


def test_a_full_range_is_an_error() -> None:
    with pytest.raises(
        DataError, match=r"4,001 sets of mass in the split train, but only 4,000 numbers for them .0 to 3999."
    ):
        new_numbers(dataset([("train", "mass")] * 4001), COMPHY_RANGES)
