"""The seconds that each stage of rollouts with a shared past takes (`engine/host/recording.py`)."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import warp as wp

from tumble.engine.host import recording
from tumble.engine.host.chunk import Chunk
from tumble.engine.host.recording import Recorder

RECORDING, PREPARING = "recording and copying", "preparing worlds"
KERNELS = {"record": "recording alone", "approach": "approach", "branch": "branch", "roll_out": "plain rollouts"}


@contextmanager
def stage_seconds() -> Iterator[dict[str, float]]:
    """Collects them meanwhile; the device is waited for before and after each stage.

    On a GPU scenes are recorded while worlds are prepared, so that these two overlap.
    """
    seconds: dict[str, float] = defaultdict(float)

    def timed(work: Callable[..., Any], stage_of: Callable[..., str]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            wp.synchronize()
            start = time.perf_counter()
            result = work(*arguments, **options)
            wp.synchronize()
            seconds[stage_of(*arguments)] += time.perf_counter() - start
            return result

        return call

    def stage_of_kernel(chunk: Chunk, kernel: Any, *others: Any) -> str:
        name: str = kernel.key if isinstance(kernel, wp.Kernel) else kernel.name
        return KERNELS[name.removesuffix("_alone")]

    with (
        patch.object(Recorder, "record", timed(Recorder.record, lambda *_: RECORDING)),
        patch.object(Chunk, "run", timed(Chunk.run, stage_of_kernel)),
        patch.object(recording, "prepared", timed(recording.prepared, lambda *_: PREPARING)),
    ):
        yield seconds
