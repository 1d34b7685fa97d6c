"""Prepares Warp: silent except for errors, and with intact kernels that run in the default floating point mode.

`module_loads` collects the build times that it would print.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import warp as wp
from warp._src import context  # the release of Warp is pinned

from tumble.scene.float_mode import check_rounding, guard_launches
from tumble.scene.kernel_cache import guard_cache, unusable_cache

NO_GPU = "Could not find or load the NVIDIA CUDA driver"
"""What Warp's native code prints on every machine without a GPU, whatever its log level."""


def silence_warp() -> None:
    """Initialises Warp with its log level raised to errors, unless the user has set one."""
    check_rounding()  # constants of kernels are computed next
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_ERROR
    try:
        with _without_lines(NO_GPU):
            wp.init()
    except OSError as error:
        raise unusable_cache(error) from None
    guard_launches(context)
    guard_cache(context.Module)


@contextmanager
def _without_lines(unwanted: str) -> Iterator[None]:
    """Filters lines with this text out of the error stream, including what native code writes."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as captured:
        stream = os.dup(2)
        os.dup2(captured.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stream, 2)
            captured.seek(0)
            lines = [line for line in captured.read().splitlines(keepends=True) if unwanted.encode() not in line]
            os.write(2, b"".join(lines))
            os.close(stream)


@dataclass(frozen=True)
class ModuleLoad:
    """A Warp module that was loaded onto a device."""

    name: str
    folder: str
    """In Warp's cache."""
    seconds: float
    compiled: bool
    """Or else it was in the cache before."""


_LOADED = re.compile(r"\s*Module (\S+) (\w+) load on device '.*' took ([\d.]+) ms +\((compiled|cached)\)")


class _LoadLogger:
    """Collects Warp's messages about loaded modules; all others go on to another logger, except information."""

    def __init__(self, inner: wp.Logger) -> None:
        self.inner = inner
        self.loads: list[ModuleLoad] = []

    def info(self, message: str) -> None:
        found = _LOADED.match(message)
        if found:
            folder = f"wp_{found[1]}_{found[2]}"
            self.loads.append(ModuleLoad(found[1], folder, float(found[3]) / 1000.0, found[4] == "compiled"))

    def debug(self, message: str) -> None:
        self.inner.debug(message)

    def warning(self, message: str, category: Any = None, stacklevel: int = 1) -> None:
        self.inner.warning(message, category, stacklevel)

    def error(self, message: str) -> None:
        self.inner.error(message)


@contextmanager
def module_loads() -> Iterator[list[ModuleLoad]]:
    """A list of the modules that are loaded meanwhile, in the order in which they are ready."""
    level = wp.config.log_level
    logger = _LoadLogger(wp.get_logger())
    wp.config.log_level = min(level, wp.LOG_INFO - 1)  # which `silence_warp` leaves as it is
    try:
        with wp.ScopedLogger(logger):
            yield logger.loads
    finally:
        wp.config.log_level = level
