"""Frames per second of ComPhy's ray tracer, with masks and depth, and of the video encoder; and its materials.

    python benchmarks/comphy_render.py                  on this machine's CPU
    python benchmarks/comphy_render.py --device cuda    on its GPU

Motion is random, so that neither MuJoCo nor, on a GPU, PyAV is needed.
"""

import argparse
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import warp as wp
from material_classifier import TEST_SEEDS, separation
from table import Results

from tumble.comphy.observation.renderer import FULL_SIZE, Clip, Size, render_many
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.tasks.constants import HALF_HEIGHTS, SHOWN_FRAMES
from tumble.engine.host.machine import usable_cores

SIZES: tuple[Size, ...] = (FULL_SIZE, (240, 160), (128, 128))
BODIES = 5
REPEATS = 5
CPU_FRAMES = 25
GPU_CLIPS = 16
MUST, GOAL = 15.0, 25.0
"""Frames per second of one core at full size."""
GPU_MUST = 2000.0
MATERIAL_BODIES, MATERIAL_SIZE = 600, (240, 160)
MATERIAL_MUST = 98.0
"""Per cent of isolated bodies that the classifier was not trained on."""
OLD_ACCURACY = 94.9
OLD_CONTRASTS = {"cube": 0.75, "sphere": 0.89, "cylinder": 0.72}
"""What the same program measured with the pictures of Tumble 0.1, in which metal mirrored no lights."""


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


def cpu_rate(size: Size, threads: int = 1) -> Rate:
    """The rate of this process on the CPU."""
    clips = [clip(seed, CPU_FRAMES) for seed in range(2)]
    return rate(2 * CPU_FRAMES, lambda: render_many(clips, size, threads=threads))


def on_cpu(results: Results) -> None:
    for size in SIZES:
        one_core = cpu_rate(size)
        full = size == FULL_SIZE
        note = f"best {one_core.best:.1f}, by processor time {one_core.busy:.1f}"
        note += f"; {one_core.median / MUST:.1f} x the required rate" if full else ""
        targets = (f"{MUST:.0f}", f"{GOAL:.0f}") if full else ("", "")
        results.add(f"frames/s on one core at {name(size)}, with masks", f"{one_core.median:.1f}", *targets, note)
    both = cpu_rate(FULL_SIZE, threads=2)
    results.add("frames/s with two threads", f"{both.median:.1f}", "", "", name(FULL_SIZE))
    with get_context("spawn").Pool(2) as pool:
        pool.map(cpu_rate, [(32, 32), (32, 32)], chunksize=1)
        each = [one.median for one in pool.map(cpu_rate, [FULL_SIZE, FULL_SIZE], chunksize=1)]
    results.add("frames/s of two processes", f"{sum(each):.1f}", "", "", name(FULL_SIZE))
    encoding(results)
    materials(results)


def materials(results: Results) -> None:
    """Tells metal from rubber."""
    accuracy, accuracies, contrasts = separation(MATERIAL_SIZE, MATERIAL_BODIES)
    note = ", ".join(f"{shape} {100 * share:.1f}" for shape, share in accuracies.items())
    bodies = len(TEST_SEEDS) * MATERIAL_BODIES
    note = f"{bodies} isolated bodies, by a logistic regression of luminance: {note}; {OLD_ACCURACY} in 0.1"
    figure = f"metal and rubber told apart at {name(MATERIAL_SIZE)}, %"
    results.add(figure, f"{100 * accuracy:.1f}", f"{MATERIAL_MUST:.0f}", "", note)
    for shape, ratio in contrasts.items():
        note = f"standard deviation of luminance inside a body divided by its mean; {OLD_CONTRASTS[shape]} in 0.1"
        results.add(f"contrast of a metal {shape}, relative to rubber", f"{ratio:.2f}", "", "", note)


def encoding(results: Results) -> None:
    """Writes and reads an MP4."""
    from tumble.comphy.observation.video import read_video, write_video

    rgb = render_many([clip(0, SHOWN_FRAMES)])[0].rgb
    with TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        written = rate(len(rgb), lambda: write_video(path, rgb)).median
        read = rate(len(rgb), lambda: read_video(path)).median
        size = path.stat().st_size / 1024
    results.add("frames/s encoded", f"{written:.0f}", "", "", f"{name(FULL_SIZE)}, {size:.0f} KiB for 125 frames")
    results.add("frames/s decoded", f"{read:.0f}", "", "", name(FULL_SIZE))


def on_gpu(results: Results, device: str) -> None:
    clips = [clip(seed, SHOWN_FRAMES) for seed in range(GPU_CLIPS)]
    frames = GPU_CLIPS * SHOWN_FRAMES
    for size in SIZES:
        median, best, _ = rate(frames, lambda size=size: render_many(clips, size, device), 3)
        full = size == FULL_SIZE
        note = f"best {best:.0f}; {frames} frames with masks and depth in one call, fetched to the host"
        note += f"; {median / GPU_MUST:.1f} x the required rate" if full else ""
        results.add(
            f"frames/s on one GPU at {name(size)}", f"{median:.0f}", f"{GPU_MUST:.0f}" if full else "", "", note
        )
    few = [clip(seed, 2) for seed in range(GPU_CLIPS)]
    pairs = list(zip(render_many(few, device=device), render_many(few, threads=usable_cores()), strict=True))
    most = max(int(np.abs(gpu.rgb.astype(int) - cpu.rgb.astype(int)).max()) for gpu, cpu in pairs)
    same = np.mean([np.mean(gpu.rgb == cpu.rgb) for gpu, cpu in pairs])
    masks = sum(int((gpu.mask != cpu.mask).sum()) for gpu, cpu in pairs)
    note = f"{100 * same:.4f} % of bytes equal, {masks} pixels of masks differ"
    results.add("largest difference from the CPU's pictures, of 255", str(most), "1", "0", note)


def name(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args().device
    results = Results("ComPhy's renderer", "" if device == "cpu" else str(wp.get_device(device).name))
    on_cpu(results) if device == "cpu" else on_gpu(results, device)
    results.finish("comphy-render" if device == "cpu" else "comphy-render-gpu")


if __name__ == "__main__":
    main()
