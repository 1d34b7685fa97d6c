"""`tumble warmup`: what it compiles, what it remembers, how it fails."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, ClassVar

import pytest
import warp as wp
from typer.testing import CliRunner

import tumble.benchmark
from tumble.benchmark import Benchmark, benchmarks
from tumble.cli import warmup
from tumble.cli.app import app
from tumble.phyq.observation import illustration
from tumble.scene.warp_setup import module_loads, seal_folder, silence_warp

silence_warp()
runner = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"})
EVERYTHING = "Everything was compiled before"


def load_kernel(device: str) -> None:
    """Leaves a module in the cache and says so in Warp's words; compiling takes seconds where the cache is empty."""
    folder = Path(wp.config.kernel_cache_dir) / "wp_double_0a1b2c3"
    how = "cached" if folder.exists() else "compiled"
    folder.mkdir(exist_ok=True)
    (folder / "double.o").write_text("compiled")
    seal_folder(folder)
    wp.get_logger().info(f"Module double 0a1b2c3 load on device '{device}' took 1234.50 ms  ({how})")


class Small(Benchmark):
    """A benchmark with one small kernel."""

    name: ClassVar[str] = "small"
    title: ClassVar[str] = "Small"
    parts: ClassVar[dict[str, Callable[[str], None]]] = {}

    def warmups(self) -> Mapping[str, Callable[[str], None]]:
        return self.parts


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Callable[[str], None]]:
    """The parts of the only benchmark, with an empty cache."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    monkeypatch.setattr(Small, "__abstractmethods__", frozenset())
    monkeypatch.setattr(Small, "parts", {"kernel": load_kernel})
    one: Any = Small()  # type: ignore[abstract]
    monkeypatch.setattr(tumble.benchmark, "installed", lambda: ({"small": one}, ()))
    return Small.parts


def warm_up() -> str:
    result = runner.invoke(app, ["warmup", "--device", "cpu", "--workers", "1"])
    assert result.exit_code == 0, result.output
    return result.output


def test_what_was_compiled_is_not_touched_again(small: dict[str, Callable[[str], None]], tmp_path: Path) -> None:
    first = warm_up()
    assert "Small, kernel, cpu: double compiled in 1.2 s" in first
    assert "Compiled 1 module in" in first
    small["kernel"] = lambda device: pytest.fail("compiled before")
    assert EVERYTHING in warm_up()
    small["kernel"] = load_kernel
    (tmp_path / "wp_double_0a1b2c3" / "double.o").write_text("")
    assert "was compiled before" in warm_up(), "it is loaded, which compiles what is damaged"
    rmtree(tmp_path / "wp_double_0a1b2c3")
    assert "compiled in 1.2 s" in warm_up()


def test_a_part_that_fails_is_named_and_the_others_are_compiled(small: dict[str, Callable[[str], None]]) -> None:
    def broken(device: str) -> None:
        raise ValueError(f"no kernel for {device}")

    small.update({"broken": broken, "kernel": small.pop("kernel")})
    result = runner.invoke(app, ["warmup", "--device", "cpu", "--workers", "1"])
    assert result.exit_code == 1
    assert "Small, broken, cpu: ValueError: no kernel for cpu" in result.output
    assert "Small, kernel, cpu: double compiled in 1.2 s" in result.output


def test_a_device_that_there_is_not_is_refused() -> None:
    result = runner.invoke(app, ["warmup", "--device", "cuda:77"])
    assert result.exit_code == 1
    assert "there is no device 'cuda:77'; this machine has: cpu" in result.output


def test_every_benchmark_has_parts_for_the_cpu() -> None:
    assert "cpu" in warmup.distinct_devices()
    assert {name for name, one in benchmarks().items() if one.warmups()} == {"phyre", "phyq", "comphy"}


def test_the_modules_that_warp_loads_are_found() -> None:
    module = wp.get_module(illustration.__name__)
    module.unload()
    with module_loads() as loads:
        wp.force_load("cpu", [module])
    (load,) = loads
    assert load.name == illustration.__name__
    assert (Path(wp.config.kernel_cache_dir) / load.folder).is_dir()
    assert load.seconds >= 0.0


@pytest.mark.slow  # compiles everything: two minutes
def test_nothing_is_left_to_compile(tmp_path: Path) -> None:
    environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path)}

    def run(*arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    assert "Compiled" in run("-m", "tumble", "warmup", "--device", "cpu")
    assert EVERYTHING in run("-m", "tumble", "warmup", "--device", "cpu")
    modules = set(tmp_path.rglob("wp_*"))
    assert "compiling" not in run("-m", "tumble", "demo", "--out", str(tmp_path / "demo"))
    assert set(tmp_path.rglob("wp_*")) == modules
