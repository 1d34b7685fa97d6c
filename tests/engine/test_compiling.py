"""Notices about compiling: only where something is compiled, with an estimate by device and then the true time."""

import time
from pathlib import Path
from typing import Any

import pytest
import warp as wp

from tumble.engine.host import machine
from tumble.engine.host.machine import Compiling, announced, without_notices
from tumble.scene.warp_setup import seal_folder, silence_warp

silence_warp()  # sets the cache that tests replace
WHAT = Compiling("a kernel", (1, 2), (3, 4))


class Device:
    """As Warp's devices are."""

    def __init__(self, name: str, arch: int = 90) -> None:
        self.name, self.arch, self.is_cpu = name, arch, name == "cpu"

    def __str__(self) -> str:
        return self.name


class Module:
    """As Warp's modules are."""

    def get_module_identifier(self, block_dim: int) -> str:
        return f"wp_kernel_{block_dim}"


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, and no patience."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr(machine, "SILENT_SECONDS", 0.01)
    return tmp_path


def compile_slowly(device: Device, capsys: pytest.CaptureFixture[str], seconds: float = 0.1) -> str:
    modules: list[Any] = [Module()]
    with announced(WHAT, modules, device, 512):
        time.sleep(seconds)
    return capsys.readouterr().err


@pytest.mark.parametrize(("device", "estimate"), [("cpu", "1 to 2 seconds"), ("cuda:0", "3 to 4 seconds")])
@pytest.mark.usefixtures("cache")
def test_the_estimate_is_that_of_the_device(device: str, estimate: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = compile_slowly(Device(device), capsys).splitlines()
    assert before == f"tumble: compiling a kernel for {device}, once; it usually takes {estimate}"
    assert after.startswith("tumble: compiled in 0 seconds")


@pytest.mark.parametrize(
    ("device", "file"), [("cpu", "wp_kernel_1/a.cpu12.o"), ("cuda:0", "wp_kernel_512/a.sm90.cubin")]
)
def test_slow_loading_from_the_cache_is_not_called_compiling(
    device: str, file: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / file).parent.mkdir()
    (cache / file).touch()
    assert compile_slowly(Device(device), capsys) != "", "it is damaged"
    seal_folder((cache / file).parent)
    assert compile_slowly(Device(device), capsys) == ""
    assert compile_slowly(Device("cuda:0", arch=80), capsys) != ""


@pytest.mark.usefixtures("cache")
def test_without_notices_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with without_notices():
        assert compile_slowly(Device("cpu"), capsys) == ""
    assert compile_slowly(Device("cpu"), capsys) != ""


@pytest.mark.usefixtures("cache")
def test_quick_compiling_is_not_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(machine, "SILENT_SECONDS", 60.0)
    assert compile_slowly(Device("cpu"), capsys) == ""
