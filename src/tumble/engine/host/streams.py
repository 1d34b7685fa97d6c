"""Streams of a GPU on which kernels run at the same time, and memory that is kept between them.

Warp's own streams wait for CUDA's default stream, on which Warp frees memory: with them, a kernel would wait for those
of other streams whenever an array is freed. So these are made by the driver, as streams that don't. Whoever uses them
must not free an array before the stream is done with it.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import warp as wp

NON_BLOCKING = 1
"""CUDA's CU_STREAM_NON_BLOCKING."""
KEPT_SHARE = 0.5
"""Of a GPU's memory."""


@contextmanager
def kept_memory(device: Any) -> Iterator[None]:
    """Keeps the memory that arrays of a CUDA device free, for others: else it would be given back at every wait."""
    if not wp.is_mempool_enabled(device):
        yield
        return
    before = wp.get_mempool_release_threshold(device)
    wp.set_mempool_release_threshold(device, KEPT_SHARE)
    try:
        yield
    finally:
        wp.set_mempool_release_threshold(device, before)


@cache
def streams_of(name: str, count: int) -> tuple[Any, ...]:
    """Streams of the CUDA device of this name, always the same."""
    device = wp.get_device(name)
    return tuple(wp.Stream(device, cuda_stream=_new_stream(device.context)) for _ in range(count))


def _new_stream(context: int) -> int:
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    stream, previous = ctypes.c_void_p(), ctypes.c_void_p()
    _check(driver.cuCtxPushCurrent_v2(ctypes.c_void_p(context)))
    try:
        _check(driver.cuStreamCreate(ctypes.byref(stream), NON_BLOCKING))
    finally:
        _check(driver.cuCtxPopCurrent_v2(ctypes.byref(previous)))
    assert stream.value is not None
    return stream.value


def _check(result: int) -> None:
    if result:
        raise RuntimeError(f"CUDA's driver could not make a stream: error {result}")
