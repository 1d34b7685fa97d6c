"""Keeps Warp from printing its banner and build times, and that there is no GPU; its errors still show."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import warp as wp

NO_GPU = "Could not find or load the NVIDIA CUDA driver"
"""Warp's native code says so on every machine without a GPU, whatever its log level."""


def hush() -> None:
    """Raises Warp's log level, unless somebody already chose one, and starts it."""
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_ERROR
    with _without_lines(NO_GPU):
        wp.init()


@contextmanager
def _without_lines(unwanted: str) -> Iterator[None]:
    """Lets all but some lines through to the error stream, also what native code writes."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as kept:
        stream = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stream, 2)
            kept.seek(0)
            shown = [line for line in kept.read().splitlines(keepends=True) if unwanted.encode() not in line]
            os.write(2, b"".join(shown))
            os.close(stream)
