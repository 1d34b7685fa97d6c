"""A fixed amount of work to measure speeds by, so that the machine's own speed cancels out of their ratio.

Like a contact solver it reads and writes small vectors in an order that depends on data, branches, divides and takes
roots; it is compiled by the same compiler. It must never change: recorded ratios would no longer be comparable.
"""

from functools import cache
from typing import Any

import warp as wp

from tumble.scene.warp_setup import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

POINTS = 64
CPU_ROUNDS, GPU_ROUNDS = 400_000, 40_000
GPU_LANES = 32_768


@wp.kernel
def pull_together(points: wp.array(dtype=wp.vec4), lanes: int, rounds: int) -> None:
    """Moves pairs of points towards a distance of 1, chosen by a generator of random numbers."""
    lane = wp.tid()
    state = int(lane * 7919 + 1)
    for _ in range(rounds):
        state = (state * 1103515 + 12345) & 0x3FFFFFF
        a = (state >> 6) & 63
        b = (state >> 14) & 63
        if a != b:
            first = points[a * lanes + lane]
            second = points[b * lanes + lane]
            x = second[0] - first[0]
            y = second[1] - first[1]
            length = wp.sqrt(x * x + y * y) + 0.001
            move = 0.25 * (length - 1.0) / length
            if move > 0.0:
                move = move * 0.5
            points[a * lanes + lane] = wp.vec4(first[0] + x * move, first[1] + y * move, first[2] + move, 0.0)
            points[b * lanes + lane] = wp.vec4(second[0] - x * move, second[1] - y * move, second[2] - move, 0.0)


@cache
def _points(device: str, lanes: int) -> Any:
    return wp.zeros(POINTS * lanes, dtype=wp.vec4, device=device)


def work(device: str) -> None:
    """Does the work once: some hundredths of a second on a core, or on a GPU that is filled."""
    is_cpu = wp.get_device(device).is_cpu
    lanes, rounds = (1, CPU_ROUNDS) if is_cpu else (GPU_LANES, GPU_ROUNDS)
    points = _points(device, lanes)
    points.fill_(wp.vec4(0.5, 0.25, 0.0, 0.0))
    wp.launch(pull_together, dim=lanes, inputs=[points, lanes, rounds], device=device, block_dim=128)
    wp.synchronize_device(device)
