"""What all tests share: the optional data folder and the handling of GPU tests."""

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from browser_page import DESKTOP, DISCONNECTED, PHONE, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from published import Published

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
"""Names of the system's browser for tests of pages; without one it is Playwright's own."""

settings.register_profile("tumble", deadline=None)  # time limits of examples fail on busy machines
settings.load_profile("tumble")

if "PYTEST_XDIST_WORKER" in os.environ:  # another worker uses the other core: PyTorch would slow both down
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def _folder_of_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The folder that all workers of a test run share, for what is made once; theirs lie in it."""
    folder = tmp_path_factory.getbasetemp()
    os.environ["TUMBLE_TEST_RUN"] = str(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)


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


@pytest.fixture(scope="session")
def published(shared_data: Path) -> "Published":
    """The published PHYRE tasks, read once in each process: that takes six seconds."""
    from published import Published

    if not (shared_data / "phyre").is_dir():
        pytest.skip(f"needs the published PHYRE data: no folder {shared_data / 'phyre'}")
    return Published()


@cache
def _cuda_devices() -> int:
    import warp as wp

    from tumble.scene.warp_setup import silence_warp

    silence_warp()
    return int(wp.get_cuda_device_count())


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not _cuda_devices():
        pytest.skip("needs a GPU: Warp sees no CUDA device")


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """The system's Chromium, driven by Playwright, whose event loop must not outlive the module."""
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    with api.sync_playwright() as playwright:
        if program is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("needs Chromium: make browser")
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: "Browser", address: str, request: pytest.FixtureRequest) -> "Iterator[Page]":
    """A page of the module's `address`; the module may have BROWSER_OPTIONS, and EXPECTED words of errors."""
    yield from _opened(chromium, address, DESKTOP, request)


@pytest.fixture
def phone(chromium: "Browser", address: str, request: pytest.FixtureRequest) -> "Iterator[Page]":
    """The same at the size of a phone."""
    yield from _opened(chromium, address, PHONE, request)


def _opened(
    chromium: "Browser", address: str, size: dict[str, Any], request: pytest.FixtureRequest
) -> "Iterator[Page]":
    options = getattr(request.module, "BROWSER_OPTIONS", {})
    expected = getattr(request.module, "EXPECTED", (DISCONNECTED,))
    yield from opened(chromium, address, {**size, **options}, expected)
