"""Frames per second of ComPhy's ray tracer on a GPU, stage by stage: kernels, download, arrays, encoding."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from render_clips import SIZES, clip, name, rate
from table import Results

from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import FULL_SIZE, Frames, Size, render_each, render_many
from tumble.comphy.observation.renderer.scene import BodyRow, body_rows
from tumble.comphy.observation.renderer.workers import Scratch, draw_frames, empty_layers, load_kernels, render_context
from tumble.engine.host.machine import Machine, usable_cores
from tumble.engine.host.options import Options

VIDEOS = (1, 4, 16)
"""In one call."""
LAUNCHED = (8, 32, 128)
"""Frames in one launch."""
THREADS = (2, 4, 8, 16)
"""Host threads that fetch pictures."""
LAUNCHES = 20
MUST, GOAL = 6000.0, 10000.0
"""Frames per second at full size, with masks and depth in arrays on the host."""


def measure_gpu(results: Results, device: str) -> None:
    """All stages; less than a minute after the kernels are compiled."""
    start = time.perf_counter()
    machine = Machine(Options(device=device))
    load_kernels(machine)
    results.add("seconds to load the kernels", f"{time.perf_counter() - start:.1f}", "", "", "compiled if not cached")
    for frames in LAUNCHED:
        kernels(results, machine, FULL_SIZE, frames)
    for size in SIZES[1:]:
        kernels(results, machine, size, LAUNCHED[-1])
    for threads in THREADS:
        download(results, device, threads)
    arrays(results, device)
    encoding(results, device)
    difference(results, device)


def kernels(results: Results, machine: Machine, size: Size, frames: int) -> None:
    """Kernels alone, timed by events of the device; kernel by kernel at the usual number of frames."""
    context = render_context(str(machine.device), CAMERA, size)
    scratch, layers = Scratch(context, frames), empty_layers(frames, context, True, machine.device)
    rows = body_rows([clip(seed, max(frames // 8, 1)) for seed in range(8)])[:frames]
    bodies = wp.array(rows, dtype=BodyRow, device=machine.device)
    draw_frames(context, scratch, bodies, layers)
    begin, end = (wp.Event(machine.device, enable_timing=True) for _ in range(2))
    stream = wp.get_stream(machine.device)
    stream.record_event(begin)
    for _ in range(LAUNCHES):
        draw_frames(context, scratch, bodies, layers)
    stream.record_event(end)
    milliseconds = wp.get_event_elapsed_time(begin, end)
    with wp.ScopedTimer("kernels", cuda_filter=wp.TIMING_KERNEL, print=False, synchronize=True) as timer:
        draw_frames(context, scratch, bodies, layers)
    parts = [
        f"{part.name.split()[-1].split('_cuda')[0]} {1000 * part.elapsed / frames:.1f}" for part in timer.timing_results
    ]
    edges = int(scratch.edge_count.numpy()[0]) / frames
    note = f"{frames} frames in one launch; µs a frame: {', '.join(parts)}; {edges:.0f} edge pixels a frame"
    figure = f"frames/s of the kernels at {name(size)}, {frames} frames a launch"
    results.add(figure, f"{LAUNCHES * frames / milliseconds * 1000:.0f}", "", "", note)


def download(results: Results, device: str, threads: int) -> None:
    """Pictures and masks in pinned memory of the host, as encoders get them."""
    clips = [clip(seed, SHOWN_FRAMES) for seed in range(VIDEOS[-1])]
    frames = len(clips) * SHOWN_FRAMES
    seen: list[int] = []

    def deliver(number: int, frames: Frames) -> None:
        seen.append(int(frames.rgb[-1, -1, -1, 0]))

    median, best, busy = rate(frames, lambda: render_each(clips, deliver, FULL_SIZE, device, threads), 3)
    note = f"best {best:.0f}, by processor time {busy:.0f}; {len(clips)} videos, without depth, not copied further"
    results.add(f"frames/s fetched at {name(FULL_SIZE)} by {threads} threads", f"{median:.0f}", "", "", note)


def arrays(results: Results, device: str) -> None:
    """Pictures, masks and depth in new arrays."""
    for size in SIZES:
        for videos in VIDEOS if size == FULL_SIZE else VIDEOS[-1:]:
            clips = [clip(seed, SHOWN_FRAMES) for seed in range(videos)]
            median, best, busy = rate(videos * SHOWN_FRAMES, lambda c=clips, s=size: render_many(c, s, device), 3)  # type: ignore[misc]
            is_headline = size == FULL_SIZE and videos == VIDEOS[-1]
            note = f"best {best:.0f}, by processor time {busy:.0f}; with masks and depth in one call, in new arrays"
            targets = (f"{MUST:.0f}", f"{GOAL:.0f}") if is_headline else ("", "")
            results.add(f"frames/s on one GPU at {name(size)}, {videos} videos", f"{median:.0f}", *targets, note)


def encoding(results: Results, device: str) -> None:
    """MP4 files in memory, encoded by as many threads as there are cores while others are rendered."""
    figure = f"frames/s encoded as MP4 at {name(FULL_SIZE)}"
    if find_spec("av") is None:
        results.add(figure, "-", "", "", "PyAV is not installed")
        return
    from tumble.comphy.observation.video import encode_video

    clips = [clip(seed, SHOWN_FRAMES) for seed in range(2 * usable_cores())]
    frames = len(clips) * SHOWN_FRAMES
    sizes: list[int] = []

    def deliver(number: int, frames: Frames) -> None:
        sizes.append(len(encode_video(frames.rgb)))

    rendered = rate(frames, lambda: render_each(clips, deliver, FULL_SIZE, device, usable_cores()), 1)
    rgb = render_many(clips[:1], device=device)[0].rgb
    alone = rate(SHOWN_FRAMES, lambda: encode_video(rgb), 2)
    note = f"{usable_cores()} threads, rendering included; one thread encodes {alone.median:.0f} frames/s"
    results.add(figure, f"{rendered.median:.0f}", "", "", note)


def difference(results: Results, device: str) -> None:
    """The difference from the CPU's pictures."""
    few = [clip(seed, 2) for seed in range(VIDEOS[-1])]
    pairs = list(zip(render_many(few, device=device), render_many(few, threads=usable_cores()), strict=True))
    most = max(int(np.abs(gpu.rgb.astype(int) - cpu.rgb.astype(int)).max()) for gpu, cpu in pairs)
    same = np.mean([np.mean(gpu.rgb == cpu.rgb) for gpu, cpu in pairs])
    masks = sum(int((gpu.mask != cpu.mask).sum()) for gpu, cpu in pairs)
    depths = sum(int((gpu.depth != cpu.depth).sum()) for gpu, cpu in pairs)
    note = f"{100 * same:.4f} % of bytes equal, {masks} pixels of masks and {depths} of depth differ"
    results.add("largest difference from the CPU's pictures, of 255", str(most), "1", "0", note)
