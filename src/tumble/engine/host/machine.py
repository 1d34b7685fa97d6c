"""The device that kernels run on: threads that launch them, compiling, copies to the host, streams.

A notice about compiling gives an estimate before it, by device, and the true time after it.

Warp's own streams wait for CUDA's default stream, on which Warp frees memory: with them, a kernel would wait for
those of other streams whenever an array is freed. So streams on which kernels run at the same time are made by the
driver, as streams that don't. Whoever uses them must not free an array before the stream is done with it.
"""

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.options import Options, OptionsError
from tumble.engine.host.stepping import FROM_QUEUE, FusedSettings, place_worlds, stepping_for
from tumble.engine.host.worlds import Worlds
from tumble.engine.rules.rule import Rule
from tumble.scene.warp_setup import check_rounding, is_intact

SILENT_SECONDS = 1.5
"""Compiling that takes longer than this is announced."""

_quiet = False


@dataclass(frozen=True)
class Compiling:
    """What is compiled, and the fewest and most seconds that it took on the machines that we measured."""

    what: str
    cpu_seconds: tuple[int, int]
    gpu_seconds: tuple[int, int]

    def estimate(self, device: Any) -> str:
        """The notice before compiling."""
        low, high = self.cpu_seconds if device.is_cpu else self.gpu_seconds
        return f"tumble: compiling {self.what} for {device}, once; it usually takes {low} to {high} seconds"


PHYSICS_KERNELS = Compiling("the physics with this rule", (8, 30), (10, 30))


@contextmanager
def announced(compiling: Compiling, modules: Sequence[Any], device: Any, block_dim: int) -> Iterator[None]:
    """Announces on the error stream that modules are compiled meanwhile, where that takes long, and then its time.

    Modules that are in Warp's cache are loaded without a notice.
    """
    if _quiet or all(is_compiled(module, device, block_dim) for module in modules):
        yield
        return
    printed: list[str] = []

    def announce() -> None:
        printed.append(compiling.estimate(device))
        _print_notice(printed[0])

    start = time.monotonic()
    notice = Timer(SILENT_SECONDS, announce)
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
    if printed:
        _print_notice(f"tumble: compiled in {time.monotonic() - start:.0f} seconds; `tumble warmup` does it beforehand")


def is_compiled(module: Any, device: Any, block_dim: int) -> bool:
    """Whether Warp's cache has a module for a device."""
    folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(1 if device.is_cpu else block_dim)
    pattern = "*.o" if device.is_cpu else f"*.sm{device.arch}*"
    return any(folder.glob(pattern)) and is_intact(folder)


@contextmanager
def without_notices() -> Iterator[None]:
    """Compiles without notices meanwhile: the caller shows what happens."""
    global _quiet
    before, _quiet = _quiet, True
    try:
        yield
    finally:
        _quiet = before


def _print_notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


GPU_THREADS_PER_BLOCK = 512
LANE_MEMORY = 0.25
"""The share of a GPU's memory that lanes may take …"""
LANE_BYTES = 2**34
"""… and how much at most: an int must be enough to number their vec4s."""
KEPT_SHARE = 0.5
"""The share of a GPU's memory that is kept between groups of worlds, at most."""

_loaded: set[tuple[Any, str, int]] = set()
"""Kernels that this process has loaded, with their device and block size."""
_loading: dict[Any, Lock] = {}
"""Of each Warp module: Warp fails where two threads load one at once."""


