"""Frames per second of ComPhy's ray tracer, with masks and depth, and of the video encoder; and its materials.

    python benchmarks/speed/comphy_render.py                             on this machine's CPU
    python benchmarks/speed/comphy_render.py --device cuda --out folder  on its GPU, in less than a minute

Motion is random, so that neither MuJoCo nor, on a GPU, PyAV is needed.
"""

import argparse
import shutil
import sys
from multiprocessing import get_context
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import warp as wp
from material_classifier import TEST_SEEDS, separation
from render_clips import SIZES, Rate, clip, name, rate
from render_gpu import measure_gpu
from table import Results, csv_path

from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.observation.renderer import FULL_SIZE, Frames, Size, render_each, render_many

CPU_FRAMES = 25
MUST, GOAL = 15.0, 25.0
"""Frames per second of one core at full size."""
MATERIAL_BODIES, MATERIAL_SIZE = 600, (240, 160)
MATERIAL_MUST = 98.0
"""Per cent of isolated bodies that the classifier was not trained on."""
OLD_ACCURACY = 94.9
OLD_CONTRASTS = {"cube": 0.75, "sphere": 0.89, "cylinder": 0.72}
"""What the same program measured with the pictures of Tumble 0.1, in which metal mirrored no lights."""


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
    """Encodes and decodes an MP4 file, alone and while others are rendered."""
    from tumble.comphy.observation.video import decode_video, encode_video

    clips = [clip(seed, SHOWN_FRAMES // 2) for seed in range(4)]
    frames = sum(one.frames for one in clips)
    rgb = render_many(clips[:1])[0].rgb
    mp4 = encode_video(rgb)
    written, read = rate(len(rgb), lambda: encode_video(rgb)), rate(len(rgb), lambda: decode_video(mp4))
    note = f"best {written.best:.0f}; {name(FULL_SIZE)}, {len(mp4) / 1024:.0f} KiB for {len(rgb)} frames"
    results.add("frames/s encoded by one thread", f"{written.median:.0f}", "", "", note)
    results.add("frames/s decoded", f"{read.median:.0f}", "", "", name(FULL_SIZE))

    def deliver(number: int, frames: Frames) -> None:
        encode_video(frames.rgb)

    overlapped = rate(frames, lambda: render_each(clips, deliver, threads=2), 2)
    note = f"best {overlapped.best:.1f}, by processor time {overlapped.busy:.1f}; {name(FULL_SIZE)}"
    results.add("frames/s rendered and encoded by two threads", f"{overlapped.median:.1f}", "", "", note)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, help="folder that the table is copied to")
    options = parser.parse_args()
    is_cpu = options.device == "cpu"
    results = Results("ComPhy's renderer", "" if is_cpu else str(wp.get_device(options.device).name))
    on_cpu(results) if is_cpu else measure_gpu(results, options.device)
    file = "comphy-render" if is_cpu else "comphy-render-gpu"
    results.finish(file)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        shutil.copy(csv_path(file), options.out)


if __name__ == "__main__":
    main()
