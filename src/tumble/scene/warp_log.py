"""Silences Warp: no banner, no build times, no warning that there is no GPU. Its errors still show."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import warp as wp

NO_GPU = "Could not find or load the NVIDIA CUDA driver"
"""What Warp's native code prints on every machine without a GPU, whatever its log level."""


def silence_warp() -> None:
    """Initialises Warp with its log level raised to errors, unless the user has set one."""
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_ERROR
    with _without_lines(NO_GPU):
        wp.init()


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
