"""Results do not depend on the floating point mode that a process was put into.

Libraries compiled with -ffast-math have the processor take subnormal numbers for zero as soon as they are loaded; our
kernels run with subnormal numbers nevertheless. Another rounding than to nearest changes more than kernels, from the
scenes of tasks on, so nothing is computed with it. Both hold for a thread and for those it starts.
"""

import ctypes
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

from tumble.errors import TumbleError

_ONE, _TINY = 1.0, 2.0**-60
(_SUBNORMAL,) = struct.unpack("<d", b"\x01" + bytes(7))  # a literal is 0 where this file is compiled in such a mode
_STATE_BYTES = 256
"""More than C's `fenv_t` takes anywhere."""


class FloatModeError(TumbleError):
    """A floating point mode in which results would differ."""


def check_rounding() -> None:
    """Raises a FloatModeError unless this thread rounds to nearest."""
    if _ONE + _TINY != _ONE or _ONE - _TINY != _ONE:
        raise FloatModeError(
            "this process does not round to nearest, so that results would differ: a library or its own code has "
            "called fesetround; call fesetround(FE_TONEAREST) before anything of Tumble is used"
        )


@contextmanager
def with_subnormals() -> Iterator[None]:
    """Computes with subnormal numbers meanwhile, then as before."""
    if _SUBNORMAL * 4.0 != 0.0:
        yield
        return
    library = _library()
    before = ctypes.create_string_buffer(_STATE_BYTES)
    library.fegetenv(before)
    library.fesetenv(_default_state())
    try:
        if _SUBNORMAL * 4.0 == 0.0:
            raise FloatModeError(
                "a library of this process has turned subnormal numbers off, and they can't be turned on again, so "
                "that results would differ: import that library in another process"
            )
        yield
    finally:
        library.fesetenv(before)


def guard_launches(context: Any) -> None:
    """Has all that Warp launches on the CPU run in the default mode; costs a tenth of a microsecond each.

    `context` is Warp's module of launches. Repeated calls change nothing.
    """
    for name in ("invoke", "invoke_cpu_blocks"):
        function = getattr(context, name)
        if not hasattr(function, "__wrapped__"):
            setattr(context, name, _in_default_mode(function))


def _in_default_mode(launch: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(launch)
    def run(*arguments: Any) -> Any:
        if _ONE + _TINY == _ONE and _ONE - _TINY == _ONE and _SUBNORMAL * 4.0 != 0.0:
            return launch(*arguments)
        check_rounding()
        with with_subnormals():
            return launch(*arguments)

    return run


@cache
def _library() -> Any:
    """C's library of mathematics, which Python has loaded."""
    library = ctypes.CDLL(None)
    for function in (library.fegetenv, library.fesetenv):
        function.argtypes = [ctypes.c_void_p]
    return library


@cache
def _default_state() -> ctypes.c_void_p:
    """C's FE_DFL_ENV: the address of a variable on macOS, a number that is no address elsewhere."""
    try:
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_library(), "_FE_DFL_ENV")))
    except ValueError:
        return ctypes.c_void_p(-1)
