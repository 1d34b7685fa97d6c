"""Clips to measure the renderer with, and rates of frames."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.catalogue.world import HALF_HEIGHTS, SHOWN_FRAMES
from tumble.comphy.observation.renderer import FULL_SIZE, Clip, Size

SIZES: tuple[Size, ...] = (FULL_SIZE, (240, 160), (128, 128))
BODIES = 5
REPEATS = 5


def clip(seed: int, frames: int) -> Clip:
    """Five bodies, all in view, that move slowly and turn."""
    random = np.random.default_rng(seed)
    codes = random.permutation(len(COLORS) * len(MATERIALS) * len(SHAPES))[:BODIES]
    bodies = tuple(Body(COLORS[k % 8], MATERIALS[k // 8 % 2], SHAPES[k // 16]) for k in map(int, codes))
    steps = np.arange(frames)[:, None, None] / SHOWN_FRAMES
    places = np.array([(-0.9, -0.6), (0.5, -0.5), (-0.6, 0.6), (0.6, 0.5), (0.0, 1.5)])
    flat = places + random.uniform(-0.2, 0.2, (BODIES, 2)) + steps * random.uniform(-0.5, 0.5, (BODIES, 2))
    heights = np.broadcast_to([HALF_HEIGHTS[body.shape] for body in bodies], flat.shape[:2])
    half = 0.5 * (random.uniform(0.0, 6.3, BODIES) + 3.0 * steps[..., 0])
    turned = np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], axis=-1)
    return Clip(bodies, np.concatenate([flat, heights[..., None]], axis=-1), turned)


class Rate(NamedTuple):
    """Frames per second."""

    median: float
    best: float
    busy: float
    """By processor time, which other processes on the machine do not affect."""


def rate(frames: int, work: Callable[[], object], repeats: int = REPEATS) -> Rate:
    """The rate over some runs, after a warm-up run."""
    work()
    elapsed, busy = [], []
    for _ in range(repeats):
        start, busy_start = time.perf_counter(), time.process_time()
        work()
        elapsed.append(time.perf_counter() - start)
        busy.append(time.process_time() - busy_start)
    return Rate(frames / float(np.median(elapsed)), frames / min(elapsed), frames / float(np.median(busy)))


def name(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
