"""Faults of the file system that a process makes for itself, by a library that is loaded before C's (fault_shim.c).

with armed(folder, fault):
    …  # calls that change files of the folder are counted, and the one that the fault names fails
"""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("fault_shim.c")
VARIABLE = "TUMBLE_FAULT_SHIM"
"""Of the environment of a process that has the library: its path."""
KINDS = ("open", "create", "write", "sync", "rename", "truncate", "remove", "folder")
"""Kinds of calls, in the order in which the library numbers them."""


@dataclass(frozen=True)
class Mode:
    """A way in which calls fail: which can, with which error, and what fails from then on."""

    name: str
    error: int
    kinds: frozenset[str]
    lasting: frozenset[str] = frozenset()
    cut: bool = False


_TAKES_SPACE = frozenset({"create", "write", "sync", "folder"})
MODES = (
    Mode("EIO once", errno.EIO, frozenset(KINDS)),
    Mode("EIO from then on", errno.EIO, frozenset(KINDS), frozenset(KINDS)),
    Mode("ENOSPC once", errno.ENOSPC, _TAKES_SPACE | {"rename"}),
    Mode("ENOSPC from then on", errno.ENOSPC, _TAKES_SPACE | {"rename"}, _TAKES_SPACE),
    Mode("a short write", errno.EIO, frozenset({"write"}), cut=True),
    Mode("a short write, then ENOSPC", errno.ENOSPC, frozenset({"write"}), _TAKES_SPACE, cut=True),
)


def faults_of(kinds: Iterable[str]) -> "list[Fault]":
    """All faults of a job that makes calls of these kinds."""
    calls = enumerate(kinds, start=1)
    return [Fault(call, kind, mode) for call, kind in calls for mode in MODES if kind in mode.kinds]


@dataclass(frozen=True)
class Fault:
    """A call that fails, by its number in a job from 1, and how."""

    call: int
    kind: str
    mode: Mode

    def __str__(self) -> str:
        return f"{self.mode.name} at call {self.call} ({self.kind})"


def missing() -> str:
    """Why there can be no faults on this machine; empty if there can."""
    if not sys.platform.startswith("linux"):
        return "faults are made by LD_PRELOAD, which is there on Linux only"
    if _compiler() is None:
        return "faults are made by a small library in C, and there is no compiler: install gcc or clang"
    return ""


def _compiler() -> str | None:
    return next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


def library_of_this_process() -> Path | None:
    """The library that this process has loaded."""
    return Path(os.environ[VARIABLE]) if VARIABLE in os.environ else None


def with_library(folder: Path) -> dict[str, str]:
    """Compiles the library into a folder; the variables of the environment of a process that loads it."""
    library = folder / "fault_shim.so"
    command = [str(_compiler()), "-O2", "-Wall", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    before = os.environ.get("LD_PRELOAD")
    return {"LD_PRELOAD": f"{library}:{before}" if before else str(library), VARIABLE: str(library)}


@cache
def _library() -> Any:
    library = ctypes.CDLL(os.environ[VARIABLE])
    library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, *[ctypes.c_int] * 4]
    library.faults_disarm.restype = ctypes.c_long
    library.faults_kind.argtypes = [ctypes.c_long]
    return library


@contextmanager
def armed(folder: Path, fault: Fault | None) -> Iterator[list[str]]:
    """A list that gets the kinds of the calls that are made meanwhile, of which that of the fault fails."""
    library, kinds = _library(), list[str]()
    mode = fault.mode if fault else MODES[0]
    lasting = sum(1 << KINDS.index(kind) for kind in mode.lasting)
    library.faults_arm(
        os.fsencode(folder), fault.call if fault else 0, mode.error, lasting, bool(lasting), int(mode.cut)
    )
    try:
        yield kinds
    finally:
        calls = library.faults_disarm()
        kinds += [KINDS[library.faults_kind(number)] for number in range(1, calls + 1)]
