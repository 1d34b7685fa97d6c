"""The device that kernels run on, and the threads that launch them."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.compiling import PHYSICS, Compiling, announced
from tumble.engine.host.options import Options, OptionsError
from tumble.engine.host.placement import FROM_QUEUE, place_worlds
from tumble.engine.host.stepping import FusedSettings, stepping_for
from tumble.engine.host.worlds import Worlds
from tumble.engine.rules.rule import Rule
from tumble.scene.float_mode import check_rounding

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

    def load(self, *kernels: Any, compiling: Compiling = PHYSICS, block_dim: int = GPU_THREADS_PER_BLOCK) -> None:
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
