"""Where the tests of ComPhy keep the dataset that they share."""

import os

import generated_dataset
import pytest


@pytest.fixture(scope="session", autouse=True)
def _shared_dataset(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All workers of a test run share one dataset: their temporary folders lie side by side."""
    folder = tmp_path_factory.getbasetemp()
    generated_dataset.folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "comphy-dataset"
