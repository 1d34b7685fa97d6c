"""What all tests share: the optional data folder and the handling of GPU tests."""

import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

if "PYTEST_XDIST_WORKER" in os.environ:  # another worker uses the other core: PyTorch would slow both down
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of published reference data: $TUMBLE_SHARED, else `shared` beside the checkout."""
    named = os.environ.get("TUMBLE_SHARED")
    if named:
        folder = Path(named)
        if not folder.is_dir():
            pytest.fail(f"TUMBLE_SHARED={named} is not a folder")
        return folder
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs reference data: no folder {folder}, and TUMBLE_SHARED is not set")
    return folder


@cache
def _cuda_devices() -> int:
    import warp as wp

    from tumble.scene.warp_log import silence_warp

    silence_warp()
    return int(wp.get_cuda_device_count())


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not _cuda_devices():
        pytest.skip("needs a GPU: Warp sees no CUDA device")
