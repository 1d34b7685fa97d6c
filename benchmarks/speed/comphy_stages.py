"""Frames per second of ComPhy's ray tracer for everyday objects on textured floors, with masks and depth.

    python benchmarks/speed/comphy_stages.py                             on this machine's CPU
    python benchmarks/speed/comphy_stages.py --device cuda --out folder  on its GPU, in about a minute

Motion is random, so that MuJoCo is not needed.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from render_clips import name, rate
from staged_clips import staged_clip
from table import Results, csv_path

from tumble.comphy.catalogue.video_set import FLOORS
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.observation.renderer import FULL_SIZE, Frames
from tumble.comphy.observation.staged import render_each_staged, render_many_staged
from tumble.comphy.observation.staged.workers import load_kernels
from tumble.engine.host.machine import Machine, usable_cores
from tumble.engine.host.options import Options

CPU_FRAMES = 4
CPU_MUST, GPU_MUST = 15.0, 1500.0
"""Frames per second at full size: one core, one H200."""
GPU_VIDEOS = 18
THREADS = (1, 4, 8, 16)
"""Host threads that fetch pictures from a GPU."""
NEW_VIDEOS = 16
"""Videos of new objects on new stages."""


def on_cpu(results: Results) -> None:
    clips = [staged_clip(seed, CPU_FRAMES) for seed in range(2 * len(FLOORS))]
    frames = sum(clip.frames for clip in clips)
    start = time.process_time()
    render_many_staged(clips, threads=1, with_depth=True)
    first = time.process_time() - start
    one = rate(frames, lambda: render_many_staged(clips, threads=1), 3)
    note = (
        f"by the clock {one.median:.1f}, best {one.best:.1f}; {len(clips)} videos on all floors, with masks and depth"
    )
    figure = f"frames/s of one core's processor time at {name(FULL_SIZE)}, meshes and textures"
    results.add(figure, f"{one.busy:.1f}", f"{CPU_MUST:.0f}", "", note)
    new = (first - frames / one.busy) / len(clips)
    results.add("seconds for each new floor with five new objects, once", f"{new:.2f}", "", "", "processor time")
    both = rate(frames, lambda: render_many_staged(clips, threads=2), 1)
    results.add("frames/s with two threads", f"{both.median:.1f}", "", "", name(FULL_SIZE))


def on_gpu(results: Results, device: str) -> None:
    start = time.perf_counter()
    load_kernels(Machine(Options(device=device)))
    results.add("seconds to load the kernels", f"{time.perf_counter() - start:.1f}", "", "", "compiled if not cached")
    clips = [staged_clip(seed, SHOWN_FRAMES) for seed in range(GPU_VIDEOS)]
    frames = sum(clip.frames for clip in clips)
    seen: list[int] = []

    def deliver(number: int, frames: Frames) -> None:
        seen.append(int(frames.rgb[-1, -1, -1, 0]))

    for threads in THREADS:
        fetched = rate(frames, lambda t=threads: render_each_staged(clips, deliver, FULL_SIZE, device, t), 3)  # type: ignore[misc]
        note = f"best {fetched.best:.0f}, by processor time {fetched.busy:.0f}; {len(clips)} videos, without depth"
        figure = f"frames/s fetched at {name(FULL_SIZE)} by {threads} threads"
        results.add(figure, f"{fetched.median:.0f}", "", "", note)
    arrays = rate(frames, lambda: render_many_staged(clips, device=device), 3)
    note = f"best {arrays.best:.0f}; {len(clips)} videos, with masks and depth in new arrays"
    figure = f"frames/s on one GPU at {name(FULL_SIZE)}, meshes and textures"
    results.add(figure, f"{arrays.median:.0f}", f"{GPU_MUST:.0f}", "", note)
    new = [staged_clip(1000 + seed, SHOWN_FRAMES) for seed in range(NEW_VIDEOS)]
    start = time.perf_counter()
    render_each_staged(new, deliver, FULL_SIZE, device)
    new_rate = NEW_VIDEOS * SHOWN_FRAMES / (time.perf_counter() - start)
    note = f"{NEW_VIDEOS} videos, each with five new objects on a new stage, which are prepared meanwhile"
    results.add("frames/s fetched, everything new", f"{new_rate:.0f}", "", "", note)
    difference(results, device)


def difference(results: Results, device: str) -> None:
    """The difference from the CPU's pictures."""
    few = [staged_clip(seed, 1) for seed in range(len(FLOORS))]
    gpu, cpu = render_many_staged(few, device=device), render_many_staged(few, threads=usable_cores())
    apart = [np.abs(one.rgb.astype(int) - other.rgb.astype(int)) for one, other in zip(gpu, cpu, strict=True)]
    masks = sum(int((one.mask != other.mask).sum()) for one, other in zip(gpu, cpu, strict=True))
    largest = max(int(one.max()) for one in apart)
    share = 100 * np.mean([np.mean(one == 0) for one in apart])
    note = f"{share:.4f} % of bytes equal, {masks} pixels of masks differ, in {len(few)} pictures"
    results.add("largest difference from the CPU's pictures, of 255", str(largest), "", "", note)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, help="folder that the table is copied to")
    options = parser.parse_args()
    is_cpu = options.device == "cpu"
    results = Results(
        "ComPhy's renderer of objects on stages", "" if is_cpu else str(wp.get_device(options.device).name)
    )
    on_cpu(results) if is_cpu else on_gpu(results, options.device)
    file = "comphy-stages" if is_cpu else "comphy-stages-gpu"
    results.finish(file)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        shutil.copy(csv_path(file), options.out)


if __name__ == "__main__":
    main()
