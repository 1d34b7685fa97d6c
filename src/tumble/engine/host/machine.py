"""The device that rolls worlds out, and the threads that work on it."""

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Timer
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.options import Options, OptionsError

SILENT_SECONDS = 1.5
COMPILING = "tumble: compiling the physics for {}, once for each rule; this takes about 15 seconds"
GPU_BLOCKS = 132
"""As many as an H200 has multiprocessors; fewer or more change the speed only."""
GPU_THREADS_PER_BLOCK = 512


class Machine:
    """A device and the lanes that can work on it side by side."""

    def __init__(self, options: Options, gpu_threads: int = 1) -> None:
        self.device = _device(options.device)
        self.is_cpu = self.device.is_cpu
        self.threads = (options.threads or usable_cores()) if self.is_cpu else gpu_threads

    def lanes_for(self, worlds: int) -> int:
        """On a GPU whole blocks of lanes, since those of a block wait for each other."""
        blocks = -(-worlds // GPU_THREADS_PER_BLOCK)
        return self.threads if self.is_cpu else max(1, min(blocks, GPU_BLOCKS)) * GPU_THREADS_PER_BLOCK

    def for_pieces(self, pieces: Iterable[Any], work: Callable[[int, Any], None]) -> None:
        """Calls `work(lane, piece)` for all pieces, which the threads take one after the other."""
        remaining = iter(list(pieces))

        def run(lane: int) -> None:
            for piece in remaining:
                work(lane, piece)

        if self.threads == 1:
            run(0)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for done in [pool.submit(run, lane) for lane in range(self.threads)]:
                done.result()

    def launch(self, kernel: Any, dim: int, inputs: list[Any]) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device, block_dim=GPU_THREADS_PER_BLOCK)

    def load(self, kernel: Any, message: str = COMPILING, block_dim: int = GPU_THREADS_PER_BLOCK) -> None:
        """Compiles a kernel, or fetches it from Warp's cache, before threads ask for it; says so if it takes long."""
        notice = Timer(SILENT_SECONDS, lambda: print(message.format(self.device), file=sys.stderr, flush=True))
        notice.start()
        try:
            wp.load_module(kernel.module, device=self.device, block_dim=block_dim)
        finally:
            notice.cancel()

    def ints(self, values: np.ndarray) -> Any:
        return wp.array(np.ascontiguousarray(values, np.int32).reshape(-1), dtype=int, device=self.device)

    def floats(self, values: np.ndarray) -> Any:
        return wp.array(np.ascontiguousarray(values, np.float32).reshape(-1), dtype=float, device=self.device)


def _device(name: str) -> Any:
    try:
        return wp.get_device(name)
    except Exception as error:  # Warp raises several kinds
        known = ", ".join(str(device) for device in wp.get_devices())
        raise OptionsError(f"there is no device {name!r}; this machine has: {known}") from error


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_device(name: str) -> None:
    """Refuses a device that this machine does not have."""
    Machine(Options(device=name))
