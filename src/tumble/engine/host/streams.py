"""Streams of a GPU on which kernels run at the same time.

Warp's own streams wait for CUDA's default stream, on which Warp frees memory: with them, a kernel would wait for those
of other streams whenever an array is freed. So these are made by the driver, as streams that don't. Whoever uses them
must not free an array before the stream is done with it.
"""

import ctypes
import sys
from functools import cache
from typing import Any

import warp as wp

NON_BLOCKING = 1
"""CUDA's CU_STREAM_NON_BLOCKING."""


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
