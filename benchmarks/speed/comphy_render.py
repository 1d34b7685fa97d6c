"""Frames per second of ComPhy's ray tracer: bodies of the plain world, and everyday objects on textured stages.

    python benchmarks/speed/comphy_render.py [--device cuda] [--world plain div]

Motion is random. Kernels are compiled before anything is timed.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results, arguments

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.catalogue.video_set import FLOORS, LIGHTS, Stage
from tumble.comphy.catalogue.world import HALF_HEIGHTS, SHOWN_FRAMES
from tumble.comphy.objects.shape import CATEGORIES
from tumble.comphy.observation.renderer import FULL_SIZE, Clip, Frames, render_each, render_many
from tumble.comphy.observation.staged import PATTERNS, ObjectLook, StagedClip, render_each_staged, render_many_staged
from tumble.engine.host.machine import usable_cores

PLACES = np.array([(-0.9, -0.6), (0.5, -0.5), (-0.6, 0.6), (0.6, 0.5), (0.0, 1.5)])
"""Of bodies at the start: all are in view."""
SURFACES = ("metal", "rubber", *PATTERNS)


@dataclass(frozen=True)
class Renderer:
    """A kind of pictures, and what is asked for at full size: frames per second of one core and of one H200."""

    clip: Callable[[int, int], Any]
    many: Callable[..., list[Frames]]
    each: Callable[..., None]
    sizes: tuple[tuple[int, int], ...]
    cpu_clips: int
    cpu_frames: int
    gpu_videos: int
    threads: tuple[int, ...]
    cpu_must: str
    gpu_must: str


def motion(random: np.random.Generator, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Places [frame, body, 2] and orientations [frame, body, 4] of bodies that move slowly and turn."""
    steps = np.arange(frames)[:, None, None] / SHOWN_FRAMES
    count = len(PLACES)
    flat = PLACES + random.uniform(-0.2, 0.2, (count, 2)) + steps * random.uniform(-0.5, 0.5, (count, 2))
    half = 0.5 * (random.uniform(0.0, 6.3, count) + 3.0 * steps[..., 0])
    return flat, np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], axis=-1)


