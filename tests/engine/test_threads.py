"""Several threads of a process simulate at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from tumble import phyre
from tumble.engine.rollout.kernels import Kernels, kernels_for
from tumble.phyre.simulation.attempt import goal_rule

THREADS = 4


def test_threads_that_start_at_once_share_their_kernels() -> None:
    """Kernels that are built twice replace each other, and the first can't be launched."""
    rule = goal_rule([phyre.task("00000:000")], np.zeros(1, int))
    start = Barrier(THREADS)

    def build(_: int) -> Kernels:
        start.wait()
        return kernels_for(rule, one_module=False, registers=64)

    with ThreadPoolExecutor(THREADS) as pool:
        built = list(pool.map(build, range(THREADS)))
    assert all(one is built[0] for one in built)
