"""What a library does to the processor's floating point mode changes no result: it is undone, or refused."""

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import warp as wp

from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options
from tumble.scene.warp_setup import FloatModeError, check_rounding, silence_warp

silence_warp()
LIBM = ctypes.CDLL(None)
ARM = platform.machine() in ("aarch64", "arm64")
ROUNDINGS = [0x400000, 0x800000, 0xC00000] if ARM else [0x800, 0x400, 0xC00]
"""C's FE_UPWARD, FE_DOWNWARD and FE_TOWARDZERO."""
SUBNORMAL = np.array([1e-39], np.float32)


@wp.kernel(module="unique")
def halve(values: wp.array(dtype=float), halves: wp.array(dtype=float)):  # type: ignore[no-untyped-def, valid-type]
    halves[wp.tid()] = values[wp.tid()] * 0.5


def halved(values: np.ndarray) -> np.ndarray:
    arrays = [wp.array(one, dtype=float, device="cpu", copy=False) for one in (values, np.zeros_like(values))]
    wp.launch(halve, dim=len(values), inputs=arrays, device="cpu")
    return np.array(arrays[1].numpy().view(np.uint32))


@contextmanager
def rounding(direction: int) -> Iterator[None]:
    before = LIBM.fegetround()
    assert LIBM.fesetround(direction) == 0
    try:
        yield
    finally:
        LIBM.fesetround(before)


@contextmanager
def without_subnormals() -> Iterator[None]:
    """The mode of a process that has loaded a library compiled with -ffast-math."""
    before, changed = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
    LIBM.fegetenv(before)
    LIBM.fegetenv(changed)
    place, bits = (0, 1 << 24) if ARM else (28, 0x8040)
    register = ctypes.c_uint32.from_buffer(changed, place)
    register.value |= bits
    LIBM.fesetenv(changed)
    try:
        yield
    finally:
        LIBM.fesetenv(before)


@pytest.mark.parametrize("direction", ROUNDINGS)
def test_nothing_is_computed_with_another_rounding(direction: int) -> None:
    halved(SUBNORMAL)
    with rounding(direction):
        with pytest.raises(FloatModeError, match="does not round to nearest"):
            check_rounding()
        with pytest.raises(FloatModeError, match=r"fesetround\(FE_TONEAREST\)"):
            halved(SUBNORMAL)
        with pytest.raises(FloatModeError, match="results would differ"):
            Machine(Options())
        with pytest.raises(FloatModeError):
            silence_warp()
    check_rounding()
    assert Machine(Options()).is_cpu


@pytest.mark.skipif(platform.system() != "Linux", reason="knows the layout of C's fenv_t on Linux only")
def test_kernels_have_subnormal_numbers_where_the_process_has_none() -> None:
    expected = halved(SUBNORMAL)
    assert expected != 0
    with without_subnormals():
        assert SUBNORMAL * np.float32(0.5) == 0.0
        assert (halved(SUBNORMAL) == expected).all()
        assert SUBNORMAL * np.float32(0.5) == 0.0, "the mode of the process is its own"
