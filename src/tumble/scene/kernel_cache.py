"""Warp's cache of compiled kernels: what a kill, a full disk or anything else has damaged is compiled again.

Warp loads whatever it finds in its cache, and a process that loads a cut object file crashes. So each compiled file has
a seal, an empty file whose name is the file's SHA-256, which is there before the compiled file is:

    wp_paint_7789c48/wp_paint_7789c48.cpufb5ef6e7.o
    tumble-seals/66ee8b60…

A file without a seal is removed before Warp looks for it.
"""

import hashlib
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any
from uuid import uuid4

import warp as wp

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
        folder = _cache() if output_dir is None else Path(output_dir)
        if folder.parent == _cache():
            remove_damaged(folder)
        return _explaining_failures(lambda: compile_module(self, device, output_dir, *args, **kwargs))

    module._write_meta = staticmethod(write_meta_and_seals)
    module._compile = compile_what_is_not_intact


def seal_folder(folder: Path) -> None:
    """Makes the seals of all compiled files in a folder."""
    seals = _cache() / SEALS
    seals.mkdir(parents=True, exist_ok=True)
    for file in _compiled_files(folder):
        (seals / _digest(file)).touch()


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
    folder = _cache() if wp.config.kernel_cache_dir else error.filename
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
    probe = _cache() / f".{uuid4().hex}"
    try:
        probe.write_bytes(bytes(PROBE_BYTES))
    except OSError as error:
        raise unusable_cache(error) from None
    finally:
        probe.unlink(missing_ok=True)


def _cache() -> Path:
    return Path(wp.config.kernel_cache_dir)


def _compiled_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*") if file.suffix in SEALED)


def _has_seal(file: Path) -> bool:
    return (_cache() / SEALS / _digest(file)).exists()


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
