"""The shared dataset with two of its sets, for tests of exports that take long for each set."""

from generated_dataset import made

from tumble.comphy.dataset.load import Dataset, open_dataset


def few_sets() -> Dataset:
    """A dataset with the last set that is not for testing, and the last that is."""
    data = open_dataset(made())
    kept = [max(set(data.indices()) - set(data.indices("test"))), data.indices("test")[-1]]
    data.splits = {index: data.splits[index] for index in sorted(kept)}
    return data
