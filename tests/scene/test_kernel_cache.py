"""Compiled kernels: what is damaged is compiled again, and what can't be kept is said in one line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import warp as wp

from tumble.engine.host.machine import is_compiled
from tumble.phyq.observation.illustration import __name__
from tumble.scene.warp_setup import SEALS, KernelCacheError, module_loads

MODULE = wp.get_module(__name__)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and the small module not loaded."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    MODULE.unload()
    yield tmp_path
    MODULE.unload()


def load() -> bool:
    """Loads the module; returns whether it was compiled for that."""
    MODULE.unload()
    with module_loads() as loads:
        wp.force_load("cpu", [MODULE])
    (made,) = loads
    assert not made.compiled or is_compiled(MODULE, wp.get_device("cpu"), 1)
    return made.compiled


def test_a_compiled_kernel_that_was_cut_or_changed_is_compiled_again(cache: Path) -> None:
    assert load()
    assert not load()
    (compiled,) = cache.glob("wp_*/*.o")
    (meta,) = cache.glob("wp_*/*.meta")
    whole = compiled.read_bytes()
    damages = [(compiled, b""), (compiled, whole[: len(whole) // 2]), (meta, b"{")]
    damages.append((compiled, whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:]))
    for file, content in damages:
        file.write_bytes(content)
        assert not is_compiled(MODULE, wp.get_device("cpu"), 1)
        assert load(), f"{file.suffix} of {len(content)} bytes"
    assert not load()
    for seal in (cache / SEALS).iterdir():
        seal.unlink()
    assert load(), "it may be from before a power cut"


def test_a_cache_that_cannot_be_written_to_is_one_line(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").touch()
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(cache / "file"))
    with pytest.raises(
        KernelCacheError, match=f"can't be kept in {cache / 'file'}: Not a directory; .*WARP_CACHE_PATH"
    ):
        load()


def test_a_home_that_cannot_be_written_to_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path / "file" / "kernels"), "COLUMNS": "400"}
    options = ["--agent", "random", "--setting", "tasks", "--only", "1.1", "--runs", str(tmp_path)]
    command = [sys.executable, "-m", "tumble", "phyq", "evaluate", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("tumble: compiled kernels can't be kept in ")
    assert line.endswith("set the environment variable WARP_CACHE_PATH to a folder that can be written to")