class Machine:
    """A device, the number of threads that launch kernels on it, and how it steps worlds under a rule."""

    def __init__(self, options: Options, gpu_threads: int = 1, rule: Rule | None = None, worlds: int = 0) -> None:
        check_rounding()
        self.device = _device(options.device)
        self.is_cpu = self.device.is_cpu
        self.threads = (options.threads or usable_cores()) if self.is_cpu else gpu_threads
        self.stepping = stepping_for(self.is_cpu, rule, worlds)

    def lanes_for(self, worlds: int, lane_bytes: int) -> int:
        """The number of lanes for this number of worlds; on a GPU whole groups or blocks of them."""
        if self.is_cpu and isinstance(self.stepping, FusedSettings):
            return self.threads
        return self.stepping.lanes_for(worlds, self._most_lanes(lane_bytes))

    def lane_worlds(self, worlds: Worlds, lane_bytes: int) -> np.ndarray:
        """The world of each lane, where worlds are placed and memory suffices for that, otherwise FROM_QUEUE."""
        stepping = self.stepping
        if self.is_cpu or not isinstance(stepping, FusedSettings) or not stepping.waves:
            return FROM_QUEUE
        lanes = place_worlds(worlds.moving_counts(), stepping.block, stepping.waves, stepping.exponent)
        return lanes if len(lanes) <= self._most_lanes(lane_bytes) else FROM_QUEUE

    def _most_lanes(self, lane_bytes: int) -> int:
        """The lanes that there is memory for."""
        memory = 2**30 if self.is_cpu else min(int(LANE_MEMORY * self.device.total_memory), LANE_BYTES)
        return memory // lane_bytes

    def for_pieces(self, pieces: Iterable[Any], work: Callable[[int, Any], None]) -> None:
        """Calls `work(lane, piece)` for all pieces; each thread takes the next piece when it is done with one."""
        listed = list(pieces)
        remaining = iter(listed)

        def run(lane: int) -> None:
            for piece in remaining:
                work(lane, piece)

        threads = min(self.threads, len(listed))
        if threads <= 1:  # starting a thread takes as long as some rollouts
            run(0)
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(run, lane) for lane in range(threads)]:
                done.result()

    @contextmanager
    def keeping_memory(self) -> Iterator[None]:
        """Has a GPU keep memory that arrays free, for others, instead of giving it back at every synchronization."""
        if self.is_cpu or not wp.is_mempool_enabled(self.device):
            yield
            return
        before = wp.get_mempool_release_threshold(self.device)
        wp.set_mempool_release_threshold(self.device, KEPT_SHARE)
        try:
            yield
        finally:
            wp.set_mempool_release_threshold(self.device, before)

    def launch(self, kernel: Any, dim: int, inputs: list[Any], block_dim: int = GPU_THREADS_PER_BLOCK) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device, block_dim=block_dim)

    def load(
        self, *kernels: Any, compiling: Compiling = PHYSICS_KERNELS, block_dim: int = GPU_THREADS_PER_BLOCK
    ) -> None:
        """Compiles kernels, or loads them from Warp's cache, before they are launched.

        It prints notices if compiling takes long. Different Warp modules are compiled in parallel, also by threads.
        """
        needed = {(kernel, str(self.device), block_dim) for kernel in kernels}
        if needed <= _loaded:
            return
        modules = list(dict.fromkeys(kernel.module for kernel in kernels))
        with ExitStack() as held:
            for module in sorted(modules, key=id):  # all threads in the same order
                held.enter_context(_loading.setdefault(module, Lock()))
            if not needed <= _loaded:
                with announced(compiling, modules, self.device, block_dim):
                    wp.force_load(self.device, modules, block_dim=block_dim, max_workers=len(modules))
                _loaded.update(needed)

    def ints(self, values: np.ndarray) -> Any:
        return wp.array(np.ascontiguousarray(values, np.int32).reshape(-1), dtype=int, device=self.device)

    def floats(self, values: np.ndarray) -> Any:
        return wp.array(np.ascontiguousarray(values, np.float32).reshape(-1), dtype=float, device=self.device)


def _device(name: str) -> Any:
    try:
        if not str(name).startswith("cuda") or wp.get_cuda_device_count():  # without a GPU Warp would print errors
            return wp.get_device(name)
    except Exception as error:  # Warp raises several kinds
        raise _no_device(name) from error
    raise _no_device(name)


def _no_device(name: str) -> OptionsError:
    devices = ", ".join(str(device) for device in wp.get_devices())
    return OptionsError(f"there is no device {name!r}; this machine has: {devices}")


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_device(name: str) -> None:
    """Refuses a device that this machine does not have."""
    Machine(Options(device=name))


def to_host(array: Any) -> np.ndarray:
    """The content of a Warp array, after the work of its device's current stream.

    Unlike `array.numpy()`, it does not wait for other streams, nor do these wait for it.
    """
    if array.device.is_cpu or array.size == 0:
        return np.asarray(array.numpy())
    copy = wp.empty(array.shape, dtype=array.dtype, device="cpu")
    wp.copy(copy, array)
    wp.synchronize_stream(array.device.stream)
    return np.asarray(copy.numpy())


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
    _check_driver(driver.cuCtxPushCurrent_v2(ctypes.c_void_p(context)))
    try:
        _check_driver(driver.cuStreamCreate(ctypes.byref(stream), NON_BLOCKING))
    finally:
        _check_driver(driver.cuCtxPopCurrent_v2(ctypes.byref(previous)))
    assert stream.value is not None
    return stream.value


def _check_driver(result: int) -> None:
    if result:
        raise RuntimeError(f"CUDA's driver could not make a stream: error {result}")