def plain_clip(seed: int, frames: int) -> Clip:
    """Five bodies of the plain world."""
    random = np.random.default_rng(seed)
    codes = random.permutation(len(COLORS) * len(MATERIALS) * len(SHAPES))[: len(PLACES)]
    bodies = tuple(Body(COLORS[k % 8], MATERIALS[k // 8 % 2], SHAPES[k // 16]) for k in map(int, codes))
    flat, turned = motion(random, frames)
    heights = np.broadcast_to([HALF_HEIGHTS[body.shape] for body in bodies], flat.shape[:2])
    return Clip(bodies, np.concatenate([flat, heights[..., None]], axis=-1), turned)


def staged_clip(seed: int, frames: int) -> StagedClip:
    """Five objects of different materials; seeds 0 to 8 have all nine floors."""
    random = np.random.default_rng(seed)
    looks = []
    for k in range(len(PLACES)):
        surface = SURFACES[(seed + k) % len(SURFACES)]
        category = CATEGORIES[(len(PLACES) * seed + k) % len(CATEGORIES)]
        form, color = int(random.integers(1000)), COLORS[int(random.integers(len(COLORS)))]
        pattern = surface if surface in PATTERNS else "plain"
        looks.append(ObjectLook(category, form, color, "metal" if surface == "metal" else "rubber", pattern))
    flat, turned = motion(random, frames)
    stage = Stage(FLOORS[seed % len(FLOORS)], LIGHTS[seed // 2 % len(LIGHTS)], seed)
    return StagedClip(tuple(looks), np.insert(flat, 2, 0.0, axis=2), turned, stage)


SMALLER = ((240, 160), (128, 128))
RENDERERS = {
    "plain": Renderer(
        plain_clip, render_many, render_each, (FULL_SIZE, *SMALLER), 2, 25, 16, (2, 4, 8, 16), "15", "6000"
    ),
    "div": Renderer(
        staged_clip, render_many_staged, render_each_staged, (FULL_SIZE,), 18, 4, 18, (1, 4, 8, 16), "15", "1500"
    ),
}


class Rate(NamedTuple):
    """Frames per second."""

    median: float
    best: float
    busy: float
    """By processor time, which other processes on the machine do not affect."""

    def __str__(self) -> str:
        return f"best {self.best:.1f}, by processor time {self.busy:.1f}"


def rate(frames: int, work: Callable[[], object], repeats: int = 3) -> Rate:
    """The rate over some runs, after a warm-up run."""
    work()
    elapsed, busy = [], []
    for _ in range(repeats):
        start, busy_start = time.perf_counter(), time.process_time()
        work()
        elapsed.append(time.perf_counter() - start)
        busy.append(time.process_time() - busy_start)
    return Rate(frames / float(np.median(elapsed)), frames / min(elapsed), frames / float(np.median(busy)))


def on_cpu(results: Results, world: str, own: Renderer) -> None:
    clips = [own.clip(seed, own.cpu_frames) for seed in range(own.cpu_clips)]
    frames = own.cpu_clips * own.cpu_frames
    for size in own.sizes:
        one = rate(frames, lambda s=size: own.many(clips, s, threads=1))
        must = own.cpu_must if size == FULL_SIZE else ""
        figure = f"{world}: frames/s on one core at {size[0]}x{size[1]}, with masks"
        results.add(figure, f"{one.median:.1f}", must, "", f"{one}; {len(clips)} videos")
    two = rate(frames, lambda: own.many(clips, threads=2), 1)
    results.add(f"{world}: frames/s with two threads", f"{two.median:.1f}")


def on_gpu(results: Results, world: str, own: Renderer, device: str) -> None:
    """Pictures in pinned memory of the host, as encoders get them; in new arrays; and beside the CPU's."""
    clips = [own.clip(seed, SHOWN_FRAMES) for seed in range(own.gpu_videos)]
    frames = own.gpu_videos * SHOWN_FRAMES
    seen: list[int] = []

    def deliver(number: int, frames: Frames) -> None:
        seen.append(int(frames.rgb[-1, -1, -1, 0]))

    for threads in own.threads:
        fetched = rate(frames, lambda t=threads: own.each(clips, deliver, FULL_SIZE, device, t))
        results.add(f"{world}: frames/s fetched by {threads} threads", f"{fetched.median:.0f}", note=str(fetched))
    for size in own.sizes:
        arrays = rate(frames, lambda s=size: own.many(clips, s, device))
        must = own.gpu_must if size == FULL_SIZE else ""
        figure = f"{world}: frames/s on one GPU at {size[0]}x{size[1]}, {len(clips)} videos"
        results.add(figure, f"{arrays.median:.0f}", must, "", f"{arrays}; with masks and depth in one call")
    few = [own.clip(seed, 1) for seed in range(own.gpu_videos)]
    pairs = list(zip(own.many(few, device=device), own.many(few, threads=usable_cores()), strict=True))
    apart = [np.abs(gpu.rgb.astype(int) - cpu.rgb.astype(int)) for gpu, cpu in pairs]
    masks = sum(int((gpu.mask != cpu.mask).sum()) for gpu, cpu in pairs)
    share = 100 * np.mean([np.mean(one == 0) for one in apart])
    note = f"{share:.4f} % of bytes equal, {masks} pixels of masks differ"
    largest = max(int(one.max()) for one in apart)
    results.add(f"{world}: largest difference from the CPU's pictures, of 255", str(largest), "1", "0", note)


def main() -> None:
    given = arguments(__doc__, device="cpu", world=tuple(RENDERERS))
    results = Results("ComPhy's renderer", given.device)
    for world in given.world:
        if given.device == "cpu":
            on_cpu(results, world, RENDERERS[world])
        else:
            on_gpu(results, world, RENDERERS[world], given.device)
    results.finish("comphy-render")


if __name__ == "__main__":
    main()
