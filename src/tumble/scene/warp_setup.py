"""Prepares Warp: silent except for errors, intact kernels in its cache, default floating point mode.

`module_loads` collects the build times that Warp would print.

Warp loads whatever it finds in its cache, and a process that loads a cut object file crashes. So each compiled file
has a seal, an empty file whose name is the file's SHA-256, which is there before the compiled file is:

    wp_paint_7789c48/wp_paint_7789c48.cpufb5ef6e7.o
    tumble-seals/66ee8b60…

A file without a seal, as a kill or a full disk leaves it, is removed before Warp looks for it, and compiled again.

Libraries compiled with -ffast-math have the processor take subnormal numbers for zero as soon as they are loaded; our
kernels run with subnormal numbers nevertheless. Another rounding than to nearest changes more than kernels, from the
scenes of tasks on, so nothing is computed with it. Both hold for a thread and for those it starts.
"""

import ctypes
import hashlib
import os
import re
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any
from uuid import uuid4

import warp as wp
from warp._src import context  # the release of Warp is pinned

from tumble.errors import TumbleError

SEALS = "tumble-seals"
SEALED = (".o", ".cubin", ".ptx", ".meta")
"""Suffixes of the files that Warp reads; the others are sources."""
PROBE_BYTES = 1 << 20
"""Written to find out why compiling failed: kernels are smaller."""


class KernelCacheError(TumbleError):
    """A folder in which compiled kernels can't be kept."""


def guard_cache(module: Any) -> None:
    """Has a class of Warp, that of modules, keep and check seals; repeated calls change nothing."""
    if hasattr(module._compile, "__wrapped__"):
        return
    write_meta, compile_module = module._write_meta, module._compile

    @wraps(write_meta)
    def write_meta_and_seals(path: str | os.PathLike[str], meta: dict[str, Any]) -> None:
        write_meta(path, meta)
        seal_folder(Path(path).parent)  # that of this process, before it becomes the one that all read

    @wraps(compile_module)
    def compile_what_is_not_intact(
        self: Any, device: Any = None, output_dir: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        folder = _cache_folder() if output_dir is None else Path(output_dir)
        if folder.parent == _cache_folder():
            remove_damaged(folder)
        return _explaining_failures(lambda: compile_module(self, device, output_dir, *args, **kwargs))

    module._write_meta = staticmethod(write_meta_and_seals)
    module._compile = compile_what_is_not_intact


def seal_folder(folder: Path) -> None:
    """Makes the seals of all compiled files in a folder."""
    seals = _cache_folder() / SEALS
    seals.mkdir(parents=True, exist_ok=True)
    for file in _compiled_files(folder):
        (seals / _file_digest(file)).touch()


def is_intact(folder: Path) -> bool:
    """Whether a folder of the cache has compiled files, and all of them their seals."""
    files = _compiled_files(folder)
    return bool(files) and all(map(_has_seal, files))


def remove_damaged(folder: Path) -> None:
    """Removes compiled files without a seal from a folder of the cache."""
    for file in _compiled_files(folder):
        try:
            if not _has_seal(file):
                file.unlink()
        except FileNotFoundError:  # another process has removed it
            continue
        except OSError as error:
            raise unusable_cache(error) from None


def unusable_cache(error: OSError) -> KernelCacheError:
    """What to do about a folder in which compiled kernels can't be kept."""
    folder = _cache_folder() if wp.config.kernel_cache_dir else error.filename
    return KernelCacheError(
        f"compiled kernels can't be kept in {folder}: {error.strerror or error}; set the environment variable "
        "WARP_CACHE_PATH to a folder that can be written to"
    )


def _explaining_failures(compile_module: Callable[[], Any]) -> Any:
    """Compiles; says so where it fails because files can't be written, which compilers do not tell."""
    try:
        return compile_module()
    except OSError as error:
        raise unusable_cache(error) from None
    except TumbleError:
        raise
    except Exception:
        _try_writing()
        raise


def _try_writing() -> None:
    """Raises a KernelCacheError if a file as large as kernels can't be written."""
    probe = _cache_folder() / f".{uuid4().hex}"
    try:
        probe.write_bytes(bytes(PROBE_BYTES))
    except OSError as error:
        raise unusable_cache(error) from None
    finally:
        probe.unlink(missing_ok=True)


def _cache_folder() -> Path:
    return Path(wp.config.kernel_cache_dir)


def _compiled_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*") if file.suffix in SEALED)


def _has_seal(file: Path) -> bool:
    return (_cache_folder() / SEALS / _file_digest(file)).exists()


def _file_digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


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
    library = _math_library()
    before = ctypes.create_string_buffer(_STATE_BYTES)
    library.fegetenv(before)
    library.fesetenv(_default_float_mode())
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
def _math_library() -> Any:
    """C's library of mathematics, which Python has loaded."""
    library = ctypes.CDLL(None)
    for function in (library.fegetenv, library.fesetenv):
        function.argtypes = [ctypes.c_void_p]
    return library


@cache
def _default_float_mode() -> ctypes.c_void_p:
    """C's FE_DFL_ENV: the address of a variable on macOS, a number that is no address elsewhere."""
    try:
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_math_library(), "_FE_DFL_ENV")))
    except ValueError:
        return ctypes.c_void_p(-1)


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
