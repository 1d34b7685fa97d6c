"""Notices about compiling: an estimate before it, by device, and the true time after it."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import warp as wp

from tumble.scene.kernel_cache import is_intact

SILENT_SECONDS = 1.5
"""Compiling that takes longer than this is announced."""

_quiet = False


@dataclass(frozen=True)
class Compiling:
    """What is compiled, and the fewest and most seconds that it took on the machines that we measured."""

    what: str
    cpu_seconds: tuple[int, int]
    gpu_seconds: tuple[int, int]

    def estimate(self, device: Any) -> str:
        """The notice before compiling."""
        low, high = self.cpu_seconds if device.is_cpu else self.gpu_seconds
        return f"tumble: compiling {self.what} for {device}, once; it usually takes {low} to {high} seconds"


PHYSICS = Compiling("the physics with this rule", (8, 30), (10, 30))


@contextmanager
def announced(compiling: Compiling, modules: Sequence[Any], device: Any, block_dim: int) -> Iterator[None]:
    """Announces on the error stream that modules are compiled meanwhile, where that takes long, and then its time.

    Modules that are in Warp's cache are loaded without a notice.
    """
    if _quiet or all(is_compiled(module, device, block_dim) for module in modules):
        yield
        return
    printed: list[str] = []

    def announce() -> None:
        printed.append(compiling.estimate(device))
        _print(printed[0])

    start = time.monotonic()
    notice = Timer(SILENT_SECONDS, announce)
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
    if printed:
        _print(f"tumble: compiled in {time.monotonic() - start:.0f} seconds; `tumble warmup` does it beforehand")


def is_compiled(module: Any, device: Any, block_dim: int) -> bool:
    """Whether Warp's cache has a module for a device."""
    folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(1 if device.is_cpu else block_dim)
    pattern = "*.o" if device.is_cpu else f"*.sm{device.arch}*"
    return any(folder.glob(pattern)) and is_intact(folder)


@contextmanager
def without_notices() -> Iterator[None]:
    """Compiles without notices meanwhile: the caller shows what happens."""
    global _quiet
    before, _quiet = _quiet, True
    try:
        yield
    finally:
        _quiet = before


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
